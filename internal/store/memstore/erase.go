package memstore

import (
	"context"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var _ backend.Eraser = (*Store)(nil)

// Erase removes every version of some keys, their lines in the journals, and their blobs.
func (s *Store) Erase(ctx context.Context, c backend.Caller, e backend.Erasure) (
	proof backend.Proof, err error) {
	plan, values := e.Plan(), purge.NewValues()
	err = s.Update(ctx, c, "forget", func(tx backend.Tx) error {
		proof.Versions = s.collect(plan, values)
		if proof.Versions == 0 {
			return nil
		}
		if values.MatchFold(e.Reason) {
			return backend.ErrReason
		}
		return e.Bury(tx, plan)
	})
	if err != nil || proof.Versions == 0 {
		return proof, err
	}
	proof.Horizon, proof.Short, proof.Stones = plan.Horizon, values.Short(), plan.Stones()
	err = s.Update(context.WithoutCancel(ctx), c, "forget", func(backend.Tx) error {
		proof.Kept = s.remove(plan, values)
		return nil
	})
	return proof, err
}

// collect returns how many versions there are, and adds their values.
func (s *Store) collect(plan *purge.Plan, values *purge.Values) (versions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rec := range s.history {
		if plan.Takes(rec) {
			versions++
			values.Add(rec)
			plan.Saw(rec)
		}
	}
	return versions
}

// remove removes what the plan takes, tombstones that it does not keep too, and returns the blobs
// that stay.
func (s *Store) remove(plan *purge.Plan, values *purge.Values) (kept []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept = s.removeBlobs(values.Blobs())
	// A walk of the history goes on with the old list.
	s.history = slices.DeleteFunc(slices.Clone(s.history), func(rec log.Record) bool {
		return plan.Takes(rec)
	})
	if s.shared {
		s.newest, s.shared = maps.Clone(s.newest), false
	}
	maps.DeleteFunc(s.newest, func(_ keypath.Key, rec log.Record) bool {
		return plan.Takes(rec)
	})
	for name, text := range s.journals {
		s.journals[name], _ = plan.Journal(text, values)
	}
	return kept
}
