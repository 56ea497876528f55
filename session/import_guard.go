package session

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// Guard makes an operation that is not of this package keep to what sessions take: nothing new
// where one is closed (ErrClosed), and no more than fits (ErrFull, after a compaction). What the
// operation itself says of a session counts first: with a store comes what was in its sessions
// before they were closed. A session that is not there has only the common limit.
func Guard(op *mem.Operation) {
	g := &guard{op: op, told: map[string]bool{}}
	mem.Guard(op, g.check)
}

type guard struct {
	op   *mem.Operation
	told map[string]bool // sessions whose metadata the operation has written
}

// check judges an update by what it has written.
func (g *guard) check(ctx context.Context, tx *mem.Tx, written []mem.Checked) error {
	var ids []string
	own := map[string][]keypath.Key{}
	for _, p := range written {
		if string(p.Content()) == "null" {
			continue // what is in a closed session may be deleted
		}
		if p.Key().Class() == keypath.SessionInfo {
			g.told[idOf(p.Key())] = true
		}
		if _, in := p.Key().SizedBelow(); in {
			id := idOf(p.Key())
			if own[id] == nil {
				ids = append(ids, id)
			}
			own[id] = append(own[id], p.Key())
		}
	}
	for _, id := range ids {
		if err := g.checkOne(ctx, tx, id, own[id]); err != nil {
			return err
		}
	}
	return nil
}

// checkOne judges what an update has written to one session.
func (g *guard) checkOne(ctx context.Context, tx *mem.Tx, id string, own []keypath.Key) error {
	w, err := newWriter(ctx, g.op, id)
	if err != nil {
		return err
	}
	w.own = own
	w.session, err = load(ctx, tx, id)
	switch {
	case mem.KindOf(err) == mem.KindNo:
		return w.orphan(tx)
	case err != nil:
		return err
	}
	if err := w.session.writable(); err != nil && !(g.told[id] && isClosed(err)) {
		return err
	}
	w.rules.Own = w.session.Own
	return w.fit(tx, false)
}

// orphan judges the size of a session that is not there: nothing is compacted in it.
func (w *writer) orphan(tx *mem.Tx) (err error) {
	w.session = &Session{ID: w.id}
	if w.size, err = w.measure(tx); err == nil && w.size > w.rules.Limit() {
		err = &FullError{w.id, w.size, w.rules.Limit(), true}
	}
	return err
}
