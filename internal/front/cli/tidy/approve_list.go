package tidy

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/queue"
	"github.com/spf13/cobra"
)

// waiting is what a person has to decide on.
type waiting struct {
	Facts       []inbox.Proposal    `json:"facts"`
	Proposals   []proposal.Proposal `json:"proposals"`
	Quarantined []mem.Memory        `json:"quarantined"`
}

// listWaiting prints the proposals and the quarantined memories.
func listWaiting(a *app.App, cmd *cobra.Command) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	w := waiting{Proposals: []proposal.Proposal{}, Quarantined: []mem.Memory{}}
	var others int
	q := a.Queue(l)
	w.Facts, others = q.Facts(cmd.Context())
	items, err := q.OfStores(cmd.Context())
	if err != nil {
		return err
	}
	for _, it := range items {
		if it.Proposal != nil {
			w.Proposals = append(w.Proposals, *it.Proposal)
		} else {
			w.Quarantined = append(w.Quarantined, mem.MemoryOf(it.Write.Rec))
		}
	}
	if others > 0 {
		a.Mention(cmd, app.Count(others, "proposed fact")+
			" for other projects: mem approve lists them there")
	}
	if a.Talks() && policy.IsPerson(a.Caller) {
		if ended := q.Ended(cmd.Context()); ended != "" {
			a.Tell(cmd, "note", ended)
		}
	}
	if len(w.Facts)+len(w.Proposals)+len(w.Quarantined) == 0 {
		a.Mention(cmd, "nothing waits here")
	}
	if len(w.Facts) > 0 && a.Explains() {
		a.Advise(cmd, "hint", factAdvice(w.Facts[0]))
	}
	if len(w.Proposals) > 0 && a.Explains() {
		a.Advise(cmd, "hint", proposalAdvice(w.Proposals[0]))
	}
	print := app.Written(func(out io.Writer) error { return w.print(out) })
	return a.Answer(cmd, w, print)
}

// proposalAdvice returns how to decide on a proposed change.
func proposalAdvice(p proposal.Proposal) advice.List {
	reject := advice.Run("reject", p.ID)
	if p.IsGone() {
		return reject.Then(" ends it: its memory is deleted")
	}
	return advice.Run("approve", p.ID).Then(" accepts it").Also(reject.Then(" refuses it"))
}

// factAdvice returns how to decide on a proposed fact, or on a typed rule.
func factAdvice(p inbox.Proposal) advice.List {
	approve, reject := advice.Run("approve", p.ID), advice.Run("reject", p.ID)
	if p.Class == inbox.Rule {
		return approve.Then(" makes it a rule").Also(reject.Then(" leaves it a fact"))
	}
	return approve.Then(" stores it").Also(reject.Then(" refuses it")).
		Also(advice.Say("--text stores it in other words, --all takes all that waits"))
}

func (w *waiting) print(out io.Writer) error {
	for i := range w.Facts {
		if err := printFact(out, &w.Facts[i]); err != nil {
			return err
		}
	}
	for i := range w.Proposals {
		if err := printProposal(out, &w.Proposals[i]); err != nil {
			return err
		}
	}
	for _, m := range w.Quarantined {
		_, err := fmt.Fprintf(out, "%s %s\n", app.OneLine(m.Key.Shown()), app.OneLine(m.Summary))
		if err != nil {
			return err
		}
	}
	return nil
}

// printItem prints what a person decides on, with the memory in whose place it would come.
func printItem(out io.Writer, it *queue.Item) error {
	switch {
	case it.Fact != nil:
		return printFact(out, it.Fact)
	case it.Proposal != nil:
		return printProposal(out, it.Proposal)
	}
	rec, now := it.Write.Rec, it.Write.Now
	text := "  " + contentLine(rec.Content)
	if now.TS != 0 {
		text = "  now: " + contentLine(now.Content) + "\n  new: " + contentLine(rec.Content)
	}
	_, err := fmt.Fprintf(out, "%s\n%s\n", app.OneLine(rec.Key.Shown()), text)
	return err
}

func printProposal(out io.Writer, p *proposal.Proposal) error {
	where := ""
	if p.Layer != "" {
		where = " in the " + p.Layer + " layer"
	}
	_, err := fmt.Fprintf(out, "%s %s %s%s (%s, %s)\n  now: %s\n  new: %s\n", p.ID, p.Change,
		app.OneLine(p.Key.Shown()), where, app.OneLine(p.Client), app.ShownTime(out, p.At),
		contentLine(p.Old), contentLine(p.Content))
	return err
}

// printFact prints a proposed fact, and its evidence where that says more.
func printFact(out io.Writer, p *inbox.Proposal) error {
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
		where += ", a fact until " + queue.RuleID(*p) + " is pinned"
	}
	_, err := fmt.Fprintf(out, "%s %s (%s)\n  new: %s\n", p.ID,
		app.OneLine(p.Class+" "+where), app.OneLine(p.Client)+", "+app.ShownTime(out, p.At),
		contentLine([]byte(p.Text)))
	for _, line := range p.Evidence {
		if line != p.Text && err == nil {
			_, err = fmt.Fprintf(out, "  saw: %s\n", contentLine([]byte(line)))
		}
	}
	return err
}

// contentLine returns a content on one line, as it is stored: a person approves all of it.
func contentLine(raw []byte) string {
	if len(raw) == 0 || string(raw) == "null" {
		return "(none)"
	}
	return mem.MaskSecrets(app.OneLine(string(raw)))
}

// notWaiting adds to the error about a write that does not wait how to list those that do.
func notWaiting(err error) error {
	if errors.Is(err, mem.ErrNotFound) || errors.Is(err, inbox.ErrNoProposal) {
		return app.Hinted(err, listsWaiting())
	}
	return err
}

func listsWaiting() advice.List { return advice.Run("approve").Then(" lists what waits for you") }
