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

// ApproveOptions are how something quarantined is approved.
type ApproveOptions struct {
	// Source is the new source; nil: it says that a user approved, and contains the original one.
	Source []byte
	Force  bool // also over a memory that was written since
	// Shown is the time of the line that the person has seen; 0: of any.
	Shown log.Stamp
	// AllowSecrets is as in SetOptions.
	AllowSecrets []string
}

// Approve moves a write quarantined under /untrusted/ to the key it was written for. key is either
// of the two. Where nothing waits for a decision, a person stands for the live memory of the key
// instead: it keeps its content, and if that claims to be a rule it is one now. Where that key has
// a live memory that was written later the error is a *ConflictError, unless o.Force: a trusted,
// newer memory is not replaced unseen.
func (s *Store) Approve(ctx context.Context, c Caller, key keypath.Key, o ApproveOptions) (
	out Outcome, err error) {
	op, err := s.Begin(c, policy.Approve, o.AllowSecrets...)
	if err != nil {
		return out, err
	}
	place, rec, err := s.quarantined(ctx, c, key)
	if errors.Is(err, ErrNotFound) && place != key {
		return op.standFor(ctx, place, key, o)
	}
	if err == nil {
		err = o.checkShown(rec)
	}
	if err != nil {
		return out, err
	}
	p, err := op.release(ctx, place, rec, o.Source)
	if err != nil {
		return out, err
	}
	written, err := op.update(ctx, func(t *Tx) error {
		if !o.Force {
			if err := stillOlder(ctx, t, p.env.Key, rec, op.Now()); err != nil {
				return err
			}
		}
		return op.move(ctx, t, p, rec)
	})
	if len(written) > 0 {
		p = written[0]
	}
	op.wrote(p, err)
	return p.outcome(s), err
}

// checkShown refuses a line that is not the one that the person has seen.
func (o ApproveOptions) checkShown(rec log.Record) error {
	if o.Shown == 0 || o.Shown == rec.TS {
		return nil
	}
	return &ConflictError{Key: rec.Key, Newest: rec, Why: "written since it was shown"}
}

// standFor writes the live memory of a key anew with a person as its source, which keeps the one
// that it had. The error is a *NotFoundError of the place in quarantine where a person stands for
// it already.
func (op *Operation) standFor(ctx context.Context, place, key keypath.Key, o ApproveOptions) (
	out Outcome, err error) {
	source := o.Source
	rec, err := op.store.Get(ctx, op.caller, key, false)
	if err == nil {
		err = o.checkShown(rec)
	}
	if err != nil {
		return out, err
	}
	it := ItemOf(rec)
	switch {
	case source != nil:
	case op.IsRule(ctx, rec), !policy.ClaimsRule(&it) && content.Origin(rec.Source) == "user":
		return out, &NotFoundError{Key: place} // nothing waits for a decision
	default:
		source = wrapSource(op.Source("user", "mem approve", "key", key.String()), rec.Source)
	}
	p, err := op.Check(ctx, Write{Key: key, Content: content.KeepTime(rec.Content, rec.TS),
		Source: source}, false)
	if err != nil {
		op.Failed(key, err)
		return out, err
	}
	written, err := op.Update(ctx, func(t *Tx) error {
		now, found, err := t.Get(ctx, key)
		if err == nil && (!found || now.TS != rec.TS) {
			err = &ConflictError{Key: key, Newest: now}
		}
		if err != nil {
			return err
		}
		return t.Put(p)
	})
	for _, out := range written {
		return out, err
	}
	return out, err
}

// wrapSource returns a source that contains the one that a memory came with.
func wrapSource(source, original []byte) []byte {
	return fmt.Appendf(source[:len(source)-1], `,"given":%s}`, original)
}

// release checks a quarantined record as a write of the key that it was for. The memory is as old
// as it was in quarantine.
func (op *Operation) release(ctx context.Context, place keypath.Key, rec log.Record,
	source []byte) (p Checked, err error) {
	target, err := policy.Released(place)
	if err != nil {
		return p, err
	}
	exempt := op.exempt
	if source == nil {
		source, exempt = op.approval(place, rec), exempt|policy.Approved
	}
	return op.check(ctx, Write{Key: target, Content: content.KeepTime(rec.Content, rec.TS),
		Source: source}, false, exempt)
}

// Reject deletes a quarantined write. key is either of the two.
func (s *Store) Reject(ctx context.Context, c Caller, key keypath.Key) (Outcome, error) {
	place, _, err := s.quarantined(ctx, c, key)
	if err != nil {
		return Outcome{}, err
	}
	op, err := s.Begin(c, policy.Reject)
	if err != nil {
		return Outcome{}, err
	}
	deleted, _, err := op.Delete(ctx, "user", []keypath.Key{place},
		op.Source("user", "mem reject", "key", place.String()))
	switch {
	case err != nil:
		return Outcome{}, err
	case len(deleted) == 0:
		return Outcome{}, &NotFoundError{Key: place}
	}
	return deleted[0], nil
}

// quarantined finds the quarantined record of a key.
func (s *Store) quarantined(ctx context.Context, c Caller, key keypath.Key) (
	keypath.Key, log.Record, error) {
	if !key.Untrusted() {
		var err error
		if key, err = key.WithPrefix(keypath.Untrusted); err != nil {
			return key, log.Record{}, err
		}
	}
	rec, err := s.Get(ctx, c, key, true)
	return key, rec, err
}

// stillOlder checks that the key has no live memory that was written after the quarantined record.
func stillOlder(ctx context.Context, t *Tx, key keypath.Key, rec log.Record,
	now log.Stamp) error {
	have, found, err := t.Get(ctx, key)
	if err != nil || !found || !have.Wins(rec) || content.Expired(have.Content, now) {
		return err
	}
	return &ConflictError{Key: key, Newest: have,
		Why: "written after the quarantined memory, which is of " + rec.TS.String()}
}

// move stores the approved write and the tombstone of its place in quarantine with one append.
func (op *Operation) move(ctx context.Context, t *Tx, p Checked, was log.Record) error {
	now, found, err := t.Get(ctx, was.Key)
	if err != nil {
		return err
	}
	if !found || now.TS != was.TS {
		return &ConflictError{Key: was.Key, Newest: now}
	}
	gone, err := op.Tombstone(ctx, was.Key, "user",
		op.Source("user", "mem approve", "key", p.env.Key.String()))
	if err != nil {
		return err
	}
	return t.Put(p, gone)
}

// approval returns the source of an approval by a user, which contains the original one.
func (op *Operation) approval(place keypath.Key, rec log.Record) []byte {
	src := op.Source("user", "mem approve", "untrusted", place.String())
	if original, _ := policy.ParseQuarantine(rec.Source); original != nil {
		return wrapSource(src, original)
	}
	return src
}
