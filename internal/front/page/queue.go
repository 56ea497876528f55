package page

import (
	"cmp"
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// errChanged is returned where something else is there than the person was shown.
var errChanged = errors.New("it was written again since you looked")

// changedError is errChanged for one key.
type changedError struct{ Key keypath.Key }

func (e *changedError) Error() string { return e.Key.Shown() + ": " + errChanged.Error() }

// Is makes every changedError an errChanged, and a conflict.
func (e *changedError) Is(target error) bool {
	return target == errChanged || target == mem.ErrConflict
}

// Advice returns what to do.
func (e *changedError) Advice() advice.List { return advice.Say("look at its new content") }

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
			now.Content, rec.TS, rec.Content = p.Old, p.At, p.Content
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

// approveShown approves a write or a proposal of this ts (mem.Store.Approve, proposal.Approve).
// over is the ts of a later version that the person has seen and lets a write replace; 0: none. The
// error is a *changedError, or one of Approve.
func approveShown(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key,
	ts, over log.Stamp) (out mem.Outcome, err error) {
	if err := asShown(ctx, s, c, key, ts); err != nil {
		return out, err
	}
	if policy.IsProposal(key) {
		p, ok, err := proposal.Find(ctx, s, c, key.String())
		if err != nil || !ok {
			return out, cmp.Or[error](err, &changedError{key}) // it has expired
		}
		return proposal.Approve(ctx, s, c, p)
	}
	if over != 0 {
		released, err := policy.Released(key)
		if err == nil {
			err = asShown(ctx, s, c, released, over)
		}
		if err != nil {
			return out, err
		}
	}
	return s.Approve(ctx, c, key, mem.ApproveOptions{Force: over != 0})
}

// rejectShown is mem.Store.Reject of a write or a proposal of this ts. The error is a
// *changedError, or as there.
func rejectShown(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key,
	ts log.Stamp) (out mem.Outcome, err error) {
	if err := asShown(ctx, s, c, key, ts); err != nil {
		return out, err
	}
	return s.Reject(ctx, c, key)
}

// asShown refuses to decide about a write that is not what the person was shown.
func asShown(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key, ts log.Stamp) error {
	rec, err := s.Get(ctx, c, key, true)
	if err == nil && rec.TS != ts {
		err = &changedError{key}
	}
	return err
}
