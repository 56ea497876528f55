package ledger

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/keypath"
)

var (
	// ErrNotFound is returned where an id names nothing that is there.
	ErrNotFound = errors.New("not found")
	// ErrNoKey is returned where something is to be sealed, and there is no key to do it with.
	ErrNoKey = errors.New("sensitivity high is sealed, and there is no key")
	// ErrSuperseded is returned where a decision is to be replaced that another one has replaced.
	ErrSuperseded = errors.New("it is superseded already")

	// ErrActor is returned where an agent records what it did as done by another one.
	ErrActor = errors.New("an agent may record for people, tools and itself, not for other agents")

	// ErrTaken is returned for an event whose id another event has.
	ErrTaken = errors.New("another event has this id, or had it")

	errBlobGone = errors.New("a file was removed while its artifact was stored")
)

// Error is an error about the record that an id names.
type Error struct {
	ID  string
	Err error // ErrNotFound, ErrNoKey, ErrSuperseded, ErrActor or ErrTaken
	Do  advice.List
}

func (e *Error) Error() string {
	if e.ID == "" {
		return e.Err.Error()
	}
	return e.ID + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Kind is that of an answer, or of what a policy refuses; see mem.KindOf.
func (e *Error) Kind() string {
	switch {
	case errors.Is(e.Err, ErrNotFound):
		return string(mem.KindNo)
	case errors.Is(e.Err, ErrTaken):
		return string(mem.KindConflict)
	}
	return string(mem.KindRefused)
}

// Advice returns what to do.
func (e *Error) Advice() advice.List { return e.Do }

func notFound(id string) error {
	below := keypath.Events
	if space := spaceOf(id[:strings.IndexByte(id, '_')+1]); space != "" {
		below = strings.TrimSuffix(space, "/")
	}
	return &Error{fmt.Sprintf("%.80s", id), ErrNotFound,
		advice.Run("ls", below).Then(" lists them").
			Tools("").Run("bundle").Then(" lists the ids")}
}

var noKey error = &Error{"", ErrNoKey,
	advice.Say("MEM_AGE_IDENTITY names the file with the key").
		Also(advice.RunAlone("key new", "FILE").Then(" makes one")).
		Tools("the user sets MEM_AGE_IDENTITY for this server, to a key of mem key new")}

// inputError is something wrong in a record or a request; errors.Is(err, mem.ErrInput) holds.
type inputError struct {
	what, why string
	do        advice.List
}

func (e *inputError) Error() string { return e.what + ": " + e.why }

// Is makes every inputError bad input.
func (e *inputError) Is(target error) bool { return target == mem.ErrInput }

// Advice returns what to do.
func (e *inputError) Advice() advice.List { return e.do }

var noRefs error = &inputError{"refs", "a decision needs evidence, and none is named",
	advice.Shell("--ref evt_... names an event, chk_... a part of it")}

var secretSession error = &inputError{"session_id",
	"it seems to be a secret, and is part of every key",
	advice.Say("give the session another name")}

// Missing is the error for a member that has to be there. by names it on a command line: flags, or
// a text.
func Missing(what, by string) error {
	return &inputError{what, "it is missing",
		advice.Shell(by + " names it, or the member " + what)}
}

// BadInput is the error for a value of a member.
func BadInput(what, value, why string) error {
	return &inputError{what: fmt.Sprintf("%s %.80q", what, value), why: why}
}

func oneOf(what, value string, list []string) error {
	return BadInput(what, value, "want one of "+strings.Join(list, ", "))
}

// agentIDs is compiled at its first use: most commands need none.
var agentIDs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_.@-]{1,64}$`)
})

// IsAgent reports whether a text is spelled as the id of an agent.
func IsAgent(id string) bool { return agentIDs().MatchString(id) && id != "." && id != ".." }
