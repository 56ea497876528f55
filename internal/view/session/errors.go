package session

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
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
	ErrMemories error = &fieldError{"an export of memories", "want one of sessions", nil}
)

// Error is what is wrong with a session, and with which.
type Error struct {
	ID  string
	Err error // one of this package
	Do  advice.List
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

// Advice returns what to do.
func (e *Error) Advice() advice.List { return e.Do }

func notFound(id string) error {
	return &Error{id, ErrNotFound, advice.Run("session list").Then(" shows those there are").
		Also(advice.Run("session create").Then(" makes one"))}
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

// Advice returns how to make room.
func (e *FullError) Advice() advice.List {
	if !e.Spent {
		return advice.Run("session compact", e.ID).Then(" drops what is hardly relevant")
	}
	twice := math.Ceil(2*1000*float64(e.Limit)/(1<<20)) / 1000 // MiB
	more := strconv.FormatFloat(twice, 'f', -1, 64)
	return advice.Say("its last compaction left only what is relevant: ").
		Run("config", "set", "storage.max_session_size_mb", more).Then(" allows more, ").
		Run("session create").Then(" makes a new one, and ").
		Run("search", "--session", e.ID, "--sort", "importance").
		Then(" shows what could be forgotten")
}

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
