package session

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Metrics are figures about the sessions of a store; the JSON names are those of the metrics.
type Metrics struct {
	Active      int         `json:"memory.sessions.active"` // sessions that are not closed
	Entries     int         `json:"memory.entries.total"`   // live records of sessions
	Bytes       int64       `json:"memory.size.bytes"`      // of all sessions, see Summary
	Writes      Percentiles `json:"memory.operations.write.duration_ms"`
	Queries     Percentiles `json:"memory.operations.query.duration_ms"`
	Contention  int         `json:"memory.locks.contention.count"`  // locks not had in time
	Compactions int         `json:"memory.compaction.count"`        // of sessions, ever
	Damaged     int         `json:"memory.errors.corruption.count"` // lines of sessions
}

// Percentiles are how long operations took, in milliseconds: p95 is the shortest time that 95 % of
// them did not exceed. They are nil where there were none.
type Percentiles struct {
	Count int      `json:"count"`
	P50   *float64 `json:"p50"`
	P95   *float64 `json:"p95"`
	P99   *float64 `json:"p99"`
}

// Measure returns the metrics of a store. What there is of sessions comes from the store, how long
// operations took and how many did not get the lock from the journal, as far back as that goes
// ([mem.Store.Journaled]); compactions and damaged lines from the whole history, which it reads.
// Nothing is written for it. The error is the file system's.
func Measure(ctx context.Context, s *mem.Store, c mem.Caller) (m Metrics, err error) {
	list, err := List(ctx, s, c)
	if err != nil {
		return m, err
	}
	for _, one := range list {
		if one.Closed == nil {
			m.Active++
		}
		m.Entries += one.Entries
		m.Bytes += one.Bytes
	}
	if err := m.countHistory(ctx, s); err != nil {
		return m, err
	}
	ran, err := s.Journaled()
	m.countOperations(ran)
	return m, err
}

// countOperations counts what ran. A failure is in no duration: how long somebody waited for the
// lock in vain says nothing of writing. Neither is a write that found nothing to store.
func (m *Metrics) countOperations(ran []mem.Ran) {
	var writes, queries []time.Duration
	for _, r := range ran {
		write, query := policy.Counts(r.Op)
		switch {
		case r.Code == mem.KindLocked:
			m.Contention++
		case r.Code != mem.KindDone:
		case query:
			queries = append(queries, r.Took)
		case write && r.TS != "":
			writes = append(writes, r.Took)
		}
	}
	m.Writes, m.Queries = percentilesOf(writes), percentilesOf(queries)
}

func percentilesOf(took []time.Duration) Percentiles {
	slices.Sort(took)
	at := func(share float64) *float64 {
		if len(took) == 0 {
			return nil
		}
		nearest := took[int(math.Ceil(share*float64(len(took))))-1]
		ms := float64(nearest.Microseconds()) / 1000
		return &ms
	}
	return Percentiles{len(took), at(0.50), at(0.95), at(0.99)}
}

// countHistory counts the compactions of all sessions, each of which the metadata of one says, and
// the lines of sessions that cannot be read.
func (m *Metrics) countHistory(ctx context.Context, s *mem.Store) error {
	below, err := keypath.ParsePrefix(keypath.Sessions)
	if err != nil {
		return err
	}
	type compaction struct {
		id string
		at log.Stamp
	}
	seen := map[compaction]bool{}
	for rec, err := range s.HistoryBelow(ctx, below) {
		var d *log.Damage
		switch {
		case errors.As(err, &d):
			if strings.HasPrefix(log.ShownKey(d.Raw).String(), keypath.Sessions+"/") {
				m.Damaged++
			}
		case err != nil:
			return err
		case rec.Key.Class() == keypath.SessionInfo:
			if one := parse(rec); one.LastCompaction != 0 {
				seen[compaction{one.ID, one.LastCompaction}] = true
			}
		}
	}
	m.Compactions = len(seen)
	return nil
}
