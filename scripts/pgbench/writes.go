package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"

	"github.com/set-memory/mem/scripts/harness"
)

const writers = 32

// side is who writes in a round.
type side struct {
	what string
	goal float64 // of the rate of pgbench; 0: none
	run  func(ctx context.Context) (rate float64, err error)

	rates []float64
	share []float64 // of the rate of pgbench in the same round
	wal   []float64 // bytes for a row
}

// writeFigures measures who writes the same rows, by turns.
func writeFigures(ctx context.Context, l *lab) (list []figure, err error) {
	if err := l.newDatabase(ctx, writing); err != nil {
		return nil, err
	}
	sides, stop, err := l.writers(ctx)
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil {
		return nil, err
	}
	// The first round does not count: what it writes to is whole in the WAL after it.
	if err := l.sql(ctx, "CHECKPOINT"); err != nil {
		return nil, err
	}
	for round := -1; round < l.rounds; round++ {
		if err := l.writeRound(ctx, sides, round); err != nil {
			return nil, err
		}
	}
	peer := sides[0]
	for _, s := range sides[1:] {
		list = append(list, figure{s.what, perSecond(median(s.rates)), "pgbench " +
			perSecond(median(peer.rates)), median(s.share), timesAtLeast(s.goal)})
	}
	set := sides[1]
	list = append(list, figure{what: "WAL for an event, " + set.what,
		mem:  harness.Number(median(set.wal)) + " B",
		peer: "pgbench " + harness.Number(median(peer.wal)) + " B"})
	held, err := l.heldFigure(ctx)
	return append(list, held...), err
}

// writeRound lets every side write once, each round another one first.
func (l *lab) writeRound(ctx context.Context, sides []*side, round int) error {
	rates := make([]float64, len(sides))
	for i := range sides {
		who := (i + round + 1) % len(sides)
		s := sides[who]
		rate, wal, err := l.measured(ctx, s.run)
		if err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
		rates[who] = rate
		if round >= 0 {
			s.rates, s.wal = append(s.rates, rate), append(s.wal, wal)
		}
	}
	for i, s := range sides {
		if round >= 0 {
			s.share = append(s.share, rates[i]/rates[0])
		}
	}
	return nil
}

// flushed is how long after a write its line of the journal is written, at most.
const flushed = 1200 * time.Millisecond

// measured lets somebody write, and returns the rows a second and the bytes of
// WAL for a row.
func (l *lab) measured(ctx context.Context, run func(context.Context) (float64, error)) (
	rate, wal float64, err error) {
	time.Sleep(flushed)
	const lsn = "SELECT (pg_current_wal_lsn() - '0/0')::bigint"
	before, err := l.ask(ctx, lsn)
	if err != nil {
		return 0, 0, err
	}
	if rate, err = run(ctx); err != nil {
		return 0, 0, err
	}
	after, err := l.ask(ctx, lsn)
	return rate, float64(after-before) / (rate * l.round.Seconds()), err
}

// hammer lets callers do something for a round, and returns how often a second it was done.
func (l *lab) hammer(ctx context.Context, callers int,
	do func(ctx context.Context, caller int) error) (float64, error) {
	var count atomic.Int64
	errs := make([]error, callers)
	begin := time.Now()
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for time.Since(begin) < l.round && errs[c] == nil && ctx.Err() == nil {
				errs[c] = do(ctx, c)
				count.Add(1)
			}
		})
	}
	all.Wait()
	return float64(count.Load()) / time.Since(begin).Seconds(),
		errors.Join(append(errs, ctx.Err())...)
}

// setter is a store that goroutines write to.
type setter struct {
	store *mem.Store
	n     atomic.Int64
}

// set stores one event, as a memory under a key that is new.
func (s *setter) set(ctx context.Context, events int) error {
	i := int(s.n.Add(1))
	_, err := s.store.Set(ctx, mem.Caller{}, mem.Write{
		Key:     keypath.MustParse(fmt.Sprintf("/log/%026d", i)),
		Content: fmt.Appendf(nil, `{"type":"message","text":%q}`, textOf(i%events, events)),
		Source:  []byte(`{"kind":"agent","name":"bench","retrieved_at":"2026-02-22T10:00:00Z"}`),
	}, mem.SetOptions{})
	return err
}

// setting returns a side that writes through a Store from goroutines.
func (l *lab) setting(ctx context.Context, space string) (s *setter, err error) {
	if err := l.space(ctx, space); err != nil {
		return nil, err
	}
	s = &setter{}
	s.store, _, err = l.open(space, space)
	return s, err
}

func (l *lab) sets(s *setter) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		return l.hammer(ctx, writers, func(ctx context.Context, _ int) error {
			return s.set(ctx, l.opt.events)
		})
	}
}

// heldFigure measures writes while another session holds a snapshot open, and writes without.
func (l *lab) heldFigure(ctx context.Context) ([]figure, error) {
	s, err := l.setting(ctx, "held")
	if err != nil {
		return nil, err
	}
	defer s.store.Close()
	var with, without, shares []float64
	for round := -1; round < l.rounds; round++ {
		free, _, err := l.measured(ctx, l.sets(s))
		if err != nil {
			return nil, err
		}
		held, err := l.whileHeld(ctx, l.sets(s))
		if err != nil {
			return nil, err
		}
		if round >= 0 {
			with, without = append(with, held), append(without, free)
			shares = append(shares, held/free)
		}
	}
	return []figure{{"Store.Set while a snapshot is held open", perSecond(median(with)),
		"without " + perSecond(median(without)), median(shares), timesAtLeast(0.85)}}, nil
}

// whileHeld measures the second of two rounds under one snapshot: the first makes the rows that the
// snapshot keeps from being forgotten.
func (l *lab) whileHeld(ctx context.Context, run func(context.Context) (float64, error)) (
	rate float64, err error) {
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ"); err != nil {
		return 0, err
	}
	defer func() {
		_, failed := conn.Exec(ctx, "ROLLBACK")
		err = errors.Join(err, failed)
	}()
	if _, err := conn.Exec(ctx, "SELECT count(*) FROM mem.spaces"); err != nil {
		return 0, err
	}
	if _, err := run(ctx); err != nil {
		return 0, err
	}
	rate, _, err = l.measured(ctx, run)
	return rate, err
}
