package mem

import (
	"cmp"
	"context"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

// What a session that is closed, or full, refuses.

// unlessChanged returns a refusal of new records, unless all of them were live before the update:
// what a closed session has may change.
func (op *Operation) unlessChanged(ctx context.Context, records []keypath.Key,
	refusal error) error {
	for _, key := range records {
		_, was, err := op.store.backend.Get(ctx, key)
		if err != nil || !was {
			return cmp.Or(err, refusal)
		}
	}
	return nil
}

// checkSize refuses more than fits into a session.
func (op *Operation) checkSize(ctx context.Context, tx *Tx, session keypath.Key,
	head policy.SessionHead) error {
	conf, err := op.known(ctx)
	if err != nil {
		return err
	}
	prefix, err := keypath.ParsePrefix(session.String())
	if err != nil {
		return err
	}
	live, deleted, err := tx.Size(ctx, prefix)
	if err != nil {
		return err
	}
	size := head.Size(live, deleted)
	if size > conf.Storage.Limit() {
		conf, err = op.Config(ctx) // before it is refused by an old one
	}
	if err != nil {
		return err
	}
	if limit := conf.Storage.Limit(); size > limit {
		return &policy.FullError{ID: policy.SessionID(session), Size: size, Limit: limit,
			Spent: head == policy.SessionHead{}} // of a session that is not there
	}
	return nil
}
