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

// factsHere returns the facts that hooks propose for the stores here, and how many for others. An
// inbox that cannot be read has none.
func factsHere(a *app, l *mem.Layers) (list []inbox.Proposal, others int) {
	list, others, err := intake.Here(l, inboxOf(a))
	if err != nil || list == nil {
		list = []inbox.Proposal{}
	}
	return list, others
}

// printFact prints a proposed fact with its evidence.
func printFact(out io.Writer, p inbox.Proposal) error {
	where := "for " + cmp.Or(p.Project, "this store")
	if p.User {
		where = "about you"
	}
	seen := ""
	if n := len(p.Sessions); n > 1 {
		seen = fmt.Sprintf(", in %d conversations", n)
	}
	_, err := fmt.Fprintf(out, "%s %s %s (%s, %s%s)\n  new: %s\n", p.ID, p.Class, oneLine(where),
		p.Client, p.At, seen, contentLine([]byte(p.Text)))
	for _, line := range p.Evidence {
		_, err = fmt.Fprintf(out, "  saw: %s\n", contentLine([]byte(line)))
	}
	return err
}

// findFact returns the proposed fact of an id.
func findFact(a *app, l *mem.Layers, id string) (inbox.Proposal, error) {
	list, _ := factsHere(a, l)
	i := slices.IndexFunc(list, func(p inbox.Proposal) bool { return p.ID == id })
	if i < 0 {
		err := fmt.Errorf("%s: %w", id, inbox.ErrNoProposal)
		return inbox.Proposal{}, notWaiting(err)
	}
	return list[i], nil
}

func approveFact(a *app, cmd *cobra.Command, l *mem.Layers, id, text string) error {
	p, err := findFact(a, l, id)
	if err != nil {
		return err
	}
	if isTerminal(cmd) && !a.yes {
		_ = printFact(cmd.ErrOrStderr(), p)
	}
	if err := confirm(a, cmd, policy.Approve, "store this fact?"); err != nil {
		return err
	}
	reply, err := intake.Approve(cmd.Context(), l, caller, inboxOf(a), p, text)
	if errors.Is(err, policy.ErrLongNote) {
		shorter := advice.Run("approve", id, "--text", "TEXT").Then(" stores shorter words")
		return &hinted{err, shorter}
	}
	if err != nil {
		return err
	}
	return a.printReply(cmd, reply)
}

func rejectFact(a *app, cmd *cobra.Command, l *mem.Layers, id string) error {
	p, err := findFact(a, l, id)
	if err == nil {
		err = policy.CheckPerson(caller, policy.Reject)
	}
	if err == nil {
		err = inboxOf(a).Decide(p.ID)
	}
	if err != nil {
		return err
	}
	return a.answer(cmd, map[string]any{"ok": true, "id": p.ID}, p.ID+" is refused")
}

// decideAll approves or refuses all facts that are proposed for the stores here.
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
		_ = printWaiting(cmd.ErrOrStderr(), waiting{Facts: list})
	}
	question := strings.ToLower(verb.String()) + " " + count(len(list), "proposed fact") + "?"
	if err := confirm(a, cmd, policy.Approve, question); err != nil {
		return err
	}
	var ids []string
	for _, p := range list {
		if verb == policy.Approve {
			_, err = intake.Approve(cmd.Context(), l, caller, inboxOf(a), p, "")
		} else {
			err = inboxOf(a).Decide(p.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.ID, err)
		}
		ids = append(ids, p.ID)
	}
	return a.answer(cmd, map[string]any{"ok": true, "ids": ids}, count(len(ids), "proposed fact")+
		" decided")
}
