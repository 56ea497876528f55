package policy

import (
	"errors"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// ErrRule is wrapped by *RuleError.
var ErrRule = errors.New("a rule of the user")

// RuleError is the refusal of a change to a rule of the user by a caller that is no person, or to
// a memory that another member of its team has pinned.
type RuleError struct {
	Key    keypath.Key
	Verb   Verb
	Caller backend.Caller
	Pinner string // the member that has pinned it; "" for a rule
}

func (e *RuleError) Error() string {
	what, by := ErrRule.Error(), program(e.Caller)
	if e.Pinner != "" {
		what, by = "pinned by "+e.Pinner, by+" for "+e.Caller.Member
	}
	return e.Key.Shown() + ": " + what + ", and " + by + " runs this"
}

// Is makes every RuleError an ErrRule and an ErrPerson.
func (e *RuleError) Is(target error) bool { return target == ErrRule || target == ErrPerson }

// Advice returns the command that proposes the change.
func (e *RuleError) Advice() advice.List {
	key := e.Key.String()
	do := advice.Run("set", key, "--text", "TEXT", "--propose").Then(", or ").
		Run("forget", key, "--propose").Then(",")
	switch e.Verb {
	case Move: // the key may be that of a memory in another store
		return advice.Say("only the user moves it, and it stays in force until then")
	case Set:
		do = advice.Run("set", key, "--text", "TEXT", "--propose")
	case Rm, Forget:
		do = advice.Run("forget", key, "--propose")
	case Unpin:
		do = advice.Run("pin", "--off", key, "--propose")
	case Note:
		do = advice.Run("note", "TEXT", "--replaces", key, "--propose")
	case Edit:
		do = advice.Run("edit", key, "--propose")
	}
	return e.Proposing(do)
}

// Proposing returns the advice to run a command that proposes the change.
func (e *RuleError) Proposing(do advice.List) advice.List {
	if e.Pinner != "" {
		return do.Then(" asks a person, and it stays as it is until then").
			Tools("the same call with propose true asks a person; it stays as it is until then")
	}
	return do.Then(" asks the user, and the rule stays in force until then").
		Tools("the same call with propose true asks the user; the rule stays in force until then")
}

// Proposals is the prefix of the keys of changes to rules that wait for a person.
const Proposals = keypath.Untrusted + "/proposal"

// errProposal refuses a key of proposals to every operation but that which makes them.
func errProposal(key keypath.Key) error {
	return &ReservedError{Key: key, Why: "a proposal, which only --propose makes",
		Todo: advice.Run("approve").Then(" lists the proposals, and approves one by its id")}
}

// Proposing reports whether a prefix names proposals: no other list has them.
func Proposing(prefix keypath.Prefix) bool {
	return strings.HasPrefix(prefix.String()+"/", Proposals+"/")
}

// IsProposal reports whether a key is that of a proposal.
func IsProposal(key keypath.Key) bool { return strings.HasPrefix(key.String(), Proposals+"/") }
