package edit

import (
	"cmp"
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Superseded is what a supersede did.
type Superseded struct {
	Result
	By keypath.Key `json:"superseded_by"`
}

// Supersede marks a memory as replaced by another: no read shows it and no hook injects it, and a
// search names its successor. all is the store that has the other one, or reads several as one. A
// touch (Changes.Current), an undo or a set without superseded_by brings it back. The error is a
// *mem.NotFoundError, wraps ErrNoObject, ErrSame or ErrCycle, or is as that of mem.Store.Set.
func Supersede(ctx context.Context, s, all *mem.Store, c mem.Caller, old, by keypath.Key,
	a Author) (done Superseded, err error) {
	done.By = by
	if old == by {
		return done, &Error{old, ErrSame}
	}
	if err := MayEdit(by); err != nil {
		return done, err
	}
	j, err := begin(ctx, s, c, policy.Supersede, a)
	if err != nil {
		return done, err
	}
	rec, err := j.get(old)
	if err != nil {
		return done, err
	}
	m, err := membersOf(old, rec.Content)
	if err != nil {
		return done, err
	}
	if err := cmp.Or(follow(ctx, all, c, rec, by), j.bindsAsMuch(all, rec, by)); err != nil {
		return done, err
	}
	if content.Successor(rec.Content) == by.String() {
		done.Result = unchanged(s, rec)
		return done, nil
	}
	text := m.With("superseded_by", jsontext.AppendString(nil, by.String())).Object()
	one, err := j.keeping(rec, text, j.author.editedSource(j.op, j.verb, rec.Source, 0))
	if err == nil {
		done.Result, err = j.putOne(one)
	}
	return done, err
}

// bindsAsMuch refuses a fact in the place of a rule of the user: it would hide the rule.
func (j *job) bindsAsMuch(all *mem.Store, old log.Record, by keypath.Key) error {
	if !j.op.IsRule(old) {
		return nil
	}
	rec, err := all.Get(j.ctx, j.caller, by, false)
	if err != nil {
		return err
	}
	it := mem.ItemOf(rec)
	if all.Reader(j.caller).Standing(&it) != readout.Rule {
		return &Error{by, ErrFact}
	}
	return nil
}

// Superseding returns a function for note.Options.Supersede. It marks memories as replaced by one
// that the same update has stored and that nothing has replaced: all of them or none.
func Superseding(a Author) func(context.Context, *mem.Operation, *mem.Tx, []log.Record,
	mem.Checked) error {
	return func(ctx context.Context, op *mem.Operation, tx *mem.Tx, old []log.Record,
		by mem.Checked) error {
		for _, rec := range old {
			one, err := a.superseded(ctx, op, rec, by)
			if err != nil {
				return err
			}
			if err := tx.Put(one); err != nil {
				return err
			}
		}
		return nil
	}
}

// superseded checks the write of a memory that another takes the place of.
func (a Author) superseded(ctx context.Context, op *mem.Operation, rec log.Record,
	by mem.Checked) (p mem.Checked, err error) {
	if err := MayEdit(rec.Key); err != nil {
		return p, err
	}
	err = policy.CheckSuccessor(rec.Key, by.Key(), content.LabelOf(rec.Key, rec.Content),
		content.LabelOf(by.Key(), by.Content()))
	if err != nil {
		return p, err
	}
	m, err := membersOf(rec.Key, rec.Content)
	if err != nil {
		return p, err
	}
	text := m.With("superseded_by", jsontext.AppendString(nil, by.Key().String())).Object()
	source := a.editedSource(op, "mem "+op.Verb().String(), rec.Source, 0)
	source = policy.KeepPinner(op.Caller(), rec, op.IsRule(rec), text, source)
	p, err = op.Check(ctx, mem.Write{Key: rec.Key, Content: content.KeepTime(text, rec.TS),
		Source: source}, false)
	if origin := op.ClaimOf(rec); origin != "" {
		p = p.Claimed(origin)
	}
	return p, err
}

// follow goes from the new memory, which must be live, along those that have replaced it. The error
// wraps ErrCycle where that leads to the old one, or is that of policy.CheckSuccessor.
func follow(ctx context.Context, s *mem.Store, c mem.Caller, old log.Record,
	by keypath.Key) error {
	rec, err := s.Get(ctx, c, by, false)
	if err == nil {
		err = policy.CheckSuccessor(old.Key, by, content.LabelOf(old.Key, old.Content),
			content.LabelOf(by, rec.Content))
	}
	seen := map[keypath.Key]bool{}
	for err == nil && !seen[rec.Key] {
		seen[rec.Key] = true
		next, bad := keypath.Parse(content.Successor(rec.Content))
		if bad != nil {
			return nil // nothing has replaced it
		}
		if next == old.Key {
			return &Error{by, ErrCycle}
		}
		rec, err = s.Get(ctx, c, next, true)
		if errors.Is(err, mem.ErrNotFound) {
			return nil // the key that it names is gone
		}
	}
	return err
}
