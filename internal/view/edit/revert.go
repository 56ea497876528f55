package edit

import (
	"cmp"
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

// Revert takes back the writes of one call, all in one update: each key gets the version before,
// and one that had none is deleted. A revert is a write as any other, and can be reverted. The
// write may be the rejection of one proposal, which waits again. The error is a *mem.ConflictError
// where a key was written again since, or is as that of [Undo].
func Revert(ctx context.Context, s *mem.Store, c mem.Caller, written []mem.Outcome, a Author) (
	[]mem.Outcome, error) {
	verb, mayEdit := policy.Undo, MayEdit
	if len(written) == 1 && policy.IsProposal(written[0].Key) {
		verb, mayEdit = policy.Propose, func(keypath.Key) error { return nil }
	}
	j, err := begin(ctx, s, c, verb, a)
	if err != nil {
		return nil, err
	}
	var list []change
	for _, out := range written {
		err := cmp.Or(mayEdit(out.Key), policy.CheckOwn(c, policy.Undo, out.Key, true))
		if err != nil {
			return nil, err
		}
		newest, older, err := j.versions(out.Key, nil)
		isFirst := errors.Is(err, ErrFirst)
		one := change{was: newest}
		switch {
		case err != nil && !isFirst:
		case newest.TS != out.TS:
			err = &mem.ConflictError{Key: out.Key, Newest: newest}
		case isFirst:
			source := a.newSource(j.op, j.verb, located("undone", newest.TS.String()))
			one.write, err = j.op.Tombstone(ctx, out.Key, "user", source)
		default:
			one, err = j.restoring(newest, older)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return j.put(list...)
}
