package session

import (
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tend makes an operation of another view look after the sessions that it writes to: it compacts
// one that is nearly full, and marks one that got a record without a version, so that the next
// write of a verb of sessions reads the records. The rules of sessions do not depend on it: the
// Store refuses what a session does not take (package policy), tended or not.
func Tend(op *mem.Operation) {
	if op.Verb().TendsSessions() || op.Verb() == policy.Remember {
		return
	}
	op.Guard(func(ctx context.Context, tx *mem.Tx, written []mem.Checked) error {
		return tend(ctx, op, tx, written)
	})
}

// arrived is what an update has written to one session.
type arrived struct {
	own []keypath.Key
	old bool // a record without a version is among them
}

func tend(ctx context.Context, op *mem.Operation, tx *mem.Tx, written []mem.Checked) error {
	var ids []string
	by := map[string]*arrived{}
	for _, p := range written {
		if _, in := p.Key().SizedBelow(); !in || string(p.Content()) == "null" {
			continue
		}
		id := idOf(p.Key())
		if by[id] == nil {
			ids, by[id] = append(ids, id), &arrived{}
		}
		by[id].own = append(by[id].own, p.Key())
		by[id].old = by[id].old || policy.IsUnversioned(log.Record{
			Envelope: log.Envelope{Key: p.Key(), Content: p.Content()}})
	}
	for _, id := range ids {
		if err := tendOne(ctx, op, tx, id, by[id]); err != nil {
			return err
		}
	}
	return nil
}

func tendOne(ctx context.Context, op *mem.Operation, tx *mem.Tx, id string, a *arrived) error {
	w, err := newWriter(ctx, op, id)
	if err != nil {
		return err
	}
	w.own = a.own
	w.session, err = load(ctx, tx, id, op.Now())
	if mem.KindOf(err) == mem.KindNo || errors.Is(err, ErrUnversioned) {
		return nil // nothing is compacted in a session that is not there, or is no verb's to change
	}
	if err != nil {
		return err
	}
	w.rules = w.session.Rules(w.conf)
	if a.old && w.session.Entries >= Version {
		w.session.Entries = 0
		if err := w.save(tx); err != nil {
			return err
		}
	}
	return w.fit(tx)
}
