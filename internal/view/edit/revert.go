package edit

import (
	"cmp"
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
)

// Revert takes back the writes of one call, all in one update: each key gets the version before, and
// one that had none is deleted. A revert is a write as any other, and can be reverted. The error is
// a *mem.ConflictError where a key was written again since, or is as that of [Undo].
func Revert(ctx context.Context, s *mem.Store, c mem.Caller, written []mem.Outcome, a Author) (
	[]mem.Outcome, error) {
	j, err := begin(ctx, s, c, policy.Undo, a)
	if err != nil {
		return nil, err
	}
	var list []change
	for _, out := range written {
		one, err := j.reverting(out)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return j.put(list...)
}

// reverting returns the write that takes one write back.
func (j *job) reverting(out mem.Outcome) (one change, err error) {
	err = cmp.Or(MayEdit(out.Key), policy.CheckOwn(j.caller, policy.Undo, out.Key, true))
	if err != nil {
		return one, err
	}
	newest, older, err := j.versions(out.Key, nil)
	switch isFirst := errors.Is(err, ErrFirst); {
	case err != nil && !isFirst:
		return one, err
	case newest.TS != out.TS:
		return one, &mem.ConflictError{Key: out.Key, Newest: newest}
	case isFirst:
		source := j.author.made(j.op, j.verb, located("undone", newest.TS.String()))
		p, err := j.op.Tombstone(j.ctx, out.Key, "user", source)
		return change{newest, p}, err
	}
	return j.restoring(newest, older)
}
