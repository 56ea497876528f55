package edit

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// UndoneCommand is what the undo of a whole command did.
type UndoneCommand struct {
	Op     string        `json:"op"` // the command
	At     string        `json:"at"` // when it ended
	Undone []mem.Outcome `json:"undone"`

	Taken []log.Record `json:"-"` // the versions that it took back
}

// errWhole is returned where no part of a command is left to be taken back.
var errWhole = errors.New("nothing is left of it")

// UndoCommand stores what each key had before a command wrote to it, in all stores that it wrote
// to, or nothing: all is checked under the locks of all stores, and each of them appends once.
// More than 2,000 keys of one store are checked first and then stored in groups: after an error the
// next undo stores the rest, and the error wraps ErrMeanwhile for a key that was written between.
// Where an undo of the command was killed after one of these appends, UndoCommand stores the rest;
// so it does where the command is such an undo. The error wraps ErrSince where a key was written
// after the command, or is that of the first key that the caller may not undo.
func UndoCommand(ctx context.Context, c mem.Caller, cmd Command, a Author) (UndoneCommand, error) {
	for _, p := range cmd.parts {
		c.Now = cmp.Or(c.Now, log.StampOf(p.store.Now())) // one instant in all stores
	}
	if cmd.undid != nil {
		done, err := undo(ctx, c, *cmd.undid, a, len(cmd.parts) > 0)
		if !errors.Is(err, errWhole) {
			return done, err
		}
	}
	return undo(ctx, c, cmd, a, false)
}

// undo takes a command back; with rest only where some of it is in force yet, and nobody wrote
// since.
func undo(ctx context.Context, c mem.Caller, cmd Command, a Author, rest bool) (
	done UndoneCommand, err error) {
	done = UndoneCommand{Op: cmd.Op, At: cmd.At, Undone: []mem.Outcome{}}
	var backs []*back
	var ops []*mem.Operation
	parts, err := inOrder(ctx, cmd.parts)
	if err != nil {
		return done, err
	}
	for _, p := range parts {
		j, err := begin(ctx, p.store, c, policy.Undo, a)
		if err != nil {
			return done, err
		}
		j.op.Undoes(cmd.id())
		j.op.Join()
		j.command = cmd.Op
		backs, ops = append(backs, &back{job: j, ran: p.ran}), append(ops, j.op)
	}
	whole := false
	var written []mem.Outcome
	if len(backs) == 1 && backs[0].count() > undoGroup {
		whole, written, err = backs[0].putGroups(rest)
	} else {
		written, err = ops[0].UpdateWith(ctx, ops[1:], func(txs ...*mem.Tx) (err error) {
			whole, err = putBack(backs, txs, rest)
			return err
		})
	}
	if whole && err == nil {
		err = errWhole
	}
	for _, b := range backs {
		done.Undone = append(done.Undone, b.already...)
		done.Taken = append(done.Taken, b.olds...)
	}
	done.Undone = append(done.Undone, written...)
	return done, err
}

// inOrder returns the parts in the order of their locks: the first appends last, so what an undo
// deletes comes first, and an undo of a move that is killed leaves the memory in both stores.
func inOrder(ctx context.Context, parts []share) ([]share, error) {
	if len(parts) < 2 {
		return parts, nil
	}
	deletes := map[*mem.Store]int{}
	for _, p := range parts {
		n, err := p.countNew(ctx)
		if err != nil {
			return nil, err
		}
		deletes[p.store] = n
	}
	return slices.SortedStableFunc(slices.Values(parts), func(a, b share) int {
		return cmp.Compare(deletes[b.store], deletes[a.store])
	}), nil
}

// countNew returns how many keys got a memory by the command where they had none.
func (p share) countNew(ctx context.Context) (n int, err error) {
	by, before := map[keypath.Key]log.Record{}, map[keypath.Key]log.Record{}
	stored := map[log.Identity]bool{}
	newer := func(in map[keypath.Key]log.Record, rec log.Record) {
		if old, has := in[rec.Key]; !has || rec.Wins(old) {
			in[rec.Key] = rec.Clone()
		}
	}
	err = p.store.EachStored(ctx, p.ran, func(rec log.Record) error {
		stored[rec.Identity()] = true
		newer(by, rec)
		return nil
	})
	if err == nil {
		err = p.store.Everything(ctx, func(rec log.Record) error {
			if _, is := by[rec.Key]; is && !stored[rec.Identity()] {
				newer(before, rec)
			}
			return nil
		})
	}
	for key, rec := range by {
		if old, has := before[key]; rec.Valid() && (!has || !old.Valid()) {
			n++
		}
	}
	return n, err
}

// id returns the id of a command; "" for one without.
func (cmd *Command) id() string {
	for _, p := range cmd.parts {
		for _, r := range p.ran {
			return r.Command
		}
	}
	return ""
}

