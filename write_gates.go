package mem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

// arrival is a session with the live records that an update has put into it.
type arrival struct {
	session keypath.Key
	records []keypath.Key
}

// arrivals returns the sessions among the writes of an update, and those in which it has put live
// records. A record of a closed session may be deleted.
func arrivals(written []Checked) (sessions []keypath.Key, below []arrival) {
	for _, p := range written {
		gate, gated := policy.Gate(p.env.Key)
		if !gated || !p.env.Valid() {
			continue
		}
		if gate == p.env.Key {
			sessions = append(sessions, gate)
			continue
		}
		i := slices.IndexFunc(below, func(a arrival) bool { return a.session == gate })
		if i < 0 {
			i, below = len(below), append(below, arrival{session: gate})
		}
		below[i].records = append(below[i].records, p.env.Key)
	}
	return sessions, below
}

// checkGates judges an update before it is stored. The guard of the operation runs before the sizes
// are judged, for it may make room.
func (op *Operation) checkGates(ctx context.Context, tx *Tx) error {
	if err := op.checkLeft(ctx, tx); err != nil {
		return err
	}
	var sessions []keypath.Key
	var below []arrival
	if !op.verb.TendsSessions() {
		sessions, below = arrivals(tx.written)
	}
	if op.isForced() {
		if err := op.tend(ctx, tx, below); KindOf(err) != KindRefused {
			return err
		}
		return nil
	}
	for _, key := range sessions {
		if err := op.checkSession(ctx, key); err != nil {
			return err
		}
	}
	heads := make([]policy.SessionHead, len(below))
	for i, a := range below {
		var err error
		if heads[i], err = op.checkOpen(ctx, tx, a); err != nil {
			return err
		}
	}
	if err := op.tend(ctx, tx, below); err != nil {
		return err
	}
	for i, a := range below {
		if err := op.checkSize(ctx, tx, a.session, heads[i]); err != nil {
			return err
		}
	}
	return nil
}

// tend lets the guard look after the sessions that the update has written to. The guard may write
// there what no other operation writes, and nothing else: a session itself, and tombstones.
func (op *Operation) tend(ctx context.Context, tx *Tx, below []arrival) error {
	if op.guard == nil {
		return nil
	}
	before := len(tx.written)
	op.exempt |= policy.Tending
	err := op.guard(ctx, tx, tx.written)
	op.exempt &^= policy.Tending
	if err != nil {
		return err
	}
	for _, p := range tx.written[before:] {
		gate, gated := policy.Gate(p.env.Key)
		if !gated || gate != p.env.Key && p.env.Valid() ||
			!slices.ContainsFunc(below, func(a arrival) bool { return a.session == gate }) {
			return fmt.Errorf("%s: %w: a guard keeps to the sessions of its update",
				p.env.Key.Shown(), policy.ErrReserved)
		}
	}
	return nil
}

// checkSession judges the write of a session itself, by the state of the store before the update.
func (op *Operation) checkSession(ctx context.Context, key keypath.Key) error {
	if op.brought[key] || !op.verb.Adds() {
		return nil
	}
	before, err := op.store.Get(ctx, Caller{}, key, true)
	switch {
	case err == nil:
		if head := policy.ParseHead(before.Content); head.Closed != 0 {
			return head.CheckOpen(policy.SessionID(key))
		}
		return nil
	case !errors.Is(err, ErrNotFound):
		return err
	}
	if err := op.checkDeleted(ctx, key); err != nil {
		return err
	}
	if op.brought == nil {
		op.brought = map[keypath.Key]bool{}
	}
	op.brought[key] = true
	return nil
}

// checkDeleted refuses a record of a session that is gone and was there before.
func (op *Operation) checkDeleted(ctx context.Context, session keypath.Key) error {
	had, err := op.store.everHad(ctx, session)
	if err != nil || !had {
		return err
	}
	return policy.DeletedError(policy.SessionID(session))
}

// checkOpen judges new records of a session by the session's content, which it returns. A session
// that never was gates nothing but the size.
func (op *Operation) checkOpen(ctx context.Context, tx *Tx, a arrival) (
	head policy.SessionHead, err error) {
	rec, found, err := tx.Get(ctx, a.session)
	switch {
	case err != nil:
		return head, err
	case !found || content.Expired(rec.Content, op.Now()):
		if !op.verb.Restores() {
			err = op.checkDeleted(ctx, a.session)
		}
	default:
		head = policy.ParseHead(rec.Content)
		err = head.CheckOpen(policy.SessionID(a.session))
	}
	switch {
	case err == nil, op.brought[a.session] && errors.Is(err, policy.ErrClosed):
		return head, nil
	case op.verb.Adds() || op.verb.Restores():
		return head, err
	}
	return head, op.unlessChanged(ctx, a.records, err)
}

// everHad reports whether a store ever held a key.
func (s *Store) everHad(ctx context.Context, key keypath.Key) (bool, error) {
	versions, err := s.backend.Versions(ctx, key)
	if err != nil || versions.Rows == nil {
		return false, err
	}
	for range versions.Rows {
		break // the end closes the opened files
	}
	return versions.Count > 0, nil
}

// unlessChanged returns a refusal of new records, unless all of them were live before the update:
// what a closed session has may change.
func (op *Operation) unlessChanged(ctx context.Context, records []keypath.Key,
	refusal error) error {
	for _, key := range records {
		_, was, err := op.store.backend.Get(ctx, key)
		if err != nil || !was {
			return cmp.Or(err, refusal)
		}
	}
	return nil
}

// checkSize refuses more than fits into a session.
func (op *Operation) checkSize(ctx context.Context, tx *Tx, session keypath.Key,
	head policy.SessionHead) error {
	conf, err := op.known(ctx)
	if err != nil {
		return err
	}
	prefix, err := keypath.ParsePrefix(session.String())
	if err != nil {
		return err
	}
	live, deleted, err := tx.Size(ctx, prefix)
	if err != nil {
		return err
	}
	size := head.Size(live, deleted)
	if size > conf.Storage.Limit() {
		conf, err = op.Config(ctx) // before it is refused by an old one
	}
	if err != nil {
		return err
	}
	if limit := conf.Storage.Limit(); size > limit {
		return &policy.FullError{ID: policy.SessionID(session), Size: size, Limit: limit,
			Spent: head == policy.SessionHead{}} // of a session that is not there
	}
	return nil
}

// checkLeft refuses to delete a session, as a tombstone that was imported does, where a memory
// stays below it that the caller may not delete: no verb of sessions would find that.
func (op *Operation) checkLeft(ctx context.Context, tx *Tx) error {
	if policy.IsPerson(op.caller) {
		return nil
	}
	for _, p := range tx.written {
		if p.env.Valid() || p.env.Key.Class() != keypath.SessionInfo {
			continue
		}
		below, err := keypath.ParsePrefix(p.env.Key.String())
		if err != nil {
			return err
		}
		for rec, err := range tx.ScanBelow(ctx, below) {
			if err = cmp.Or(err, op.MayChange(rec)); err != nil {
				return err
			}
		}
	}
	return nil
}
