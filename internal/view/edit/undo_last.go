package edit

import (
	"cmp"
	"context"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// UndoneCommand is what the undo of a whole command did.
type UndoneCommand struct {
	Op     string        `json:"op"` // the command
	At     string        `json:"at"` // when it ended
	Undone []mem.Outcome `json:"undone"`
	Kept   []KeptAsIs    `json:"kept"` // keys that are not as before, and why
}

// KeptAsIs is a key that an undo leaves alone.
type KeptAsIs struct {
	Key keypath.Key `json:"key"`
	Why string      `json:"why"`
}

// LastCommand returns the last operation that wrote to a store. The error wraps ErrGone where the
// journal has none, and ErrForGood where it stored no lines that could be taken back, as a purge.
func LastCommand(s *mem.Store) (mem.Ran, error) {
	list, err := s.Journaled()
	for _, r := range slices.Backward(list) {
		write, _ := policy.Counts(r.Op)
		switch {
		case !write || r.TS == "" && (r.Count == 0 || r.Code != mem.KindDone):
			continue
		case r.TS == "":
			return r, &Error{cause: ErrForGood}
		}
		return r, nil
	}
	return mem.Ran{}, cmp.Or(err, ErrNothing)
}

// ErrNothing is returned where no command is left to take back.
var ErrNothing error = &Error{cause: ErrGone}

// turn is what a key was before a command, and is now.
type turn struct {
	key           keypath.Key
	by            map[log.Stamp]bool // the versions of the command
	newest, older log.Record
}

// UndoCommand stores, in one update, what each key had before an operation wrote to it. A key that
// was written since is left alone, and so is one that the caller may not undo. Where that leaves
// nothing, the error is that of the first key.
func UndoCommand(ctx context.Context, s *mem.Store, c mem.Caller, r mem.Ran, a Author) (
	done UndoneCommand, err error) {
	done = UndoneCommand{Op: r.Op, At: r.At, Undone: []mem.Outcome{}, Kept: []KeptAsIs{}}
	j, err := begin(ctx, s, c, policy.Undo, a)
	if err != nil {
		return done, err
	}
	turns, err := j.turns(r)
	if err != nil {
		return done, err
	}
	var list []change
	var refused error
	for _, t := range turns {
		back, err := j.revertTurn(t)
		switch {
		case err != nil:
			refused = cmp.Or(refused, err)
			done.Kept = append(done.Kept, KeptAsIs{t.key, mem.MaskSecrets(err.Error())})
		case !back.was.Key.IsZero():
			list = append(list, back)
		}
	}
	if len(list) == 0 {
		return done, refused
	}
	done.Undone, err = j.op.UpdateAsOne(ctx, func(tx *mem.Tx) error {
		return j.putIn(tx, list)
	})
	return done, err
}

// turns returns the keys that an operation wrote to, in that order.
func (j *job) turns(r mem.Ran) (list []*turn, err error) {
	keys := map[keypath.Key]*turn{}
	err = j.store.Stored(j.ctx, r, func(rec log.Record) error {
		t := keys[rec.Key]
		if t == nil {
			t = &turn{key: rec.Key, by: map[log.Stamp]bool{}}
			keys[rec.Key], list = t, append(list, t)
		}
		t.by[rec.TS] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, j.store.Everything(j.ctx, func(rec log.Record) error {
		t := keys[rec.Key]
		if t == nil {
			return nil
		}
		if t.newest.Key.IsZero() || rec.Wins(t.newest) {
			t.newest = rec.Clone()
		}
		if !t.by[rec.TS] && (t.older.Key.IsZero() || rec.Wins(t.older)) {
			t.older = rec.Clone()
		}
		return nil
	})
}

// revertTurn returns the write that takes a turn back; the zero change where there is nothing to
// write.
func (j *job) revertTurn(t *turn) (change, error) {
	if err := policy.CheckRevert(j.caller, policy.Undo, t.key, t.newest.Source); err != nil {
		return change{}, err
	}
	live, was := t.newest.Valid(), !t.older.Key.IsZero() && t.older.Valid()
	switch {
	case !t.by[t.newest.TS]:
		return change{}, ErrSince
	case !live && !was:
		return change{}, nil
	case !was:
		t.older = log.Record{Envelope: log.Envelope{Key: t.key, TS: t.older.TS,
			Content: []byte("null")}}
	}
	return j.restoring(t.newest, t.older)
}
