package policy

import (
	"cmp"
	"errors"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

var (
	// ErrPerson is wrapped by *PersonError.
	ErrPerson = errors.New("only a person may do this")
	// ErrUnattended is wrapped by *UnattendedError.
	ErrUnattended = errors.New("there is no terminal to ask whether a person wants this")
)

// OverHTTP is the client of a call over HTTP with an agent's token, or with none.
const OverHTTP = "HTTP"

// PersonError is the refusal of a call that only a person may make.
type PersonError struct {
	Agent  string // the agent that calls; "" where Client says which program does
	Client string // the program that calls in place of a person
	Why    string
}

func (e *PersonError) Error() string { return e.Why }

// Is makes every PersonError an ErrPerson.
func (e *PersonError) Is(target error) bool { return target == ErrPerson }

// Advice returns how a person may.
func (e *PersonError) Advice() advice.List {
	const tools = "only the user can do this, with mem on a command line"
	switch e.Client {
	case "":
	case OverHTTP:
		return advice.Say("it takes a person's token (mem token add --person), for which mem " +
			"asks at a terminal").Tools(tools)
	default:
		return advice.Say("run it in your own terminal, not behind the client's `!`").Tools(tools)
	}
	return advice.Say("MEM_AGENT says that agent " + e.Agent +
		" calls; a person unsets it").Tools(tools)
}

// UnattendedError is returned for a decision where neither a terminal nor --yes says that a person
// has taken it.
type UnattendedError struct{ What string }

func (e *UnattendedError) Error() string { return e.What + ": " + ErrUnattended.Error() }

// Is makes every UnattendedError an ErrUnattended.
func (e *UnattendedError) Is(target error) bool { return target == ErrUnattended }

// Advice returns how to answer.
func (e *UnattendedError) Advice() advice.List {
	return advice.Shell("repeat it with --yes, if the answer is yes")
}

// CheckPerson refuses an operation that needs a person to a program that calls in place of one,
// with a *PersonError, and to a call that nobody attends to, with an *UnattendedError. An agent
// with a shell can unset the variables by which its client is known.
func CheckPerson(c backend.Caller, verb Verb) error {
	if verb.needs == "" || verb.rights&unasked != 0 && IsPerson(c) {
		return nil
	}
	return checkAnswer(c, verb.name)
}

func checkAnswer(c backend.Caller, what string) error {
	switch {
	case !IsPerson(c):
		return &PersonError{Agent: c.Agent, Client: c.Client,
			Why: what + ": only a person decides this, and " + program(c) + " runs it"}
	case c.Unattended:
		return &UnattendedError{what}
	}
	return nil
}

// IsPerson reports whether a person calls: no client does in place of one, and no agent.
func IsPerson(c backend.Caller) bool { return c.Client == "" && c.Agent == "" }

// program names the caller that is no person.
func program(c backend.Caller) string {
	if c.Client == OverHTTP && c.Agent != "" {
		return "agent " + c.Agent + " over HTTP"
	}
	return cmp.Or(c.Client, "agent "+c.Agent)
}

// RulesPrefix is the prefix of the keys that rule what agents do.
const RulesPrefix = "/rules"

// checkClaim refuses a program that calls in place of a person to make a rule, or to write in the
// name of the user: such a record would be believed as the user's own words. Nor may it delete a
// rule, or a record that waits for a decision. A new rule also needs a person that attends to the
// call, unless a backup brings it. The errors are those of [CheckPerson], and a *RuleError.
func (f *Facts) checkClaim(*Ground) error {
	c, verb := f.Caller, f.Verb
	isRule := cutNamespace(RulesPrefix, f.Key.String()) != ""
	switch {
	case verb.KeepsRules():
		return nil
	case IsProposal(f.Key) && !f.Deletes && !(verb.Restores() && IsPerson(c)):
		return errProposal(f.Key)
	case IsPerson(c) && (!c.Unattended || f.Deletes || f.Exempt.has(Given)):
		return nil
	case isRule && !IsPerson(c):
		if !f.Deletes && verb.name != Note.name && verb.name != Edit.name {
			verb = Set // the key may be a new one, which no other verb proposes
		}
		return &RuleError{Key: f.Key, Verb: verb, Caller: c}
	case isRule, f.Deletes && f.Key.Untrusted():
		return checkAnswer(c, f.Key.Shown())
	case verb.rights&names != 0:
		return checkSource(c, f.parsed(), f.Source)
	}
	return nil
}

// CheckSource refuses a program that calls in place of a person a source that it gives, and that
// says that the user wrote or pinned. The error is a *PersonError.
func CheckSource(c backend.Caller, source []byte) error {
	return checkSource(c, parseSource(source), source)
}

func checkSource(c backend.Caller, s source, raw []byte) error {
	if IsPerson(c) || s.kind != "user" && content.Member(raw, pinnedBy) == nil {
		return nil
	}
	return &PersonError{Agent: c.Agent, Client: c.Client, Why: "source: kind user is for a " +
		"person's own writes, and " + program(c) + " runs this: want kind agent"}
}

// CheckTrusted refuses a caller that is no person to take a record further that somebody else wrote
// into a store and nobody has looked at. The error is a *PersonError.
func CheckTrusted(c backend.Caller, trusted bool, key keypath.Key) error {
	if trusted || IsPerson(c) {
		return nil
	}
	return &PersonError{Agent: c.Agent, Client: c.Client,
		Why: key.Shown() + ": untrusted: only a person can trust it, with mem trust"}
}

// CheckRevert refuses a program that calls in place of a person to take back what a person did.
func CheckRevert(c backend.Caller, verb Verb, key keypath.Key, source []byte) error {
	if IsPerson(c) || parseSource(source).kind != "user" {
		return nil
	}
	return checkAnswer(c, verb.name+" "+key.Shown())
}
