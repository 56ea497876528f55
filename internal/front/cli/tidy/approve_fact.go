package tidy

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

// printFact prints a proposed fact, and its evidence where that says more.
func printFact(a *app.App, cmd *cobra.Command, out io.Writer, p inbox.Proposal) error {
	where := "for " + cmp.Or(p.Project, "this store")
	if p.User {
		where = "about you"
	}
	if n := len(p.Sessions); n > 1 {
		where += fmt.Sprintf(", in %d conversations", n)
	}
	switch {
	case p.Key != "":
		where += ", as " + p.Key
	case p.Class == inbox.Rule:
		where += ", a fact until " + app.RuleID(p) + " is pinned"
	}
	_, err := fmt.Fprintf(out, "%s %s (%s)\n  new: %s\n", p.ID,
		app.OneLine(p.Class+" "+where), app.OneLine(p.Client)+", "+app.ShownTime(out, p.At),
		contentLine([]byte(p.Text)))
	for _, line := range p.Evidence {
		if line != p.Text {
			_, err = fmt.Fprintf(out, "  saw: %s\n", contentLine([]byte(line)))
		}
	}
	return err
}

// isFactID reports whether an argument is meant as the id of a proposed fact.
func isFactID(arg string) bool { return strings.HasPrefix(strings.ToLower(arg), "c-") }

func findFact(a *app.App, cmd *cobra.Command, l *layers.Layers, id string) (
	inbox.Proposal, error) {
	list, _ := a.FactsHere(cmd.Context(), l)
	id = strings.ToLower(id)
	i := slices.IndexFunc(list, func(p inbox.Proposal) bool { return p.ID == id })
	if i < 0 {
		return inbox.Proposal{}, notWaiting(fmt.Errorf("%s: %w",
			app.OneLine(id), inbox.ErrNoProposal))
	}
	return list[i], nil
}

func approveFact(a *app.App, cmd *cobra.Command, l *layers.Layers, id, text string) error {
	p, err := findFact(a, cmd, l, id)
	if err != nil {
		return err
	}
	if app.IsTerminal(cmd) && !a.Yes {
		shown := p
		shown.Text = cmp.Or(text, p.Text)
		_ = printFact(a, cmd, cmd.ErrOrStderr(), shown)
	}
	question := "store this fact?"
	if p.Class == inbox.Rule {
		question = "make it a rule of yours?"
	}
	if err := a.Confirm(cmd, policy.Approve, question); err != nil {
		return err
	}
	stored, err := intake.Approve(cmd.Context(), l, a.Caller, a.Inbox(), p, text)
	if errors.Is(err, policy.ErrLongNote) {
		shorter := advice.Run("approve", p.ID, "--text", "TEXT").Then(" stores shorter words")
		return app.Hinted(err, shorter)
	}
	if err != nil {
		return err
	}
	if s, err := l.Open(stored.Site); err == nil {
		sayApproved(a, cmd, s, stored.Outcome.Key)
	}
	return a.PrintReply(cmd, stored.NoteReply)
}

func rejectFact(a *app.App, cmd *cobra.Command, l *layers.Layers, id string) error {
	p, err := findFact(a, cmd, l, id)
	if err == nil {
		err = intake.Reject(a.Caller, a.Inbox(), p)
	}
	if err != nil {
		return err
	}
	if a.Explains() {
		again := advice.Run("note", p.Text).Then(" stores it all the same")
		if p.Class == inbox.Rule {
			again = advice.Say(app.RuleID(p) + " stays a fact").Also(
				advice.Run("pin", app.RuleID(p)).Then(" makes it a rule all the same"))
		}
		a.Advise(cmd, "hint", again)
	}
	return a.Answer(cmd, map[string]any{"ok": true, "id": p.ID},
		app.Report("rejected "+p.ID+": "+contentLine([]byte(p.Text))))
}
