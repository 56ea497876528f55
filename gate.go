package mem

import (
	"context"
	"errors"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// gates holds what an operation has written to gated keys (policy.Gate) to the rules: a closed or
// deleted session takes no record, and none takes more than fits. The zero gates is ready.
type gates struct {
	// brought are the sessions that came with the operation: each is as it was elsewhere, and the
	// records from before it was closed come with it.
	brought map[keypath.Key]bool
}

// arrivals returns the sessions among the writes of an update, and those in which it has put a live
// record. A record of a closed session may be deleted.
func arrivals(written []Checked) (sessions, below []keypath.Key) {
	seen := map[keypath.Key]bool{}
	for _, p := range written {
		gate, gated := policy.Gate(p.env.Key)
		switch {
		case !gated || !p.env.Valid():
		case gate == p.env.Key:
			sessions = append(sessions, gate)
		case !seen[gate]:
			seen[gate] = true
			below = append(below, gate)
		}
	}
	return sessions, below
}

// checkGates judges an update before it is stored. The guard of the operation runs before the sizes
// are judged, for it may make room.
func (op *Operation) checkGates(ctx context.Context, tx *Tx) error {
	if op.forced {
		return nil
	}
	var sessions, below []keypath.Key
	if !op.verb.TendsSessions() {
		sessions, below = arrivals(tx.written)
	}
	for _, key := range sessions {
		if err := op.checkSession(ctx, key); err != nil {
			return err
		}
	}
	heads := make([]policy.SessionHead, len(below))
	for i, key := range below {
		var err error
		if heads[i], err = op.checkOpen(ctx, tx, key); err != nil {
			return err
		}
	}
	if op.guard != nil {
		if err := op.guard(ctx, tx, tx.written); err != nil {
			return err
		}
	}
	for i, key := range below {
		if err := op.checkSize(ctx, tx, key, heads[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkSession judges the write of a session itself, by the state of the store before the update.
func (op *Operation) checkSession(ctx context.Context, key keypath.Key) error {
	if op.gates.brought[key] || !op.verb.Adds() {
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
	if op.gates.brought == nil {
		op.gates.brought = map[keypath.Key]bool{}
	}
	op.gates.brought[key] = true
	return nil
}

// checkDeleted refuses what belongs to a session that is gone and was there before.
func (op *Operation) checkDeleted(ctx context.Context, session keypath.Key) error {
	had, err := op.store.everHad(ctx, session)
	if err != nil || !had {
		return err
	}
	return policy.DeletedError(policy.SessionID(session))
}

// checkOpen judges new records of a session by the session's content, which it returns. A session
// that never was gates nothing but the size.
func (op *Operation) checkOpen(ctx context.Context, tx *Tx, session keypath.Key) (
	head policy.SessionHead, err error) {
	rec, found, err := tx.Get(ctx, session)
	switch {
	case err != nil:
		return head, err
	case !found || content.Expired(rec.Content, op.Now()):
		if op.verb.Adds() {
			err = op.checkDeleted(ctx, session)
		}
		return head, err
	}
	head = policy.ParseHead(rec.Content)
	err = head.CheckOpen(policy.SessionID(session))
	if !op.verb.Adds() && !op.verb.Restores() ||
		op.gates.brought[session] && errors.Is(err, policy.ErrClosed) {
		err = nil
	}
	return head, err
}

// checkSize refuses more than fits into a session.
func (op *Operation) checkSize(ctx context.Context, tx *Tx, session keypath.Key,
	head policy.SessionHead) error {
	conf, err := op.Config(ctx)
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
	if size, limit := head.Size(live, deleted), conf.Storage.Limit(); size > limit {
		return &policy.FullError{ID: policy.SessionID(session), Size: size, Limit: limit,
			Spent: head == policy.SessionHead{}} // of a session that is not there
	}
	return nil
}

// checkAppend refuses a write that would take the place of an append-only memory. The store
// is not asked about a key that was drawn, nor by an import, which has judged it by the history.
func (t *Tx) checkAppend(p Checked) error {
	if p.fresh || !policy.IsAppendOnly(p.env.Key.Class()) {
		return nil
	}
	rec, found, err := t.tx.Get(t.ctx, p.env.Key)
	if err != nil {
		return err
	}
	if !found {
		rec = log.Record{}
	}
	return policy.CheckAppend(p.env.Key, p.env.Content, rec.Content)
}
