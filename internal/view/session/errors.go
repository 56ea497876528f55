package session

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
)

var (
	// ErrNotFound is wrapped where there is no session of an id; it is a mem.ErrNotFound.
	ErrNotFound = errors.New("no such session")
	// ErrTaken is wrapped where an id is, or was, that of a session.
	ErrTaken = errors.New("the id is taken")
	// The refusals of package policy.
	ErrDeleted, ErrClosed = policy.ErrDeleted, policy.ErrClosed
	ErrFull, ErrNewer     = policy.ErrFull, policy.ErrNewer
	ErrUnversioned        = policy.ErrUnversioned
)

// Error is a fault of the session of an id.
type Error struct {
	ID  string
	Err error // one of this package
	Do  advice.List
}

func (e *Error) Error() string { return e.ID + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes a missing session a mem.ErrNotFound too.
func (e *Error) Is(target error) bool {
	return target == mem.ErrNotFound && errors.Is(e.Err, ErrNotFound)
}

// Kind is that of what a policy refuses; see [mem.KindOf].
func (e *Error) Kind() string {
	if errors.Is(e.Err, ErrNotFound) {
		return string(mem.KindNo)
	}
	return string(mem.KindRefused)
}

// Advice returns what to do.
func (e *Error) Advice() advice.List { return e.Do }

func notFound(id string) error {
	return &Error{id, ErrNotFound, advice.Run("session list").Then(" lists them").
		Also(advice.Run("session create").Then(" makes one"))}
}

// FullError is the refusal of a write that does not fit.
type FullError = policy.FullError

// fieldError is a member that is not as it must be; errors.Is(err, mem.ErrInput) holds.
type fieldError struct {
	field, why string
	do         advice.List
}

func (e *fieldError) Error() string { return e.field + ": " + e.why }

// Is makes every fieldError a mem.ErrInput.
func (e *fieldError) Is(target error) bool { return target == mem.ErrInput }

// Advice returns what to do.
func (e *fieldError) Advice() advice.List { return e.do }
