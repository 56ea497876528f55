package session

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/set-memory/mem"
)

var (
	// ErrNotFound is wrapped where there is no session of an id; it is a mem.ErrNotFound.
	ErrNotFound = errors.New("no such session")
	// ErrTaken is wrapped where an id is, or was, that of a session.
	ErrTaken = errors.New("the id is taken")
	// ErrDeleted is wrapped for what another verb brings into a session that was deleted.
	ErrDeleted = errors.New("the session was deleted")
	// ErrClosed is wrapped for a write to a session that was closed.
	ErrClosed = errors.New("the session is closed")
	// ErrFull is wrapped by *FullError.
	ErrFull = errors.New("the session is full")
	// ErrNewer is wrapped for a write to a session that a newer mem has made.
	ErrNewer = errors.New("the session is of a newer mem")
	// ErrChecksum is wrapped for an entry of an import whose checksum is wrong.
	ErrChecksum = errors.New("the checksum is wrong")
	// ErrMemories is wrapped for an import of what mem export wrote, which has its own way in; it
	// is a mem.ErrInput.
	ErrMemories error = &fieldError{"an export of memories", "want one of sessions", ""}
)

// Error is what is wrong with a session, and with which.
type Error struct {
	ID  string
	Err error  // one of this package
	Do  string // what to do; "" for nothing better than to know
}

func (e *Error) Error() string { return e.ID + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Is makes what is not there a mem.ErrNotFound too.
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

// Hint returns what to do.
func (e *Error) Hint() string { return e.Do }

func notFound(id string) error {
	return &Error{id, ErrNotFound, "mem session list shows those there are; " +
		"mem session create makes one"}
}

// FullError is the refusal of a write that does not fit (S-41); errors.Is(err, ErrFull) holds.
type FullError struct {
	ID          string
	Size, Limit int64 // bytes; the size with what was to be written
	Spent       bool  // whether a compaction has just been tried, or the last one dropped nothing
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%s: %s: %d bytes with this, at most %d", e.ID, ErrFull, e.Size, e.Limit)
}

// Is makes every FullError an ErrFull.
func (e *FullError) Is(target error) bool { return target == ErrFull }

// Kind is that of what a policy refuses.
func (e *FullError) Kind() string { return string(mem.KindRefused) }

// Hint returns how to make room.
func (e *FullError) Hint() string {
	if !e.Spent {
		return "mem session compact " + e.ID + " drops what is hardly relevant"
	}
	twice := math.Ceil(2*1000*float64(e.Limit)/(1<<20)) / 1000 // MiB
	more := strconv.FormatFloat(twice, 'f', -1, 64)
	return "its last compaction left only what is relevant: " +
		"mem config set storage.max_session_size_mb " + more + " allows more, " +
		"mem session create makes a new one, and mem search --session " + e.ID +
		" --sort importance shows what could be forgotten"
}

// fieldError is a member that is not as it must be; errors.Is(err, mem.ErrInput) holds.
type fieldError struct{ field, why, do string }

func (e *fieldError) Error() string { return e.field + ": " + e.why }

// Is makes every fieldError a mem.ErrInput.
func (e *fieldError) Is(target error) bool { return target == mem.ErrInput }

// Hint returns what to do.
func (e *fieldError) Hint() string { return e.do }
