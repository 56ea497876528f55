package mem

import (
	"bytes"
	"context"
	"fmt"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// Replay stores versions that another store has had, in this order, all of them or none: each as it
// is, and with its time. No rule is asked what may be written: it was, once, and a copy that leaves
// something out is none. Nor has the journal a line before [Operation.Done]. The error wraps
// backend.ErrOlder where a version does not win against what its key has had here.
func (op *Operation) Replay(ctx context.Context, versions []log.Envelope) error {
	if op.verb != policy.Copy {
		return fmt.Errorf("%w: only a copy of a whole store skips the rules", policy.ErrReserved)
	}
	writes := make([]backend.Write, len(versions))
	for i, e := range versions {
		writes[i] = backend.Write{Envelope: e, Imported: true}
	}
	s := op.store
	err := s.backend.Update(ctx, op.caller, op.verb.String(), func(tx backend.Tx) error {
		_, err := tx.Append(writes...)
		return err
	})
	if fn := s.opts.OnStored; fn != nil && stored(err) {
		fn(versions)
	}
	return err
}

// ConfigText returns the configuration of a store as it is spelled, right or wrong; nil where it
// has none.
func (s *Store) ConfigText(ctx context.Context) ([]byte, error) {
	if s.opts.ForeignConfig {
		return nil, nil
	}
	text, version, err := s.backend.Config(ctx, "")
	if version == "" || err != nil {
		return nil, err
	}
	return append([]byte{}, text...), nil
}

// GiveConfig makes a text the configuration of a store that has none, and reports whether it did.
// It is not judged: what was wrong where it comes from is wrong here, and told in the same way.
func (op *Operation) GiveConfig(ctx context.Context, text []byte) (given bool, err error) {
	file, ok := op.store.backend.(backend.Configurer)
	if !ok {
		return false, fmt.Errorf("%w: this store has no configuration of its own", ErrInput)
	}
	err = file.SetConfig(ctx, op.caller, func(have []byte) ([]byte, error) {
		if given = len(bytes.TrimSpace(have)) == 0; !given {
			return have, nil
		}
		return text, nil
	})
	return given && err == nil, err
}
