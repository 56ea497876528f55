package session

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// ownVerbs keep to the rules of sessions themselves.
var ownVerbs = []string{"remember", "session", "migrate"}

// adding are the other verbs that bring a record into a session, and not another version of one.
var adding = []string{"import", "approve", "move", "undo", "set"}

// Guard makes an operation of another verb keep to what sessions take (mem.Guard): no record where
// one is closed (ErrClosed) or was deleted (ErrDeleted), and no more than fits (ErrFull, after a
// compaction). An undo brings back what was deleted. Where an operation brings the session itself
// it brings what was in it before it was closed, too. A session that never was has only the common
// limit. The first record of an older version makes the session one that is to be migrated.
func Guard(op *mem.Operation) {
	if slices.Contains(ownVerbs, op.Verb()) {
		return
	}
	g := &guard{op: op, made: map[string]bool{}}
	op.Guard(g.check)
}

type guard struct {
	op   *mem.Operation
	made map[string]bool // sessions that the operation has brought
}

// adds reports whether the operation brings what was not there before; an undo only brings it back.
func (g *guard) adds() bool {
	verb := g.op.Verb()
	return slices.Contains(adding, verb) && verb != "undo"
}

// arrived is what an update has written to one session.
type arrived struct {
	own []keypath.Key
	old bool // a record of an older version is among them
}

// check judges an update by what it has written.
func (g *guard) check(ctx context.Context, tx *mem.Tx, written []mem.Checked) error {
	var ids []string
	by := map[string]*arrived{}
	for _, p := range written {
		if string(p.Content()) == "null" {
			continue // what is in a closed session may be deleted
		}
		if p.Key().Class() == keypath.SessionInfo {
			if err := g.head(ctx, p); err != nil {
				return err
			}
		}
		if _, in := p.Key().SizedBelow(); in {
			id := idOf(p.Key())
			if by[id] == nil {
				ids, by[id] = append(ids, id), &arrived{}
			}
			by[id].own = append(by[id].own, p.Key())
			by[id].old = by[id].old || isOld(log.Record{Envelope: log.Envelope{Key: p.Key(),
				Content: p.Content()}})
		}
	}
	for _, id := range ids {
		if err := g.checkOne(ctx, tx, id, by[id]); err != nil {
			return err
		}
	}
	return nil
}

// head judges the write of a session itself, by what the store has of it before the update.
func (g *guard) head(ctx context.Context, p mem.Checked) error {
	id, s := idOf(p.Key()), g.op.Store()
	if g.made[id] || !g.adds() {
		return nil
	}
	before, err := s.Get(ctx, mem.Caller{}, p.Key(), true)
	switch {
	case err == nil && parse(before).Closed != 0:
		return parse(before).writable()
	case err == nil:
		return nil
	case !errors.Is(err, mem.ErrNotFound):
		return err
	}
	gone, err := g.deleted(ctx, id)
	if err == nil && !gone {
		g.made[id] = true
		return nil
	}
	return cmp.Or(err, errDeleted(id))
}

// deleted reports whether a session that is not there ever was.
func (g *guard) deleted(ctx context.Context, id string) (bool, error) {
	key, err := KeyOf(id)
	if err != nil {
		return false, nil // by other hands, and never a session
	}
	versions, err := g.op.Store().History(ctx, mem.Caller{}, key)
	if errors.Is(err, mem.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for range versions.Rows {
		break // the end closes what was opened
	}
	return true, nil
}

func errDeleted(id string) error {
	return &Error{id, ErrDeleted,
		advice.Run("undo", keypath.Sessions+"/"+id).Then(" brings it back")}
}

// checkOne judges what an update has written to one session.
func (g *guard) checkOne(ctx context.Context, tx *mem.Tx, id string, a *arrived) error {
	w, err := newWriter(ctx, g.op, id)
	if err != nil {
		return err
	}
	w.own = a.own
	w.session, err = load(ctx, tx, id, g.op.Now())
	switch {
	case mem.KindOf(err) == mem.KindNo:
		if gone, err := g.deleted(ctx, id); err != nil || gone && g.adds() {
			return cmp.Or(err, errDeleted(id))
		}
		return w.orphan(tx)
	case err != nil:
		return err
	}
	err = w.session.writable()
	if err != nil && slices.Contains(adding, g.op.Verb()) && !(g.made[id] && isClosed(err)) {
		return err
	}
	w.rules.Own = w.session.Own
	unmigrated := a.old && w.session.Entries >= Version
	if unmigrated {
		w.session.Entries = 0
	}
	// What makes room is the session's own doing, whoever has filled it.
	return g.op.Forced(func() error { return w.fit(tx, unmigrated) })
}

// orphan judges the size of a session that is not there: nothing is compacted in it.
func (w *writer) orphan(tx *mem.Tx) (err error) {
	w.session = &Session{ID: w.id}
	if w.size, err = w.measure(tx); err == nil && w.size > w.rules.Limit() {
		err = &FullError{w.id, w.size, w.rules.Limit(), true}
	}
	return err
}
