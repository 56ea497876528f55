package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/spf13/cobra"
)

// Changes to rules of the user that an agent proposes and a person approves.

// registerPropose registers the flag of a verb that proposes its change of a rule.
func registerPropose(a *app, cmd *cobra.Command, propose *bool) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.proposing(cmd, run(cmd, args))
	}
	cmd.Flags().BoolVar(propose, "propose", false,
		"ask the user for this change of a rule, which stays in force until mem approve")
}

// propose stores a proposal in a store, and prints its id.
func (a *app) propose(cmd *cobra.Command, s *mem.Store, layer string, ch proposal.Change) error {
	p, err := proposal.Add(cmd.Context(), s, caller, ch)
	if err != nil {
		return err
	}
	out := p.Outcome()
	out.Layer = layer
	if explains(a) {
		a.adviseProposed(cmd, p.ID)
	}
	return a.answer(cmd, out, report(p.ID))
}

// adviseProposed says what a proposal means for the agent that has made it.
func (a *app) adviseProposed(cmd *cobra.Command, id string) {
	if talks(a) {
		a.advise(cmd, "hint", advice.Say("the rule stays in force until the user runs ").
			Run("approve", id).Then(" in a terminal of their own; in this conversation follow "+
			"the user's latest word"))
	}
}

// proposeEach proposes one change for each of the memories that arguments name.
func (a *app) proposeEach(cmd *cobra.Command, l *mem.Layers, args []string, verb string,
	source []byte, content func(held) ([]byte, error)) error {
	list, unknown, err := findAll(cmd, l, args)
	if err != nil {
		return err
	}
	for _, h := range list {
		text, err := content(h)
		if err != nil {
			return err
		}
		ch := proposal.Change{Verb: verb, Key: h.key, Content: text, Source: source}
		if err := a.propose(cmd, h.store, layerName(l, h.site), ch); err != nil {
			return err
		}
	}
	return unknown.and(nil)
}

// proposing adds to the refusal to change a rule the same command with the flag that proposes it.
func (a *app) proposing(cmd *cobra.Command, err error) error {
	var rule *policy.RuleError
	replaced := func(arg string) bool { return strings.HasPrefix(arg, "--replaces") }
	several := slices.IndexFunc(a.args, replaced)
	several = slices.IndexFunc(a.args[several+1:], replaced)
	if !errors.As(err, &rule) || rule.Verb == policy.Set && slices.Contains(a.args, "-") ||
		rule.Verb == policy.Note && several >= 0 {
		return err // the advice of the refusal names a command for one rule
	}
	end := slices.Index(a.args, "--") // the arguments after it are no flags
	if end < 0 {
		end = len(a.args)
	}
	args := slices.Insert(slices.Clone(a.args), end, "--propose")
	if line := retyped(args, "--propose", "--propose"); line != "" {
		return hinted(err, rule.Proposing(advice.Say(line)))
	}
	return err
}
