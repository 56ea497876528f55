package app

import (
	"errors"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/spf13/cobra"
)

// Changes to rules of the user that an agent proposes and a person approves.

// RegisterPropose registers the flag of a verb that proposes its change of a rule.
func (a *App) RegisterPropose(cmd *cobra.Command, propose *bool) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.proposing(cmd, run(cmd, args))
	}
	cmd.Flags().BoolVar(propose, "propose", false,
		"ask the user for this change of a rule, which stays in force until mem approve")
}

// Propose stores a proposal in a store, and prints its id.
func (a *App) Propose(cmd *cobra.Command, s *mem.Store, layer string, ch proposal.Change) error {
	p, err := proposal.Add(cmd.Context(), s, a.Caller, ch)
	if err != nil {
		return err
	}
	out := p.Outcome()
	out.Layer = layer
	if a.Explains() {
		a.AdviseProposed(cmd, p.ID)
	}
	return a.Answer(cmd, out, Report(p.ID))
}

// AdviseProposed says what a proposal means for the agent that has made it.
func (a *App) AdviseProposed(cmd *cobra.Command, id string) {
	if a.Talks() {
		a.Advise(cmd, "hint", advice.Say("the rule stays in force until the user runs ").
			Run("approve", id).Then(" in a terminal of their own; in this conversation follow "+
			"the user's latest word"))
	}
}

// ProposeEach proposes one change for each of the memories that arguments name.
func (a *App) ProposeEach(cmd *cobra.Command, l *layers.Layers, args []string, verb string,
	source []byte, content func(Held) ([]byte, error)) error {
	list, unknown, err := a.FindAll(cmd, l, args)
	if err != nil {
		return err
	}
	for _, h := range list {
		text, err := content(h)
		if err != nil {
			return err
		}
		ch := proposal.Change{Verb: verb, Key: h.Key, Content: text, Source: source}
		if err := a.Propose(cmd, h.Store, l.NameOf(h.Site), ch); err != nil {
			return err
		}
	}
	return unknown.And(nil)
}

// proposing adds to the refusal to change a rule the same command with the flag that proposes it.
func (a *App) proposing(cmd *cobra.Command, err error) error {
	var rule *policy.RuleError
	replaced := func(arg string) bool { return strings.HasPrefix(arg, "--replaces") }
	several := slices.IndexFunc(a.Args, replaced)
	several = slices.IndexFunc(a.Args[several+1:], replaced)
	if !errors.As(err, &rule) || rule.Verb == policy.Set && slices.Contains(a.Args, "-") ||
		rule.Verb == policy.Note && several >= 0 {
		return err // the advice of the refusal names a command for one rule
	}
	end := slices.Index(a.Args, "--") // the arguments after it are no flags
	if end < 0 {
		end = len(a.Args)
	}
	args := slices.Insert(slices.Clone(a.Args), end, "--propose")
	if line := Retyped(args, "--propose", "--propose"); line != "" {
		return Hinted(err, rule.Proposing(advice.Say(line)))
	}
	return err
}
