package page

import (
	"cmp"
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// waiting is a quarantined write or a proposal, what it would replace, and how they differ.
type waiting struct {
	place
	For      keypath.Key // that it was written for
	Given    []byte      // the source that it came with
	Reason   string      // why that is not enough
	Rec, Now log.Record  // Now is zero where nothing is there
	Lines    []edit.DiffLine
	Asked    *proposal.Proposal // nil: it is a quarantined write
}

// IsLate reports whether the key was written after the waiting write.
func (w *waiting) IsLate() bool { return w.Now.TS > w.Rec.TS }

// findProposals finds the proposals of the stores in use that can be read.
func (v *visit) findProposals() {
	v.asked = nil
	for _, sh := range v.used() {
		list, _ := proposal.List(v.ctx(), sh.store, v.caller)
		for _, p := range list {
			locator := content.Member(p.Source, "locator")
			p.Session = cmp.Or(p.Session, jsontext.Unquote(content.Member(locator, "session")))
			now, rec := log.Record{}, log.Record{}
			now.TS, now.Content = p.Shown().Over, p.Old
			rec.TS, rec.Content = p.At, p.Content
			v.asked = append(v.asked, waiting{place: place{sh, p.Place()}, For: p.Key,
				Lines: edit.DiffLines(indented(p.Old), indented(p.Content)), Asked: &p,
				Rec: rec, Now: now})
		}
	}
}

// waitingIn returns the quarantined writes of a store, the newest first.
func waitingIn(ctx context.Context, s *mem.Store, c mem.Caller) (list []waiting, err error) {
	found, err := s.ListClass(ctx, c, keypath.Prefix{}, keypath.Quarantined)
	if err != nil {
		return nil, err
	}
	for _, rec := range found {
		if policy.IsProposal(rec.Key) {
			continue
		}
		w := waiting{Rec: rec}
		w.Given, w.Reason = policy.ParseQuarantine(rec.Source)
		if w.For, err = policy.Released(rec.Key); err != nil {
			return nil, err
		}
		now, err := s.Get(ctx, c, w.For, true)
		if err != nil && !errors.Is(err, mem.ErrNotFound) {
			return nil, err
		}
		if err == nil {
			w.Now = now.Clone()
		}
		w.Lines = edit.DiffLines(indented(w.Now.Content), indented(rec.Content))
		list = append(list, w)
	}
	return list, nil
}

// approveShown approves a write or a proposal that a person has seen, beside the memory in whose
// place it comes (mem.Store.Approve, proposal.Approve).
func approveShown(ctx context.Context, s *mem.Store, c mem.Caller, shown mem.Shown) (
	mem.Outcome, error) {
	if policy.IsProposal(shown.Key) {
		return proposal.Approve(ctx, s, c, shown)
	}
	return s.Approve(ctx, c, shown, mem.ApproveOptions{Force: true})
}
