package session

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tend makes an operation of another view look after the sessions that it writes to: it compacts
// one that is nearly full, and marks one that got its first record of an older version as one to be
// migrated. The rules of sessions do not depend on it: the Store refuses what a session does not
// take (package policy), tended or not.
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
	old bool // a record of an older version is among them
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
		by[id].old = by[id].old || isOld(log.Record{Envelope: log.Envelope{Key: p.Key(),
			Content: p.Content()}})
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
	if mem.KindOf(err) == mem.KindNo {
		return nil // nothing is compacted in a session that is not there
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
	return w.fit(tx, false)
}
