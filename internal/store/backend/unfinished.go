package backend

import (
	"cmp"
	"errors"

	"github.com/set-memory/mem/internal/base/advice"
)

// Unfinished returns the error of a call that ended after a part of it was stored. One after which
// all is stored, or that names the stored part, is returned as it is.
func Unfinished(err error, done, rest string) error {
	if err == nil || errors.Is(err, ErrStored) || errors.As(err, new(*UnfinishedError)) {
		return err
	}
	return &UnfinishedError{Done: done, Rest: rest, Err: err}
}

// UnfinishedError is the error of a call of which a part is stored.
type UnfinishedError struct {
	Done string // names the stored part
	Rest string // what does the rest
	Err  error  // why it ended
}

func (e *UnfinishedError) Error() string { return e.Done + ", then: " + e.Err.Error() }

// Unwrap returns why the call ended, which decides the exit code.
func (e *UnfinishedError) Unwrap() error { return e.Err }

// Advice returns what does the rest.
func (e *UnfinishedError) Advice() advice.List { return advice.Say(e.Rest) }

// InTurn is the error of a call that writes to one store after another.
type InTurn struct {
	some bool
	late error
}

// Next takes the error of a store, and returns the one with which the call ends. Where only an
// index could not follow the call goes on.
func (t *InTurn) Next(err error) error {
	if errors.Is(err, ErrStored) {
		t.late, err = cmp.Or(t.late, err), nil
	}
	if t.some {
		err = Unfinished(err, "one store is written, and another is not",
			"the same command does the rest")
	}
	t.some = true
	return err
}

// End returns the error of a call that has written to all.
func (t *InTurn) End() error { return t.late }
