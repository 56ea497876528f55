package mem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// PurgeOptions are what is purged, and why.
type PurgeOptions struct {
	Keys   []keypath.Key
	Reason string // kept in the tombstones; "": none
	// ForgetKeys leaves no tombstone: not even the keys are kept, and an old copy of the store can
	// bring them back.
	ForgetKeys bool
}

// Purge deletes keys and takes every version of them out of the history for good, with all copies
// and traces, and looks whether anything is left (S-37, C-06). Writes that come meanwhile stay. The
// proof's Horizon is 0 where nothing was ever stored. The error wraps ErrInput for a reason that
// holds what is to be forgotten, and ErrRemains where the proof failed.
func (s *Store) Purge(ctx context.Context, c Caller, o PurgeOptions) (
	proof backend.Proof, err error) {
	eraser, ok := s.backend.(backend.Eraser)
	if !ok {
		return proof, fmt.Errorf("%w: this store cannot purge", ErrInput)
	}
	op, err := s.Begin(c, policy.Purge)
	if err != nil {
		return proof, err
	}
	op.purges = true
	e := backend.Erasure{Keys: o.Keys, Reason: o.Reason, Forget: o.ForgetKeys,
		Source: purgeSource(op.Now(), o.Reason)}
	for _, key := range o.Keys {
		if err := policy.CheckOwn(c, op.verb, key, false); err != nil {
			return proof, err
		}
	}
	// The reason is stored as that of a deletion is.
	for _, key := range o.Keys[:min(len(o.Keys), 1)] {
		source := op.Source("user", "mem forget", "reason", o.Reason)
		if _, err := op.Tombstone(ctx, key, "user", source); err != nil {
			return proof, err
		}
	}
	proof, err = eraser.Erase(ctx, c, e)
	if errors.Is(err, backend.ErrReason) {
		err = fmt.Errorf("reason: %w: %w", ErrInput, err)
	}
	// Where others' memories stand is not told to those who are not to know of them.
	proof.Others = slices.DeleteFunc(proof.Others, func(at purge.Place) bool {
		key, err := keypath.Parse(at.Key)
		return err == nil && !policy.Permits(c, key)
	})
	if err == nil && len(proof.Remains) > 0 {
		err = fmt.Errorf("%w in %s", ErrRemains, join(proof.Remains))
	}
	op.Done(proof.Versions, err)
	if proof.Versions > 0 {
		if fn := s.opts.OnStored; fn != nil && !e.Forget {
			plan := e.Plan()
			plan.Horizon = proof.Horizon
			fn(plan.Stones())
		}
	}
	return proof, err
}

// purgeSource returns the source of a tombstone that marks a purge.
func purgeSource(now log.Stamp, reason string) []byte {
	var o jsontext.Object
	o.Text("kind", "user")
	o.Text("name", "mem forget")
	o.Text("retrieved_at", now.String())
	o.TextUnlessEmpty("reason", reason)
	o.Raw("purged", []byte("true"))
	return o.Bytes()
}

// join names a few files.
func join(files []string) string {
	const most = 3
	text := strings.Join(files[:min(len(files), most)], ", ")
	if more := len(files) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", text, more)
	}
	return text
}
