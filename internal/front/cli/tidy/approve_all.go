package tidy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// choice is one of the lines that wait, and how a person decides on it.
type choice struct {
	id      string // as mem approve takes it
	version string // of what is shown; "" for a fact of the inbox, which does not change
	makes   string // the memory that an approval makes a rule; "": it makes none
	show    func(io.Writer) error
	decide  func(context.Context, mem.Verb) (stored string, err error)
}

// about identifies a choice as it is shown. Neither part has a tab or a line feed.
func (c *choice) about() string { return c.id + "\t" + c.version }

// choices are all lines that wait in the stores of a call, and their number in words.
type choices struct {
	list  []choice
	count string
	rules []string // what has become one
}

// decideAll approves or rejects all that waits in the stores here, each as it was shown: what comes
// later waits, and what was changed since is named, and stays as it is.
func decideAll(a *app.App, cmd *cobra.Command, verb mem.Verb) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	all, err := findChoices(a, cmd, l, verb)
	if err != nil {
		return err
	}
	if len(all.list) == 0 && !a.IsAnswered() {
		a.Say(cmd, "nothing waits here")
		return app.ErrNo
	}
	if app.IsTerminal(cmd) && !a.Yes {
		for _, c := range all.list {
			_ = c.show(cmd.ErrOrStderr())
		}
	}
	about := make([]string, len(all.list))
	for i := range all.list {
		about[i] = all.list[i].about()
	}
	shown, err := a.ConfirmEach(cmd, policy.Approve, verb.String()+" "+all.count+"?", about)
	if err != nil {
		return err
	}
	ids, failed := all.decide(cmd.Context(), verb, shown)
	did := map[bool]string{true: "stored: ", false: "rejected: "}[verb == policy.Approve]
	if len(ids) > 0 && verb == policy.Approve && a.Explains() {
		a.Advise(cmd, "hint", all.takesBack())
	}
	print := app.Report(did + app.OneLine(strings.Join(ids, " ")))
	if len(ids) == 0 {
		print = app.Nothing
	}
	return cmp.Or(a.Answer(cmd, map[string]any{"ok": failed == nil, "ids": ids}, print), failed)
}

// takesBack returns how to take back what was approved, and names what has become a rule.
func (all *choices) takesBack() advice.List {
	back := advice.Run("undo", "--last").Then(" takes that back")
	if len(all.rules) == 0 {
		return back
	}
	as := " rules"
	if len(all.rules) == 1 {
		as = " a rule"
	}
	return advice.Say("made " + app.OneLine(strings.Join(all.rules, " ")) + as).Also(back)
}

// decide decides on what was shown, and returns the ids. The error names the others.
func (all *choices) decide(ctx context.Context, verb mem.Verb, shown []string) (
	ids []string, err error) {
	byAbout := map[string]*choice{}
	for i := range all.list {
		byAbout[all.list[i].about()] = &all.list[i]
	}
	ids = []string{}
	var left []error
	for _, about := range shown {
		id, _, _ := strings.Cut(about, "\t")
		err := mem.ErrUnseen
		if one := byAbout[about]; one != nil {
			var stored string
			if stored, err = one.decide(ctx, verb); err == nil {
				ids = append(ids, stored)
			}
			if err == nil && one.makes != "" {
				all.rules = append(all.rules, one.makes)
			}
		}
		if err == nil {
			continue
		}
		left = append(left, undecided(id, err))
		if kind := mem.KindOf(err); kind == mem.KindLocked || kind == mem.KindIO {
			break // the others would fail by the same
		}
	}
	return ids, errors.Join(left...)
}

// undecided returns the error about a line that stays as it is. That of a lost comparison names the
// line alone: of several no newest one can be on standard output.
func undecided(id string, err error) error {
	var lost *mem.ConflictError
	switch id = app.OneLine(id); {
	case errors.Is(err, mem.ErrUnseen):
		return app.Hinted(fmt.Errorf("%s: %w", id, mem.ErrUnseen), listsWaiting())
	case errors.As(err, &lost):
		return app.Verdict(mem.KindConflict, id+": "+lost.Why,
			advice.Run("reject", id).Then(" ends it, ").Run("approve").Then(" lists what waits"))
	}
	return fmt.Errorf("%s: %w", id, notWaiting(err))
}

