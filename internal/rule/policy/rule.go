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

// RuleError is the refusal of a change to a rule of the user by a caller that is no person.
type RuleError struct {
	Key    keypath.Key
	Verb   Verb
	Caller backend.Caller
}

func (e *RuleError) Error() string {
	return e.Key.Shown() + ": " + ErrRule.Error() + ", and " + program(e.Caller) + " runs this"
}

// Is makes every RuleError an ErrRule and an ErrPerson.
func (e *RuleError) Is(target error) bool { return target == ErrRule || target == ErrPerson }

// Advice returns the command that proposes the change.
func (e *RuleError) Advice() advice.List {
	key := e.Key.String()
	do := advice.Run("set", key, "--text", "TEXT", "--propose")
	switch e.Verb {
	case Rm, Forget, Mv, Merge, Move, Supersede:
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
	return do.Then(" asks the user, and the rule stays in force until then").
		Tools("the same call with propose true asks the user; the rule stays in force until then")
}

// Proposals is the prefix of the keys of changes to rules that wait for a person.
const Proposals = keypath.Untrusted + "/proposal"

// IsProposal reports whether a key is that of a proposal.
func IsProposal(key keypath.Key) bool { return strings.HasPrefix(key.String(), Proposals+"/") }
