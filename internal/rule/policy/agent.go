package policy

import (
	"errors"
	"slices"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// ErrPerson is wrapped by *PersonError.
var ErrPerson = errors.New("only a person may do this")

// PersonError is the refusal of what an agent asks for and only a person may have.
type PersonError struct{ Agent, Why string }

func (e *PersonError) Error() string { return e.Why }

// Is makes every PersonError an ErrPerson.
func (e *PersonError) Is(target error) bool { return target == ErrPerson }

// Advice returns who may.
func (e *PersonError) Advice() advice.List {
	return advice.Say("MEM_AGENT says that agent " + e.Agent +
		" calls; a person does this without it").
		Tools("only the user can do this, with mem on a command line")
}

// Acting returns the caller as the agent that it names: "" stands for the one that calls. A person
// may name any, an agent only itself (J-38). The error is a *PersonError.
func Acting(c backend.Caller, agent string) (backend.Caller, error) {
	if agent == "" || agent == c.Agent {
		return c, nil
	}
	if c.Agent != "" {
		return c, &PersonError{c.Agent, "agent " + agent + ": what it keeps is its own"}
	}
	c.Agent = agent
	return c, nil
}

// MaySpeakAs reports whether a caller may record something as done by an actor: an agent speaks for
// people and tools, and of agents for itself alone.
func MaySpeakAs(c backend.Caller, kind, id string) bool {
	return kind != "agent" || c.Agent == "" || c.Agent == id
}

// CheckPerson refuses an agent a verb that is for those who look after agents; what says in words
// what it asked for. The error is a *PersonError.
func CheckPerson(c backend.Caller, what string) error {
	if c.Agent == "" {
		return nil
	}
	return &PersonError{c.Agent, what + ": it is for a person, and an agent calls"}
}

// keeping are the verbs by which an agent stores what it keeps, each time under a new id.
var keeping = []string{"journal", "core"}

// CheckOwn refuses an agent to take away what it has kept, to put something else in its place, and
// to bring it back, forced or not: it adds, and a person decides what stays (J-24). To carry it to
// another layer takes nothing away. The error is a *PersonError.
func CheckOwn(c backend.Caller, verb string, key keypath.Key, valid bool) error {
	if c.Agent == "" || key.Realm().Owner != c.Agent || verb == "move" ||
		valid && slices.Contains(keeping, verb) {
		return nil
	}
	return &PersonError{c.Agent, key.Shown() + ": an agent changes and deletes nothing of what " +
		"it has kept, and brings nothing of it back"}
}

// CheckOthers refuses an agent to write what another one keeps, or would keep, forced or not; a
// person brings a backup back so. Verbs that find a memory first do not ask: to them there is none.
// The error is a *PersonError.
func CheckOthers(c backend.Caller, verb string, key keypath.Key) error {
	owner := key.Realm().Owner
	if c.Agent == "" || owner == "" || owner == c.Agent || verb != "set" && verb != "import" {
		return nil
	}
	return &PersonError{c.Agent, key.Shown() + ": what another agent keeps is its own"}
}

// reviewing are the verbs by which a person takes away what an agent keeps, and gives it back.
var reviewing = []string{"forget", "agent", "undo"}

// Reaches reports whether a verb finds a key that its caller names. It is [Permits], but that a
// person who knows the key of what an agent keeps may delete it, and take that back, by the verbs
// that are for this (J-26). They are not shown what it says.
func Reaches(c backend.Caller, verb string, key keypath.Key) bool {
	return Permits(c, key) || c.Agent == "" && slices.Contains(reviewing, verb)
}

// Reader returns as whom a verb looks up the versions of a key that its caller names: where a
// person reaches what an agent keeps, as that agent. What it reads is not for the person's eyes.
func Reader(c backend.Caller, verb string, key keypath.Key) backend.Caller {
	if !Permits(c, key) && Reaches(c, verb, key) {
		c.Agent = key.Realm().Owner
	}
	return c
}
