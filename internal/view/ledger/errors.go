package ledger

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
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

func notFound(id string) error {
	below := keypath.Events
	if space := spaceOf(id[:strings.IndexByte(id, '_')+1]); space != "" {
		below = strings.TrimSuffix(space, "/")
	}
	return fault.Wrap(mem.KindNo, fmt.Sprintf("%.80s", id), ErrNotFound,
		advice.Run("ls", below).Then(" lists them").Tools("").Run("bundle").Then(" lists the ids"))
}

func noKey() error {
	return fault.Wrap(mem.KindRefused, "", ErrNoKey,
		advice.Say("MEM_AGE_IDENTITY names the file with the key").
			Also(advice.RunAlone("key new", "FILE").Then(" makes one")).
			Tools("the user sets MEM_AGE_IDENTITY for this server, to a key of mem key new"))
}

func noRefs() error {
	return fault.Input("refs", "a decision needs evidence, and none is named",
		advice.Shell("--ref evt_... names an event, chk_... a part of it"))
}

func secretSession() error {
	return fault.Input("session_id", "it seems to be a secret, and is part of every key",
		advice.Say("give the session another name"))
}

// Missing is the error for a member that has to be there. by names it on a command line: flags, or
// a text.
func Missing(what, by string) error {
	return fault.Input(what, "it is missing", advice.Shell(by+" names it, or the member "+what))
}

// BadInput is the error for a value of a member.
func BadInput(what, value, why string) error {
	return fault.Input(fmt.Sprintf("%s %.80q", what, value), why, nil)
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
