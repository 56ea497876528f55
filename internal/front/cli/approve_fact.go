package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/spf13/cobra"
)

// printFact prints a proposed fact, and its evidence where that says more.
func printFact(a *app, cmd *cobra.Command, out io.Writer, p inbox.Proposal) error {
	where := "for " + cmp.Or(p.Project, "this store")
	if p.User {
		where = "about you"
	}
	if n := len(p.Sessions); n > 1 {
		where += fmt.Sprintf(", in %d conversations", n)
	}
	if p.Key != "" {
		where += ", as " + p.Key
	}
	_, err := fmt.Fprintf(out, "%s %s (%s)\n  new: %s\n", p.ID,
		oneLine(p.Class+" "+where), oneLine(p.Client)+", "+shownTime(out, p.At),
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

// findFact returns the proposed fact of an id.
func findFact(a *app, l *mem.Layers, id string) (inbox.Proposal, error) {
	list, _ := factsHere(a, l)
	id = strings.ToLower(id)
	i := slices.IndexFunc(list, func(p inbox.Proposal) bool { return p.ID == id })
	if i < 0 {
		return inbox.Proposal{}, notWaiting(fmt.Errorf("%s: %w", oneLine(id), inbox.ErrNoProposal))
	}
	return list[i], nil
}

func approveFact(a *app, cmd *cobra.Command, l *mem.Layers, id, text string) error {
	p, err := findFact(a, l, id)
	if err != nil {
		return err
	}
	if isTerminal(cmd) && !a.yes {
		shown := p
		shown.Text = cmp.Or(text, p.Text)
		_ = printFact(a, cmd, cmd.ErrOrStderr(), shown)
	}
	if err := confirm(a, cmd, policy.Approve, "store this fact?"); err != nil {
		return err
	}
	stored, err := intake.Approve(cmd.Context(), l, caller, inboxOf(a), p, text)
	if errors.Is(err, policy.ErrLongNote) {
		shorter := advice.Run("approve", p.ID, "--text", "TEXT").Then(" stores shorter words")
		return hinted(err, shorter)
	}
	if err != nil {
		return err
	}
	return a.printReply(cmd, stored.NoteReply)
}

func rejectFact(a *app, cmd *cobra.Command, l *mem.Layers, id string) error {
	p, err := findFact(a, l, id)
	if err == nil {
		err = intake.Reject(caller, inboxOf(a), p)
	}
	if err != nil {
		return err
	}
	return a.answer(cmd, map[string]any{"ok": true, "id": p.ID}, report(p.ID+" is rejected"))
}

// decideAll approves or rejects all facts that are proposed for the stores here.
func decideAll(a *app, cmd *cobra.Command, verb mem.Verb) error {
	l, err := a.open(cmd)
	if err != nil {
		return err
	}
	list, _ := factsHere(a, l)
	if len(list) == 0 {
		say(a, cmd, "no fact is proposed here")
		return errNo
	}
	if isTerminal(cmd) && !a.yes {
		_ = printWaiting(a, cmd, cmd.ErrOrStderr(), waiting{Facts: list})
	}
	facts := count(len(list), "proposed fact")
	if err := confirm(a, cmd, policy.Approve, verb.String()+" "+facts+"?"); err != nil {
		return err
	}
	var ids []string
	for _, p := range list {
		id := p.ID
		if verb == policy.Approve {
			var stored intake.Stored
			stored, err = intake.Approve(cmd.Context(), l, caller, inboxOf(a), p, "")
			id = stored.ID
		} else {
			err = intake.Reject(caller, inboxOf(a), p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.ID, err)
		}
		ids = append(ids, id)
	}
	did := map[bool]string{true: "stored: ", false: "rejected: "}[verb == policy.Approve]
	return a.answer(cmd, map[string]any{"ok": true, "ids": ids}, report(did+strings.Join(ids, " ")))
}
