package mem

import (
	"context"
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
	// AllowSecrets is as in SetOptions.
	AllowSecrets []string
}

// Approve moves what was quarantined under /untrusted/ to the key it was written for (M-18). key is
// either of the two. Where that key has a live memory that was written later the error is a
// *ConflictError, unless o.Force: what is trusted and newer is not replaced unseen.
func (s *Store) Approve(ctx context.Context, c Caller, key keypath.Key, o ApproveOptions) (
	out Outcome, err error) {
	op, err := s.Begin(c, policy.Approve, o.AllowSecrets...)
	if err != nil {
		return out, err
	}
	place, rec, err := s.quarantined(ctx, c, key)
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

// release checks a quarantined record as a write of the key that it was for. The memory is as old
// as it was in quarantine.
func (op *Operation) release(ctx context.Context, place keypath.Key, rec log.Record,
	source []byte) (p Checked, err error) {
	target, err := policy.Released(place)
	if err != nil {
		return p, err
	}
	text := content.KeepTime(rec.Content, rec.TS)
	if source != nil {
		return op.Check(ctx, Write{Key: target, Content: text, Source: source}, false)
	}
	p.env = log.Envelope{Key: target, Content: text, Source: op.approval(place, rec)}
	if err := policy.CheckSecrets(p.env.Key, p.env.Content, p.env.Source, op.allowed); err != nil {
		return p, err
	}
	err = op.admit(ctx, &p, false)
	return p, err
}

// Reject deletes what was quarantined. key is either of the two.
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
		Why: "written after what is to be approved, which is of " + rec.TS.String()}
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
	source := op.Source("user", "mem approve", "key", p.env.Key.String())
	gone := Checked{passed: true,
		env: log.Envelope{Key: was.Key, Source: source, Content: []byte("null")}}
	return t.Put(p, gone)
}

// approval returns the source of an approval by a user, which contains the original one.
func (op *Operation) approval(place keypath.Key, rec log.Record) []byte {
	src := op.Source("user", "mem approve", "untrusted", place.String())
	given, _ := policy.Given(rec.Source)
	if given == nil {
		return src
	}
	return fmt.Appendf(src[:len(src)-1], `,"given":%s}`, given)
}
