package erase

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

func (o *forgetOptions) runDelete(a *app.App, cmd *cobra.Command, args []string) error {
	l, source, err := a.OpenSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	found, err := o.find(a, cmd, l, args, false)
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.dry(a, cmd, l, found)
	}
	if matches := found.Matches(); len(args) == 0 && len(matches) > 0 {
		if err := o.ask(a, cmd, policy.Clear, args, matches); err != nil {
			return err
		}
	}
	done, missing, err := found.Delete(cmd.Context(), o.reason, source)
	reply := mem.NewDeleteReply(nil, nil)
	reply.Missing = append(found.Missing(), missing...)
	for _, part := range done {
		for _, out := range part.Outcomes {
			reply.Deleted = append(reply.Deleted, out.Key)
			a.SayLayer(cmd, l, "deleted "+out.Key.Shown()+" in", part.Layer)
		}
	}
	if err != nil {
		return deleteError(err)
	}
	text := app.Memories(len(reply.Deleted)) + " forgotten"
	if err := a.Answer(cmd, reply, app.Report(text)); err != nil {
		return err
	}
	sayReplaced(a, cmd, l, reply.Deleted...)
	return app.NoIf(len(reply.Deleted) == 0, o.unknown.And(reply.Missing))
}

// dry lists what would go, and says what does not.
func (o *forgetOptions) dry(a *app.App, cmd *cobra.Command, l *layers.Layers,
	found *forget.Across) error {
	s, err := l.Reading()
	if err != nil {
		return err
	}
	all := found.Matches()
	if err := o.printSelected(a, cmd, all, s.Now()); err != nil {
		return err
	}
	return app.NoIf(len(all) == 0, o.unknown.And(found.Missing()))
}

// runPurge takes the selection out of the history.
func (o *forgetOptions) runPurge(a *app.App, cmd *cobra.Command, args []string) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	found, err := o.find(a, cmd, l, args, true)
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.dry(a, cmd, l, found)
	}
	if (forget.Selection{Text: o.which.text}).IsRevealedBy(o.reason) {
		return app.BadInput("--reason", "it stays, and contains text that is to be forgotten", "")
	}
	matches := found.Matches()
	waiting, err := found.InInbox()
	if err != nil {
		return err
	}
	if len(matches)+waiting == 0 && len(args) == 0 {
		return o.nothingEver(a, cmd, l, args)
	}
	if len(matches) > 0 {
		if err := o.unknown.And(found.Missing()); err != nil {
			return err // a misspelt key is noticed before anything is gone for good
		}
	}
	if err := o.ask(a, cmd, policy.Purge, args, matches); err != nil {
		return err
	}
	done, err := found.Purge(cmd.Context(), o.reason, o.noTrace)
	if err != nil {
		return deleteError(err)
	}
	if done.Versions+done.Inbox == 0 {
		return o.nothingEver(a, cmd, l, args)
	}
	for _, part := range done.Stores {
		sayReplaced(a, cmd, l, part.Keys...)
	}
	return cmp.Or(PrintPurged(a, cmd, done), done.Failed)
}

// PurgeSession takes a session and its records out of the history.
func PurgeSession(a *app.App, cmd *cobra.Command, id, reason string) error {
	o := &forgetOptions{purge: true, reason: reason}
	o.which.session = id
	return o.runPurge(a, cmd, nil)
}

// nothingEver says that there is nothing to purge, or no more.
func (o *forgetOptions) nothingEver(a *app.App, cmd *cobra.Command, l *layers.Layers,
	args []string) error {
	none := forget.Purged{Stores: []forget.PurgedStore{}}
	if err := a.Answer(cmd, none, app.Nothing); err != nil || !a.Explains() {
		return cmp.Or(err, app.ErrNo)
	}
	past, err := forget.PurgedBefore(cmd.Context(), l, a.Caller)
	if err != nil {
		return err
	}
	for _, arg := range args {
		what := "no version matches"
		if at, ok := past[arg]; ok {
			what = "it was purged on " + at.String()
		}
		a.Say(cmd, "nothing to purge: "+arg+": "+what)
	}
	if len(args) == 0 {
		a.Say(cmd, "nothing to purge: no version matches")
	}
	return app.ErrNo
}

// ask asks a person at a terminal. Elsewhere --yes is the answer.
func (o *forgetOptions) ask(a *app.App, cmd *cobra.Command, verb mem.Verb, args []string,
	matches []forget.Match) error {
	if !a.Yes && app.IsTerminal(cmd) {
		showMatches(cmd, matches)
	}
	question, no := "purge %s for good?", "nothing was purged"
	if !o.purge {
		question, no = "forget %s?", "nothing was forgotten"
	}
	var about []string
	for _, m := range matches {
		about = append(about, m.Layer+" "+m.Key+" "+m.TS.String())
	}
	question = fmt.Sprintf(question, app.Memories(max(len(matches), len(args))))
	err := a.Confirm(cmd, verb, question, about...)
	switch {
	case errors.Is(err, app.ErrNo):
		a.Say(cmd, no)
	case errors.Is(err, policy.ErrPerson) && !o.purge:
		return app.Hinted(err, advice.Say("name the keys, which --dry-run lists"))
	}
	return err
}

// showMatches lists on stderr the first memories that would go: stdout is for the result.
func showMatches(cmd *cobra.Command, matches []forget.Match) {
	w := cmd.ErrOrStderr()
	for _, m := range matches[:min(len(matches), app.MaxExamples)] {
		line := keypath.Show(m.Key)
		if m.Versions > 0 {
			line += " (" + app.Count(m.Versions, "version") + ")"
		}
		if place := m.Place(); place != "" {
			line += " in " + place + ":"
		}
		fmt.Fprintln(w, "  "+app.OneLine(line+" "+m.Summary))
	}
	if more := len(matches) - app.MaxExamples; more > 0 {
		fmt.Fprintf(w, "  ... and %d more: --dry-run lists them all\n", more)
	}
}
