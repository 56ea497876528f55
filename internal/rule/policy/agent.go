package policy

import (
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// Acting returns the caller as the agent that it names: "" stands for the calling agent. A person
// may name any agent, an agent only itself. The error is a *PersonError.
func Acting(c backend.Caller, agent string) (backend.Caller, error) {
	if agent == "" || agent == c.Agent {
		return c, nil
	}
	if c.Agent != "" {
		return c, &PersonError{Agent: c.Agent, Client: c.Client, Why: "agent " + agent +
			": its entries are private"}
	}
	c.Agent = agent
	return c, nil
}

// MaySpeakAs reports whether a caller may record something as done by an actor: an agent speaks for
// people and tools, and of agents for itself alone.
func MaySpeakAs(c backend.Caller, kind, id string) bool {
	return kind != "agent" || c.Agent == "" || c.Agent == id
}

// CheckNoAgent refuses an agent, and a program that calls in place of a person, a verb for people;
// what describes the request in words. The error is a *PersonError.
func CheckNoAgent(c backend.Caller, what string) error {
	if IsPerson(c) {
		return nil
	}
	return checkAnswer(c, what)
}

// CheckOwn refuses an agent to take away, replace or bring back what it has kept, forced or not: a
// person decides what stays. The error is a *PersonError.
func CheckOwn(c backend.Caller, verb Verb, key keypath.Key, valid bool) error {
	if c.Agent == "" || key.Realm().Owner != c.Agent || verb.rights&carries != 0 ||
		valid && verb.rights&keeps != 0 {
		return nil
	}
	return &PersonError{Agent: c.Agent, Client: c.Client, Why: key.Shown() +
		": an agent changes and deletes none of its entries, and restores none"}
}

// checkOthers refuses an agent to write into what another one keeps, forced or not, and to write
// the identity of another one ([IdentityOf]). A deletion is refused only to operations whose caller
// names the keys, or that take back another caller's writes: the others find no record. The error
// is a *PersonError.
func (f *Facts) checkOthers(*Ground) error {
	c := f.Caller
	if of := IdentityOf(f.Key.String()); of != "" && of != c.Agent && !IsPerson(c) {
		return &PersonError{Agent: c.Agent, Client: c.Client,
			Why: f.Key.Shown() + ": only agent " + of + " or a person writes it"}
	}
	if c.Agent == "" || f.Owner == "" || f.Owner == c.Agent ||
		f.Deletes && f.Verb.rights&(names|restores) == 0 {
		return nil
	}
	return &PersonError{Agent: c.Agent, Client: c.Client,
		Why: f.Key.Shown() + ": entries of another agent are private"}
}

// Reaches reports whether a verb finds a key that its caller names. It is [Permits], except that a
// person may delete an agent's own record, and undo that, without seeing its content.
func Reaches(c backend.Caller, verb Verb, key keypath.Key) bool {
	return Permits(c, key) || IsPerson(c) && verb.rights&reviews != 0
}

// Reader returns the caller with which a verb looks up the versions of a key: where a person
// reaches an agent's own record, it is that agent. The verb must not show the content.
func Reader(c backend.Caller, verb Verb, key keypath.Key) backend.Caller {
	if !Permits(c, key) && Reaches(c, verb, key) {
		c.Agent = key.Realm().Owner
	}
	return c
}
