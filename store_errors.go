package mem

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var (
	// ErrNotFound is returned when no live memory has the key that was asked for.
	ErrNotFound = errors.New("no such memory")
	// ErrNoLayer is wrapped where a layer is named that is not there: outside of every project
	// there is no project layer, without a home directory no user layer.
	ErrNoLayer = errors.New("there is no such layer here")
	// ErrConflict is wrapped by *ConflictError.
	ErrConflict = errors.New("compare-and-set lost")
	// ErrUnseen is wrapped by the *ConflictError of a decision about something else than its person
	// was shown.
	ErrUnseen = errors.New("it changed since it was shown")
	// ErrInput is wrapped when an argument, a line or the configuration is malformed in a way that
	// no lower package names.
	ErrInput = policy.ErrInput
	// ErrUnchecked is returned by Tx.Put for a write that Operation.Check has not made.
	ErrUnchecked = errors.New("a write that was not checked")
	// ErrForeignConfig is returned where a member is to be set in a config.json that counts for
	// nothing, see Options.ForeignConfig.
	ErrForeignConfig = errors.New(backend.ConfigFile + ": it came, or may have come, with the" +
		" repository, and has no effect")
	// ErrRemains is returned by Purge where something is left that it could not remove.
	ErrRemains = errors.New("not proved: text that was to be forgotten is still")
	// ErrCut is returned by Store.EachStored where lines are not in the history any more.
	ErrCut = errors.New("part of what it stored was removed from the history")
	// ErrFuture is returned when an import has a record with a ts more than 24 hours in the future.
	ErrFuture = errors.New("time lies in the future")

	// errEndless is a line without an end in sight.
	errEndless = errors.New("a line that does not end")
)

// NotFoundError names the key; errors.Is(err, ErrNotFound) holds.
type NotFoundError struct {
	Key     keypath.Key
	Deleted log.Stamp // when it was deleted, where somebody looked that up
	By      string    // the command that deleted it; "": another source
}

func (e *NotFoundError) Error() string {
	text := e.Key.Shown() + ": no such memory"
	if e.Deleted != 0 {
		text += ", deleted at " + e.Deleted.String()
	}
	if e.By != "" {
		text += " (by " + e.By + ")"
	}
	return text
}

// Is makes every NotFoundError an ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// Advice returns where to look.
func (e *NotFoundError) Advice() advice.List {
	return advice.Run("ls").Then(" lists the keys").
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

// Is makes every ConflictError an ErrConflict, and that of a decision an ErrUnseen.
func (e *ConflictError) Is(target error) bool {
	return target == ErrConflict || target == ErrUnseen && e.Why == ErrUnseen.Error()
}

// Advice returns how to try again.
func (e *ConflictError) Advice() advice.List {
	if errors.Is(e, ErrUnseen) {
		return lookAgain()
	}
	if e.Newest.Key.IsZero() && e.Why != "" {
		return advice.Say("MEM_AGENT names the agent")
	}
	flag := "write it with --if-absent"
	if !e.Newest.Key.IsZero() {
		flag = "look at the newest envelope on stdout, then write with --if-ts " +
			e.Newest.TS.String()
	}
	return advice.Shell(flag).Tools("look at it with ").Run("get").
		Then(", then write with its ts as if_ts, or with none")
}

func lookAgain() advice.List { return advice.Say("look at it as it is now, and decide then") }

// PartialError is the error of a batch that ended in the middle. The stored writes stay.
type PartialError struct {
	Stored  int // lines that were written
	Already int // lines that were there already
	Total   int // lines there are
	Err     error
}

func (e *PartialError) Error() string {
	text := fmt.Sprintf("%d of %d stored", e.Stored, e.Total)
	if e.Already > 0 {
		text += fmt.Sprintf(", %d already there", e.Already)
	}
	return text + ", then: " + Message(e.Err)
}

// Unwrap returns what ended the batch, which decides the exit code.
func (e *PartialError) Unwrap() error { return e.Err }

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

// maxBadLines is the number of bad lines that an error names: for a wrong file more are useless,
// and an agent pays for each.
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

// isStored reports whether a write that ended with err is in the log.
func isStored(err error) bool { return err == nil || errors.Is(err, backend.ErrStored) }

// Message returns the text of an error as it may be shown: for one of the operating system the file
// first, then the cause; and no secret, see Shown.
func Message(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) && err == error(path) {
		return MaskSecrets(path.Path + ": " + path.Op + ": " + path.Err.Error())
	}
	return MaskSecrets(err.Error())
}

// MaskSecrets returns a message for people without what looks like a secret in it. Messages quote
// wrong input, and output gets into transcripts and logs.
func MaskSecrets(message string) string { return secret.Mask(message, withheld) }

// withheld stands in the journal and in messages for what looks like a secret.
const withheld = "(withheld: it looks like a secret)"