// putBack puts what takes a command back into all stores. A killed undo has a whole part in a store
// or nothing of it. With rest it reports whether there is no such part, and puts nothing.
func putBack(backs []*back, txs []*mem.Tx, rest bool) (whole bool, err error) {
	count := 0
	for i, b := range backs {
		turns, err := b.turns(txs[i])
		if err == nil {
			err = b.check(turns)
		}
		if rest && errors.Is(err, ErrSince) {
			return true, nil
		} else if err != nil {
			return false, err
		}
		count += len(b.writes)
	}
	if rest && count == 0 {
		return true, nil
	}
	for i, b := range backs {
		if err := txs[i].Put(b.writes...); err != nil {
			return false, err
		}
		if len(b.already) > 0 {
			b.op.TakeOver(b.first, b.last)
		}
	}
	return false, nil
}

// back is the undo of what a command wrote to one store.
type back struct {
	*job
	ran []mem.Ran

	writes      []mem.Checked
	olds        []log.Record  // in whose place the writes come
	already     []mem.Outcome // that an undo which was killed has stored
	first, last log.Record    // of these
}

// turn is what a key was before a command, and is now.
type turn struct {
	key           keypath.Key
	by            map[log.Identity]bool // the versions of the command
	at            map[string]bool       // their times
	newest, older log.Record
}

// check returns an error for the first key that is not to be undone, and collects the writes.
func (b *back) check(turns []*turn) error {
	b.writes, b.olds, b.already, b.first, b.last = nil, nil, nil, log.Record{}, log.Record{}
	for _, t := range turns {
		if t.isUndone() {
			b.had(t.newest)
			continue
		}
		if !t.by[t.newest.Identity()] {
			return &Error{t.key, ErrSince}
		}
		one, err := b.revertTurn(t)
		if err != nil {
			return err
		}
		if !one.was.Key.IsZero() {
			b.writes, b.olds = append(b.writes, one.write), append(b.olds, t.newest)
		}
	}
	return nil
}

// had adds a version that is stored already.
func (b *back) had(rec log.Record) {
	b.already = append(b.already, mem.Outcome{Key: rec.Key, TS: rec.TS, Valid: rec.Valid()})
	if b.first.Key.IsZero() || rec.TS < b.first.TS {
		b.first = rec
	}
	if rec.TS > b.last.TS {
		b.last = rec
	}
}

// turns returns the keys that the command wrote to, in that order. Without an update the newest
// versions are those that a pass over the history finds.
func (b *back) turns(tx *mem.Tx) (list []*turn, err error) {
	turns, keys := map[keypath.Key]*turn{}, []keypath.Key{}
	err = b.store.EachStored(b.ctx, b.ran, func(rec log.Record) error {
		t := turns[rec.Key]
		if t == nil {
			t = &turn{key: rec.Key, by: map[log.Identity]bool{}, at: map[string]bool{}}
			turns[rec.Key], list, keys = t, append(list, t), append(keys, rec.Key)
		}
		t.by[rec.Identity()], t.at[rec.TS.String()] = true, true
		return nil
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if tx != nil {
		newest, err := tx.NewestEver(b.ctx, keys)
		if err != nil {
			return nil, err
		}
		for key, rec := range newest {
			turns[key].newest = rec.Clone()
		}
	}
	return list, b.store.Everything(b.ctx, func(rec log.Record) error {
		t := turns[rec.Key]
		if t != nil && tx == nil && (t.newest.Key.IsZero() || rec.Wins(t.newest)) {
			t.newest = rec.Clone()
		}
		if t != nil && !t.by[rec.Identity()] && (t.older.Key.IsZero() || rec.Wins(t.older)) {
			t.older = rec.Clone()
		}
		return nil
	})
}

// isUndone reports whether an undo has taken the command back in this key. A version that the
// command itself has stored, as a move does with a history, was undone elsewhere.
func (t *turn) isUndone() bool {
	at, _ := content.Undone(t.newest.Source)
	return t.at[at] && !t.by[t.newest.Identity()]
}

// revertTurn returns the write that takes a turn back; the zero change for none.
func (b *back) revertTurn(t *turn) (change, error) {
	if err := policy.CheckRevert(b.caller, policy.Undo, t.key, t.newest.Source); err != nil {
		return change{}, err
	}
	live, was := t.newest.Valid(), !t.older.Key.IsZero() && t.older.Valid()
	switch {
	case !live && !was:
		return change{}, nil
	case !was:
		t.older = log.Record{Envelope: log.Envelope{Key: t.key, TS: t.older.TS,
			Content: []byte("null")}}
	}
	return b.restoring(t.newest, t.older)
}
