package tidy

import (
	"errors"
	"fmt"
	"io"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
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
	w.Facts, others = a.FactsHere(cmd.Context(), l)
	found, err := a.ProposalsIn(cmd.Context(), l)
	if err != nil {
		return err
	}
	w.Proposals = append(w.Proposals, found...)
	untrusted, err := keypath.ParsePrefix(keypath.Untrusted)
	if err != nil {
		return err
	}
	reads, err := l.Reading()
	if err != nil {
		return err
	}
	filter := mem.Filter{Prefix: untrusted}
	err = reads.List(cmd.Context(), a.Caller, filter, func(rec log.Record) error {
		if !policy.IsProposal(rec.Key) {
			w.Quarantined = append(w.Quarantined, mem.MemoryOf(rec))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if others > 0 {
		a.Mention(cmd, app.Count(others, "proposed fact")+
			" for other projects: mem approve lists them there")
	}
	if a.Talks() && policy.IsPerson(a.Caller) {
		if ended := a.RulesEnded(cmd.Context(), l); ended != "" {
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
	print := app.Written(func(out io.Writer) error { return printWaiting(a, cmd, out, w) })
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

func printWaiting(a *app.App, cmd *cobra.Command, out io.Writer, w waiting) (err error) {
	for _, p := range w.Facts {
		err = printFact(a, cmd, out, p)
	}
	for _, p := range w.Proposals {
		where := ""
		if p.Layer != "" {
			where = " in the " + p.Layer + " layer"
		}
		_, err = fmt.Fprintf(out, "%s %s %s%s (%s, %s)\n  now: %s\n  new: %s\n", p.ID, p.Change,
			app.OneLine(p.Key.Shown()), where, app.OneLine(p.Client), app.ShownTime(out, p.At),
			contentLine(p.Old), contentLine(p.Content))
	}
	for _, m := range w.Quarantined {
		_, err = fmt.Fprintf(out, "%s %s\n", app.OneLine(m.Key.Shown()), app.OneLine(m.Summary))
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

// findProposal returns the proposal that an argument names, and its store; a nil store for none.
func findProposal(a *app.App, cmd *cobra.Command, l *layers.Layers, arg string) (
	p proposal.Proposal, s *mem.Store, err error) {
	for _, site := range l.Sites.List() {
		if s, err = l.Open(site); err != nil {
			return p, nil, err
		}
		if p, ok, err := proposal.Find(cmd.Context(), s, a.Caller, arg); ok || err != nil {
			p.Layer = site.Layer
			return p, s, err
		}
	}
	return p, nil, nil
}

// notWaiting adds to the error about a write that does not wait how to list those that do.
func notWaiting(err error) error {
	if errors.Is(err, mem.ErrNotFound) || errors.Is(err, inbox.ErrNoProposal) {
		return app.Hinted(err, listsWaiting())
	}
	return err
}

func listsWaiting() advice.List { return advice.Run("approve").Then(" lists what waits for you") }

func approveProposal(a *app.App, cmd *cobra.Command, s *mem.Store, p proposal.Proposal) error {
	if app.IsTerminal(cmd) && !a.Yes {
		_ = printWaiting(a, cmd, cmd.ErrOrStderr(), waiting{Proposals: []proposal.Proposal{p}})
	}
	shown := p.Shown()
	err := a.Confirm(cmd, policy.Approve, "make this change?", shown.String())
	if err != nil {
		return err
	}
	out, err := proposal.Approve(cmd.Context(), s, a.Caller, shown)
	var lost *mem.ConflictError
	if errors.As(err, &lost) && !errors.Is(err, mem.ErrUnseen) {
		do := advice.Run("reject", p.ID).Then(" removes the proposal")
		if !lost.Newest.Key.IsZero() {
			do = advice.Say("the newer version is on stdout").Also(do)
		}
		return app.Hinted(err, do)
	}
	if err != nil {
		return err
	}
	sayApproved(a, cmd, s, out.Key)
	return a.PrintOutcome(cmd, out)
}
