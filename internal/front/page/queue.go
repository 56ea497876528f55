package page

import (
	"cmp"
	"context"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/queue"
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
	found, err := queue.Writes(ctx, s, c)
	for _, f := range found {
		w := waiting{Rec: f.Rec, Now: f.Now}
		w.Given, w.Reason = policy.ParseQuarantine(f.Rec.Source)
		if w.For, err = policy.Released(f.Rec.Key); err != nil {
			return nil, err
		}
		w.Lines = edit.DiffLines(indented(f.Now.Content), indented(f.Rec.Content))
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b waiting) int { return cmp.Compare(b.Rec.TS, a.Rec.TS) })
	return list, err
}
