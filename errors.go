package mem

import (
	"errors"
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var (
	// ErrNotFound is returned when no live memory has the key that was asked for.
	ErrNotFound = errors.New("no such memory")
	// ErrConflict is wrapped by *ConflictError.
	ErrConflict = errors.New("compare-and-set lost")
	// ErrInput is wrapped when an argument, a line or the configuration is malformed in a way that
	// no lower package names.
	ErrInput = errors.New("bad input")
	// ErrUnchecked is returned by Tx.Put for a write that Operation.Check has not made.
	ErrUnchecked = errors.New("a write that was not checked")
	// ErrForeignConfig is returned where a member is to be set in a config.json that counts for
	// nothing, see Options.ForeignConfig.
	ErrForeignConfig = errors.New(ConfigFile + ": git tracks it, so it came with the repository, " +
		"and nothing of it counts")
	// ErrRemains is returned by Purge where something is left that it could not remove.
	ErrRemains = errors.New("not proved: something of what was to be forgotten is still")
	// ErrFuture is returned when an import has a record with a ts more than 24 hours in the future.
	ErrFuture = errors.New("time lies in the future")

	// errEndless is a line without an end in sight.
	errEndless = errors.New("a line that does not end")
)

// NotFoundError names the key; errors.Is(err, ErrNotFound) holds.
type NotFoundError struct{ Key keypath.Key }

func (e *NotFoundError) Error() string { return e.Key.Shown() + ": no such memory" }

// Is makes every NotFoundError an ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// Advice returns where to look.
func (e *NotFoundError) Advice() advice.List {
	return advice.Run("ls").Then(" lists the keys there are").
		Tools("").Run("search").Then(" finds memories and their keys")
}

// ConflictError is returned when the condition of a compare-and-set does not hold; nothing was
// written.
type ConflictError struct {
	Key    keypath.Key
	Newest log.Record // zero where the key has no live memory
	Why    string     // what did not hold, where that is no compare-and-set's
}

func (e *ConflictError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("%s: %s", e.Key, e.Why)
	}
	if e.Newest.Key.IsZero() {
		return e.Key.Shown() + ": compare-and-set lost: the key has no live memory"
	}
	return fmt.Sprintf("%s: compare-and-set lost: the newest write is of %s", e.Key.Shown(),
		e.Newest.TS)
}

// Is makes every ConflictError an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// Advice returns how to try again.
func (e *ConflictError) Advice() advice.List {
	if e.Newest.Key.IsZero() && e.Why != "" {
		return advice.Say("MEM_AGENT says which agent this is")
	}
	flag := "write it with --if-absent"
	if !e.Newest.Key.IsZero() {
		flag = "look at the newest envelope on stdout, then write with --if-ts " +
			e.Newest.TS.String()
	}
	return advice.Shell(flag).Tools("look at it with ").Run("get").
		Then(", then write with its ts as if_ts, or with none")
}

// LineError is one bad line of a batch, or one bad file of a folder.
type LineError struct {
	File string // of an import; empty: the batch has no name
	Line int    // from 1; 0: the whole file
	Err  error
}

func (e *LineError) Error() string {
	switch {
	case e.File == "":
		return fmt.Sprintf("line %d: %s", e.Line, e.Err)
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Err)
}

// Unwrap returns the fault.
func (e *LineError) Unwrap() error { return e.Err }

// BatchError has every bad line of a batch, and names the first of them. Unless the batch was to
// keep going, nothing was written.
type BatchError struct{ Lines []*LineError }

// maxBadLines is how many bad lines an error names: whoever gave the wrong file needs no more, and
// an agent pays for each.
const maxBadLines = 20

func (e *BatchError) Error() string {
	var texts []string
	for _, l := range e.Lines[:min(len(e.Lines), maxBadLines)] {
		texts = append(texts, l.Error())
	}
	switch more := len(e.Lines) - len(texts); {
	case more == 1: // it takes no more room than to say so
		texts = append(texts, e.Lines[maxBadLines].Error())
	case more > 1:
		texts = append(texts, fmt.Sprintf("%d more bad lines", more))
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the first fault, which decides the exit code.
func (e *BatchError) Unwrap() error { return e.Lines[0] }
