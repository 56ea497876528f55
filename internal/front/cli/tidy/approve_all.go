package tidy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/queue"
	"github.com/spf13/cobra"
)

// about identifies an item as it is shown. Neither part has a tab or a line feed.
func about(it *queue.Item) string { return it.ID() + "\t" + it.Version() }

// deciding is a decision on all that waits in the stores of a call.
type deciding struct {
	queue *queue.Queue
	verb  mem.Verb // approve or reject
	list  []queue.Item
	rules []string // that approvals have made
}

// decideAll approves or rejects all that waits in the stores here, each as it was shown: an item
// that comes later waits, and one that was changed since is named, and stays as it is.
func decideAll(a *app.App, cmd *cobra.Command, verb mem.Verb) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	d := &deciding{queue: a.Queue(l), verb: verb}
	if err := d.find(cmd.Context()); err != nil {
		return err
	}
	if len(d.list) == 0 && !a.IsAnswered() {
		a.Say(cmd, "nothing waits here")
		return app.ErrNo
	}
	if app.IsTerminal(cmd) && !a.Yes {
		for i := range d.list {
			_ = printItem(cmd.ErrOrStderr(), &d.list[i])
		}
	}
	asked := make([]string, len(d.list))
	for i := range d.list {
		asked[i] = about(&d.list[i])
	}
	shown, err := a.ConfirmEach(cmd, policy.Approve, verb.String()+" "+d.count()+"?", asked)
	if err != nil {
		return err
	}
	ids, failed := d.decide(cmd.Context(), shown)
	did := map[bool]string{true: "stored: ", false: "rejected: "}[verb == policy.Approve]
	if len(ids) > 0 && verb == policy.Approve && a.Explains() {
		a.Advise(cmd, "hint", d.takesBack())
	}
	print := app.Report(did + app.OneLine(strings.Join(ids, " ")))
	if len(ids) == 0 {
		print = app.Nothing
	}
	return cmp.Or(a.Answer(cmd, map[string]any{"ok": failed == nil, "ids": ids}, print), failed)
}

// find finds all that waits; for an approval without the proposals whose memories are gone.
func (d *deciding) find(ctx context.Context) (err error) {
	d.list, err = d.queue.List(ctx)
	d.list = slices.DeleteFunc(d.list, func(it queue.Item) bool {
		return it.Proposal != nil && it.Proposal.IsGone() && d.verb == policy.Approve
	})
	return err
}

// count says how much waits.
func (d *deciding) count() string {
	var facts []inbox.Proposal
	changes, writes := 0, 0
	for _, it := range d.list {
		switch {
		case it.Fact != nil:
			facts = append(facts, *it.Fact)
		case it.Proposal != nil:
			changes++
		default:
			writes++
		}
	}
	var parts []string
	if len(facts) > 0 {
		parts = append(parts, queue.CountFacts(facts))
	}
	if changes > 0 {
		parts = append(parts, app.Count(changes, "proposed change"))
	}
	if writes > 0 {
		parts = append(parts, app.Count(writes, "quarantined write"))
	}
	return strings.Join(parts, " and ")
}

// takesBack returns how to take the approvals back, and names the memories that have become rules.
func (d *deciding) takesBack() advice.List {
	back := advice.Run("undo", "--last").Then(" takes that back")
	if len(d.rules) == 0 {
		return back
	}
	as := " rules"
	if len(d.rules) == 1 {
		as = " a rule"
	}
	return advice.Say("made " + app.OneLine(strings.Join(d.rules, " ")) + as).Also(back)
}

// decide decides on the items that were shown, and returns their ids. The error names the others.
func (d *deciding) decide(ctx context.Context, shown []string) (ids []string, err error) {
	byAbout := map[string]*queue.Item{}
	for i := range d.list {
		byAbout[about(&d.list[i])] = &d.list[i]
	}
	ids = []string{}
	var left []error
	for _, about := range shown {
		id, err := d.one(ctx, byAbout[about])
		if err == nil {
			ids = append(ids, id)
			continue
		}
		id, _, _ = strings.Cut(about, "\t")
		left = append(left, undecided(id, err))
		if kind := mem.KindOf(err); kind == mem.KindLocked || kind == mem.KindIO {
			break // the others would fail by the same
		}
	}
	return ids, errors.Join(left...)
}

// one decides on an item, nil where it is not as it was shown, and returns the id of what that
// stored, or the item's own.
func (d *deciding) one(ctx context.Context, it *queue.Item) (id string, err error) {
	if it == nil {
		return "", mem.ErrUnseen
	}
	if d.verb != policy.Approve {
		_, err := d.queue.Reject(ctx, it)
		return it.ID(), err
	}
	done, err := d.queue.Approve(ctx, it, "", mem.ApproveOptions{})
	if rule := it.Makes(); err == nil && rule != "" {
		d.rules = append(d.rules, rule)
	}
	return done.ID, err
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