// findChoices finds all that waits, in the order in which mem approve lists it; for an approval
// without the proposals whose memories are gone.
func findChoices(a *app.App, cmd *cobra.Command, l *layers.Layers, verb mem.Verb) (
	all choices, err error) {
	facts, _ := a.FactsHere(cmd.Context(), l)
	for _, p := range facts {
		all.list = append(all.list, choiceOfFact(a, cmd, l, p))
	}
	var changes, quarantined int
	err = app.EachLayer(l, func(s *mem.Store, site *site.Site) error {
		found, err := proposal.List(cmd.Context(), s, a.Caller)
		found = slices.DeleteFunc(found, func(p proposal.Proposal) bool {
			return p.IsGone() && verb == policy.Approve
		})
		for _, p := range found {
			p.Layer = site.Layer
			all.list = append(all.list, choiceOfProposal(a, cmd, s, p))
		}
		changes += len(found)
		return err
	})
	if err == nil {
		err = app.EachLayer(l, func(s *mem.Store, _ *site.Site) error {
			found, err := quarantinedIn(a, cmd, s)
			all.list = append(all.list, found...)
			quarantined += len(found)
			return err
		})
	}
	var counts []string
	for _, c := range []struct {
		n    int
		text string
	}{{len(facts), app.CountFacts(facts)}, {changes, app.Count(changes, "proposed change")},
		{quarantined, app.Count(quarantined, "quarantined write")}} {
		if c.n > 0 {
			counts = append(counts, c.text)
		}
	}
	all.count = strings.Join(counts, " and ")
	return all, err
}

func choiceOfFact(a *app.App, cmd *cobra.Command, l *layers.Layers, p inbox.Proposal) choice {
	makes := ""
	if p.Class == inbox.Rule {
		makes = app.RuleID(p)
	}
	return choice{id: p.ID, makes: makes,
		show: func(out io.Writer) error { return printFact(a, cmd, out, p) },
		decide: func(ctx context.Context, verb mem.Verb) (string, error) {
			if verb != policy.Approve {
				return p.ID, intake.Reject(a.Caller, a.Inbox(), p)
			}
			stored, err := intake.Approve(ctx, l, a.Caller, a.Inbox(), p, "")
			return stored.ID, err
		}}
}

func choiceOfProposal(a *app.App, cmd *cobra.Command, s *mem.Store, p proposal.Proposal) choice {
	shown, makes := p.Shown(), ""
	if p.Change == policy.Pin.String() {
		makes = p.Key.Shown()
	}
	return choice{id: p.ID, version: shown.String(), makes: makes,
		show: func(out io.Writer) error {
			return printWaiting(a, cmd, out, waiting{Proposals: []proposal.Proposal{p}})
		},
		decide: func(ctx context.Context, verb mem.Verb) (string, error) {
			if verb != policy.Approve {
				_, err := s.Reject(ctx, a.Caller, shown)
				return p.ID, err
			}
			_, err := proposal.Approve(ctx, s, a.Caller, shown)
			return p.ID, err
		}}
}

func quarantinedIn(a *app.App, cmd *cobra.Command, s *mem.Store) (list []choice, err error) {
	untrusted, err := keypath.ParsePrefix(keypath.Untrusted)
	if err != nil {
		return nil, err
	}
	var keys []keypath.Key
	filter := mem.Filter{Prefix: untrusted}
	err = s.List(cmd.Context(), a.Caller, filter, func(rec log.Record) error {
		if !policy.IsProposal(rec.Key) {
			keys = append(keys, rec.Key)
		}
		return nil
	})
	for _, key := range keys {
		w, err := s.Waiting(cmd.Context(), a.Caller, key)
		if err != nil {
			return nil, err
		}
		list = append(list, choiceOfWrite(a, s, w))
	}
	return list, err
}

func choiceOfWrite(a *app.App, s *mem.Store, w mem.Waiting) choice {
	shown, id := w.Shown(), w.Rec.Key.String()
	return choice{id: id, version: shown.String(),
		show: func(out io.Writer) error { return printQuarantined(out, &w) },
		decide: func(ctx context.Context, verb mem.Verb) (string, error) {
			if verb != policy.Approve {
				_, err := s.Reject(ctx, a.Caller, shown)
				return id, err
			}
			out, err := s.Approve(ctx, a.Caller, shown, mem.ApproveOptions{})
			return out.Key.String(), err
		}}
}
