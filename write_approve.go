package mem

import (
	"context"
	"errors"
	"fmt"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Waiting is a line that waits for a person's decision.
type Waiting struct {
	Rec log.Record // in quarantine; or a live memory, for which a person may stand
	Now log.Record // the live memory in whose place it would come; zero: none
}

// Shown returns the decision about what a person has seen here.
func (w *Waiting) Shown() Shown { return Shown{w.Rec.Key, w.Rec.TS, w.Now.TS} }

// Shown names what a person has seen of a decision by the times of its lines. The decision is about
// these, and about nothing that was written since.
type Shown struct {
	Key  keypath.Key // of the line that waits
	TS   log.Stamp   // of this line
	Over log.Stamp   // of the live memory in whose place it comes; 0: none is there
}

// String returns the key and the times.
func (w Shown) String() string { return fmt.Sprintf("%s %d %d", w.Key, w.TS, w.Over) }

// ApproveOptions are how something quarantined is approved.
type ApproveOptions struct {
	// Source is the new source; nil: it says that a user approved, and contains the original one.
	Source []byte
	Force  bool // also over a memory that was written later than the quarantined one
	// AllowSecrets is as in SetOptions.
	AllowSecrets []string
}

// Waiting returns the quarantined write of a key: of its place below /untrusted/, or of the key
// that it was written for. Of a key for which nothing is quarantined it returns the live memory.
func (s *Store) Waiting(ctx context.Context, c Caller, key keypath.Key) (w Waiting, err error) {
	place := key
	if !key.Untrusted() {
		if place, err = key.WithPrefix(keypath.Untrusted); err != nil {
			return w, err
		}
	}
	w.Rec, err = s.Get(ctx, c, place, true)
	if errors.Is(err, ErrNotFound) && place != key {
		w.Rec, err = s.Get(ctx, c, key, false)
		return w, err
	}
	target, bad := policy.Released(place)
	if err != nil || bad != nil { // it can be rejected all the same
		return w, err
	}
	if w.Now, err = s.Get(ctx, c, target, true); errors.Is(err, ErrNotFound) {
		w.Now, err = log.Record{}, nil
	}
	return w, err
}

// Approve moves a quarantined write that a person has seen to the key it was written for. A person
// stands for a live memory instead: it keeps its content, and if that claims to be a rule it is one
// now. The error is a *NotFoundError where the line is gone, or needs no decision. It is a
// *ConflictError, and wraps ErrUnseen, where that or the memory in whose place it comes is not what
// was shown; and a *ConflictError where this memory is later than the line, unless o.Force.
func (s *Store) Approve(ctx context.Context, c Caller, shown Shown, o ApproveOptions) (
	out Outcome, err error) {
	op, err := s.Begin(c, policy.Approve, o.AllowSecrets...)
	if err != nil {
		return out, err
	}
	rec, err := s.Get(ctx, c, shown.Key, shown.Key.Untrusted())
	if err == nil {
		err = checkSeen(shown.Key, rec, shown.TS)
	}
	if err == nil && !shown.Key.Untrusted() {
		return op.standFor(ctx, rec, shown, o.Source)
	}
	var p, gone Checked
	if err == nil {
		p, gone, err = op.release(ctx, rec, o.Source)
	}
	if err != nil {
		op.Failed(shown.Key, err)
		return out, err
	}
	written, err := op.update(ctx, func(t *Tx) error {
		now, err := t.CheckShown(ctx, shown, p.env.Key)
		if err == nil && !o.Force {
			err = checkOlder(now, rec, op.Now())
		}
		if err != nil {
			return err
		}
		return t.Put(p, gone)
	})
	if len(written) > 0 {
		p = written[0]
	}
	op.wrote(p, err)
	return p.outcome(s), err
}

// CheckShown refuses a decision about another line than a person has seen, or about a key that has
// another live memory than they have seen there, which it returns; a zero one stands for none. The
// error is a *ConflictError that wraps ErrUnseen.
func (t *Tx) CheckShown(ctx context.Context, shown Shown, over keypath.Key) (
	now log.Record, err error) {
	if _, err := t.getSeen(ctx, shown.Key, shown.TS); err != nil {
		return now, err
	}
	return t.getSeen(ctx, over, shown.Over)
}

// getSeen returns the live memory of a key, which has to be of the time that a person has seen.
func (t *Tx) getSeen(ctx context.Context, key keypath.Key, seen log.Stamp) (log.Record, error) {
	now, found, err := t.Get(ctx, key)
	if err != nil {
		return now, err
	}
	if !found {
		now = log.Record{}
	}
	return now, checkSeen(key, now, seen)
}

// checkSeen refuses a record of a key which is not of the time that a person has seen.
func checkSeen(key keypath.Key, now log.Record, seen log.Stamp) error {
	if now.TS == seen {
		return nil
	}
	return &ConflictError{Key: key, Newest: now, Why: ErrUnseen.Error()}
}

// checkOlder refuses to replace a live memory that was written after the quarantined record.
func checkOlder(now, rec log.Record, at log.Stamp) error {
	if now.TS == 0 || !now.Wins(rec) || content.Expired(now.Content, at) {
		return nil
	}
	return &ConflictError{Key: now.Key, Newest: now,
		Why: "written after the quarantined memory, which is of " + rec.TS.String()}
}

// standFor writes the live memory of a key anew with a person as its source, which keeps the one
// that it had. The error is a *NotFoundError where a person stands for it already.
func (op *Operation) standFor(ctx context.Context, rec log.Record, shown Shown, source []byte) (
	out Outcome, err error) {
	it := ItemOf(rec)
	switch {
	case source != nil:
	case op.IsRule(rec), !policy.ClaimsRule(&it) && !it.Fields.Pinned &&
		content.Origin(rec.Source) == "user":
		err = noneWaits(rec.Key)
		op.Failed(rec.Key, err)
		return out, err
	default:
		source = wrapSource(op.Source("user", "mem approve", "key", rec.Key.String()), rec.Source)
	}
	p, err := op.Check(ctx, Write{Key: rec.Key, Content: content.KeepTime(rec.Content, rec.TS),
		Source: source}, false)
	if err != nil {
		op.Failed(rec.Key, err)
		return out, err
	}
	return op.decide(ctx, shown, p)
}

// noneWaits returns the error of a key for which nothing is quarantined.
func noneWaits(key keypath.Key) error {
	place, err := key.WithPrefix(keypath.Untrusted)
	if err != nil {
		return err
	}
	return &NotFoundError{Key: place}
}

// decide stores one write, if the line that a person has seen is still there.
func (op *Operation) decide(ctx context.Context, shown Shown, p Checked) (out Outcome, err error) {
	written, err := op.Update(ctx, func(t *Tx) error {
		if _, err := t.getSeen(ctx, shown.Key, shown.TS); err != nil {
			return err
		}
		return t.Put(p)
	})
	if len(written) > 0 {
		out = written[0]
	}
	return out, err
}

// wrapSource returns a source that contains the one that a memory came with.
func wrapSource(source, original []byte) []byte {
	return fmt.Appendf(source[:len(source)-1], `,"given":%s}`, original)
}

// release checks a quarantined record as a write of the key that it was for, and the tombstone that
// takes its place in quarantine. The memory is as old as it was there.
func (op *Operation) release(ctx context.Context, rec log.Record, source []byte) (
	p, gone Checked, err error) {
	target, err := policy.Released(rec.Key)
	if err != nil {
		return p, gone, err
	}
	exempt := op.exempt
	if source == nil {
		source, exempt = op.approval(rec), exempt|policy.Approved
	}
	p, err = op.check(ctx, Write{Key: target, Content: content.KeepTime(rec.Content, rec.TS),
		Source: source}, false, exempt)
	if err != nil {
		return p, gone, err
	}
	gone, err = op.Tombstone(ctx, rec.Key, "user",
		op.Source("user", "mem approve", "key", target.String()))
	return p, gone, err
}

// Reject deletes a quarantined write, or a proposal, that a person has seen. The error is a
// *NotFoundError where it is gone, and a *ConflictError that wraps ErrUnseen where another one is
// in its place.
func (s *Store) Reject(ctx context.Context, c Caller, shown Shown) (out Outcome, err error) {
	op, err := s.Begin(c, policy.Reject)
	if err != nil {
		return out, err
	}
	if !shown.Key.Untrusted() {
		err = noneWaits(shown.Key)
	} else {
		_, err = s.Get(ctx, c, shown.Key, true)
	}
	var gone Checked
	if err == nil {
		gone, err = op.Tombstone(ctx, shown.Key, "user",
			op.Source("user", "mem reject", "key", shown.Key.String()))
	}
	if err != nil {
		op.Failed(shown.Key, err)
		return out, err
	}
	return op.decide(ctx, shown, gone)
}

// approval returns the source of an approval by a user, which contains the original one.
func (op *Operation) approval(rec log.Record) []byte {
	src := op.Source("user", "mem approve", "untrusted", rec.Key.String())
	if original, _ := policy.ParseQuarantine(rec.Source); original != nil {
		return wrapSource(src, original)
	}
	return src
}
