package edit

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

var (
	// ErrFirst is wrapped where a key has no version before its newest, or none is left of it.
	ErrFirst = errors.New("it has no earlier version")
	// ErrGone is wrapped where a key has a tombstone and nothing before it: it was never live, or
	// that was purged.
	ErrGone = errors.New("there is no version to restore")
	// ErrNoVersion is wrapped where a key has no version of the ts that was asked for.
	ErrNoVersion = errors.New("no such version")
	// ErrNoObject is wrapped where content that is no JSON object would need members.
	ErrNoObject = errors.New("its content is no JSON object")
	// ErrNoList is wrapped where tags are to be changed that are no list.
	ErrNoList = errors.New("its tags are no list")
	// ErrSame is wrapped where two keys are wanted and one was given twice.
	ErrSame = errors.New("both are the same key")
	// ErrCycle is wrapped where a memory would supersede itself by way of others.
	ErrCycle = errors.New("that memory supersedes it already")
	// ErrFact is wrapped where a fact would supersede a rule of the user.
	ErrFact = errors.New("a fact, which supersedes no rule of the user; a pin makes it one")
	// ErrForGood is wrapped where the last command wrote nothing that could be taken back.
	ErrForGood = errors.New("the last command cannot be reverted: it purged or copied")
	// ErrSince is wrapped for a key that was written after the command that is taken back.
	ErrSince = errors.New("it was written since, so nothing is taken back")
	// ErrMeanwhile is wrapped for a key that was written while a large command was taken back.
	ErrMeanwhile = errors.New("it was written meanwhile, and stays as it is")
	// ErrHalf is wrapped where no journal says all that the last command wrote.
	ErrHalf = errors.New("it is not known what the last command wrote elsewhere, " +
		"so nothing is taken back")
	// ErrNothing is returned where no command is left to take back.
	ErrNothing error = &Error{cause: ErrGone}
	// ErrReserved is wrapped for a key that this edit may not touch.
	ErrReserved = errors.New("only other verbs change this key")
)

// Error is a fault of one key, or of a command. errors.Is(err, its cause) holds.
type Error struct {
	Key   keypath.Key
	cause error
}

func (e *Error) Error() string {
	if e.Key.IsZero() {
		return e.cause.Error()
	}
	return e.Key.Shown() + ": " + e.cause.Error()
}

// Unwrap returns the cause, one of those above.
func (e *Error) Unwrap() error { return e.cause }

// Kind returns the name of the error's kind.
func (e *Error) Kind() string {
	switch e.cause {
	case ErrFirst, ErrGone, ErrNoVersion, ErrSince, ErrMeanwhile, ErrHalf:
		return string(mem.KindNo)
	case ErrReserved, ErrForGood, ErrFact:
		return string(mem.KindRefused)
	}
	return string(mem.KindInput)
}
