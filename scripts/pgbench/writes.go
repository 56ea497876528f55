package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
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
	of   *side   // that it is held against; nil: none
	goal float64 // of the rate of that one; 0: none
	run  func(ctx context.Context) (rate float64)

	rates []float64
	wal   []float64 // bytes for a row
	cpu   []cpu     // for a row
}

// writeFigures measures who writes the same rows, by turns.
func writeFigures(ctx context.Context, l *lab) (list []figure) {
	l.newDatabase(ctx, writing)
	sides, stop := l.writers(ctx)
	defer stop()
	sides = chosen(sides, l.opt.sides)
	// The first round does not count: what it writes to is whole in the WAL after it.
	l.sql(ctx, "CHECKPOINT")
	for round := -1; round < l.rounds; round++ {
		l.writeRound(ctx, sides, round)
	}
	peer := sides[0]
	for _, s := range sides[1:] {
		list = append(list, figure{s.what, perSecond(median(s.rates)), s.of.what + " " +
			perSecond(median(s.of.rates)), median(s.shares()), timesAtLeast(s.goal)})
	}
	set := sides[1]
	list = append(list, figure{what: "WAL for an event, " + set.what,
		mem:  harness.Number(median(set.wal)) + " B",
		peer: "pgbench " + harness.Number(median(peer.wal)) + " B"})
	for _, s := range sides {
		list = append(list, figure{what: "CPU for an event, " + s.what, mem: s.cost()})
	}
	if l.opt.sides != nil {
		return list
	}
	return append(list, l.heldFigure(ctx)...)
}

// chosen returns the sides that a pattern matches, and those that they are held against.
func chosen(sides []*side, pattern *regexp.Regexp) []*side {
	if pattern == nil {
		return sides
	}
	wanted := map[*side]bool{sides[0]: true}
	for _, s := range sides {
		for one := s; one != nil && pattern.MatchString(s.what); one = one.of {
			wanted[one] = true
		}
	}
	return slices.DeleteFunc(sides, func(s *side) bool { return !wanted[s] })
}

// cost returns the processor time for a row: the median of each kind of process.
func (s *side) cost() string {
	var memd, server, callers []time.Duration
	for _, c := range s.cpu {
		memd, server = append(memd, c.memd), append(server, c.server)
		callers = append(callers, c.callers)
	}
	return cpu{median(memd), median(server), median(callers)}.String()
}

// shares returns the rates as shares of those of the other side in the same rounds.
func (s *side) shares() (list []float64) {
	for round, rate := range s.rates {
		list = append(list, rate/s.of.rates[round])
	}
	return list
}

// writeRound lets every side write once, each round another one first.
func (l *lab) writeRound(ctx context.Context, sides []*side, round int) {
	for i := range sides {
		s := sides[(i+round+1)%len(sides)]
		var rate, wal float64
		var cpu cpu
		harness.Within(s.what, func() { rate, wal, cpu = l.measured(ctx, s.run) })
		if round >= 0 {
			s.rates, s.wal, s.cpu = append(s.rates, rate), append(s.wal, wal), append(s.cpu, cpu)
		}
	}
}

// flushed is how long after a write its line of the journal is written, at most.
const flushed = 1200 * time.Millisecond

// measured lets somebody write, and returns the rows a second and the bytes of
// WAL for a row.
func (l *lab) measured(ctx context.Context, run func(context.Context) float64) (
	rate, wal float64, each cpu) {
	time.Sleep(flushed)
	const lsn = "SELECT (pg_current_wal_lsn() - '0/0')::bigint"
	before, then := l.ask(ctx, lsn), l.used()
	rate = run(ctx)
	after, now := l.ask(ctx, lsn), l.used()
	events := rate * l.round.Seconds()
	return rate, float64(after-before) / events, now.perEvent(then, events)
}

// hammer lets callers do something for a round, and returns how often a second it was done.
func (l *lab) hammer(ctx context.Context, callers int,
	do func(ctx context.Context, caller int)) float64 {
	var count atomic.Int64
	begin := time.Now()
	harness.Together(callers, func(c int) {
		for time.Since(begin) < l.round && ctx.Err() == nil {
			do(ctx, c)
			count.Add(1)
		}
	})
	harness.Check(ctx.Err())
	return float64(count.Load()) / time.Since(begin).Seconds()
}

// setter is a store that goroutines write to.
type setter struct {
	store *mem.Store
	n     atomic.Int64
}

// set stores one event, as a memory under a key that is new.
func (s *setter) set(ctx context.Context, events int) {
	i := int(s.n.Add(1))
	harness.Must(s.store.Set(ctx, mem.Caller{}, mem.Write{
		Key:     keypath.MustParse(fmt.Sprintf("/log/%026d", i)),
		Content: fmt.Appendf(nil, `{"type":"message","text":%q}`, textOf(i%events, events)),
		Source:  []byte(`{"kind":"agent","name":"bench","retrieved_at":"2026-02-22T10:00:00Z"}`),
	}, mem.SetOptions{}))
}

// setting returns a side that writes through a Store from goroutines.
func (l *lab) setting(ctx context.Context, space string) (s *setter) {
	l.space(ctx, space)
	s = &setter{}
	s.store, _ = l.openStore(space, space)
	return s
}

func (l *lab) sets(s *setter) func(context.Context) float64 {
	return func(ctx context.Context) float64 {
		return l.hammer(ctx, writers, func(ctx context.Context, _ int) {
			s.set(ctx, l.opt.events)
		})
	}
}

// heldFigure measures writes while another session holds a snapshot open, and writes without.
func (l *lab) heldFigure(ctx context.Context) []figure {
	s := l.setting(ctx, "held")
	defer s.store.Close()
	var with, without, shares []float64
	for round := -1; round < l.rounds; round++ {
		free, _, _ := l.measured(ctx, l.sets(s))
		held := l.whileHeld(ctx, l.sets(s))
		if round >= 0 {
			with, without = append(with, held), append(without, free)
			shares = append(shares, held/free)
		}
	}
	return []figure{{"Store.Set while a snapshot is held open", perSecond(median(with)),
		"without " + perSecond(median(without)), median(shares), timesAtLeast(0.85)}}
}

// whileHeld measures the second of two rounds under one snapshot: the first makes the rows that the
// snapshot keeps from being forgotten.
func (l *lab) whileHeld(ctx context.Context, run func(context.Context) float64) (
	rate float64) {
	conn := harness.Must(l.pool.Acquire(ctx))
	defer conn.Release()
	harness.Must(conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ"))
	defer func() { harness.Must(conn.Exec(ctx, "ROLLBACK")) }()
	harness.Must(conn.Exec(ctx, "SELECT count(*) FROM mem.spaces"))
	run(ctx)
	rate, _, _ = l.measured(ctx, run)
	return rate
}
