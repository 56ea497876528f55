package edit

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// undoGroup is how many keys of one store are undone under one lock: other writers get it between
// the groups.
const undoGroup = 2000

// IsLarge reports whether a command is taken back in groups.
func (cmd *Command) IsLarge() bool {
	return len(cmd.parts) == 1 && (&back{ran: cmd.parts[0].ran}).count() > undoGroup
}

// count returns about how many writes of the command there are.
func (b *back) count() (n int) {
	for _, r := range b.ran {
		n += max(r.Count, 1)
	}
	return n
}

// putGroups undoes a large command in one store. All is read and checked without the lock; under
// the first one no key may have been written since, or nothing is stored. The error names a key
// that another writer comes to between two groups. The next undo finds the groups that were stored
// before a crash (turn.isUndone). With rest it reports whether there is no part to store, as
// putBack does.
func (b *back) putGroups(rest bool) (whole bool, out []mem.Outcome, err error) {
	turns, err := b.turns(nil)
	if err == nil {
		err = b.check(turns)
	}
	if rest && (errors.Is(err, ErrSince) || err == nil && len(b.writes) == 0) {
		return true, nil, nil
	}
	if err == nil {
		err = b.storedGroups(turns)
	}
	if err != nil {
		b.op.Done(0, err)
		return false, nil, err
	}
	g := groupedUndo{back: b, missed: map[keypath.Key]bool{}}
	if out, err = b.op.UpdateGroups(b.ctx, b.writes, undoGroup, g.put); err == nil {
		err = g.left(len(out))
	}
	return false, out, err
}

type groupedUndo struct {
	*back
	missed map[keypath.Key]bool // the keys that others wrote between the groups
}

// put stores the group that begins with the write of this number.
func (g groupedUndo) put(tx *mem.Tx, from int, group []mem.Checked) error {
	olds := g.olds[from : from+len(group)]
	asked := olds
	if from == 0 {
		asked = g.olds // of all groups in one pass, and none is stored where one key has changed
	}
	keys := make([]keypath.Key, len(asked))
	for i, old := range asked {
		keys[i] = old.Key
	}
	newest, err := tx.NewestEver(g.ctx, keys)
	if err != nil {
		return err
	}
	var puts []mem.Checked
	for i, old := range asked {
		switch isNewest := newest[old.Key].Identity() == old.Identity(); {
		case !isNewest && from == 0:
			return &Error{old.Key, ErrSince}
		case !isNewest:
			g.missed[old.Key] = true
		case i < len(group):
			puts = append(puts, group[i])
		}
	}
	return tx.Put(puts...)
}

// left returns the error of an undo that has left keys out; nil for none.
func (g groupedUndo) left(stored int) error {
	for _, old := range g.olds {
		if g.missed[old.Key] {
			return &mem.PartialError{Stored: stored, Total: len(g.olds),
				Err: &Error{old.Key, ErrMeanwhile}}
		}
	}
	return nil
}

// storedGroups records what an undo that was killed has stored: every run of lines in the history
// that are all of it, because another writer may have come between two groups.
func (b *back) storedGroups(turns []*turn) error {
	if len(b.already) == 0 {
		return nil
	}
	undone := map[keypath.Key]log.Identity{}
	for _, t := range turns {
		if t.isUndone() {
			undone[t.key] = t.newest.Identity()
		}
	}
	var first, last log.Record
	end := func() {
		if !first.Key.IsZero() {
			b.op.TakeOver(first, last)
		}
		first = log.Record{}
	}
	err := b.store.Everything(b.ctx, func(rec log.Record) error {
		id, is := undone[rec.Key]
		if !is || id != rec.Identity() {
			end()
			return nil
		}
		if last = rec.Clone(); first.Key.IsZero() {
			first = last
		}
		return nil
	})
	end()
	return err
}
