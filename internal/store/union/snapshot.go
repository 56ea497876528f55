package union

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// snapshot has the live records of each member.
type snapshot struct {
	of    *Backend
	parts []backend.Snapshot // by the number of the member
}

// Snapshot returns the live records of the members, one member after the other.
func (b *Backend) Snapshot(ctx context.Context) (backend.Snapshot, error) {
	return b.snapshot(ctx)
}

func (b *Backend) snapshot(ctx context.Context) (*snapshot, error) {
	s := &snapshot{of: b}
	for _, m := range b.members {
		part, err := m.Backend.Snapshot(ctx)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.parts = append(s.parts, part)
	}
	return s, nil
}

// Get returns what Get of the backend does.
func (s *snapshot) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return s.of.first(func(i int) (log.Record, bool, error) { return s.parts[i].Get(ctx, key) })
}

// ScanBelow yields the record of every key under a prefix that Get returns, by key; before it those
// that hide nothing.
func (s *snapshot) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		var seqs []iter.Seq2[log.Record, error]
		for i, part := range s.parts {
			m := &s.of.members[i]
			set := func(rec *log.Record) { rec.Layer = m.Layer }
			seqs = append(seqs, visibleRecords(m, inLayer(part.ScanBelow(ctx, p), set)))
		}
		h, err := open(seqs)
		defer h.close()
		for err == nil {
			least := h.least(func(a, b *log.Record) int { return a.Key.Compare(b.Key) })
			if least == nil {
				return
			}
			for _, rec := range s.shownRecords(h, least.value.Key) {
				if !yield(rec, nil) {
					return
				}
			}
			err = passKey(h, least.value.Key)
		}
		yield(log.Record{}, err)
	}
}

// shownRecords returns which of the records of one key show, the highest rank first: each that no
// earlier one hides. What has expired hides nothing; where all have, the first shows.
func (s *snapshot) shownRecords(h *heads[log.Record], key keypath.Key) (shown []log.Record) {
	type ranked struct {
		log.Record
		rank int
	}
	var live []ranked
	hidden := math.MinInt // the ranks up to here
	for i, one := range h.list {
		switch m := &s.of.members[i]; {
		case !one.more || one.value.Key != key:
		case s.of.expired(one.value):
			shown = append(shown, one.value)
		default:
			rec := ranked{one.value, m.rank(one.value)}
			if rec.rank > hidden {
				live = append(live, rec)
			}
			if !m.shares(key) {
				hidden = max(hidden, rec.rank)
			}
		}
	}
	if len(live) == 0 {
		return shown[:1]
	}
	slices.SortStableFunc(live, func(a, b ranked) int { return b.rank - a.rank })
	shown = shown[:0]
	for _, rec := range live {
		shown = append(shown, rec.Record)
	}
	return shown
}

// visibleRecords yields the records that a member does not leave out.
func visibleRecords(m *Member, seq iter.Seq2[log.Record, error]) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range seq {
			if (err != nil || m.keeps(rec)) && !yield(rec, err) {
				return
			}
		}
	}
}

// passKey advances all heads that are at a key.
func passKey(h *heads[log.Record], key keypath.Key) error {
	for _, one := range h.list {
		if one.more && one.value.Key == key {
			if err := one.advance(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Has reports whether a key has a live record in any member that has not expired at now.
func (s *snapshot) Has(ctx context.Context, key keypath.Key, now log.Stamp) (bool, error) {
	for _, part := range s.parts {
		if has, err := part.Has(ctx, key, now); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// Size returns the sum of the sizes in the members.
func (s *snapshot) Size(
	ctx context.Context, below keypath.Prefix,
) (live, deleted int64, err error) {
	for _, part := range s.parts {
		l, d, err := part.Size(ctx, below)
		if err != nil {
			return 0, 0, err
		}
		live, deleted = live+l, deleted+d
	}
	return live, deleted, nil
}

// Rank merges the rankings of the members.
func (s *snapshot) Rank(
	ctx context.Context, q readout.Query, w backend.Where,
) (all backend.Ranking, err error) {
	var rows []iter.Seq2[readout.Candidate, error]
	r := &reading{snapshot: s, ctx: ctx, where: w}
	for i, part := range s.parts {
		layer := s.of.members[i].Layer
		one, err := part.Rank(ctx, queryIn(layer, q), r.whereOf(i))
		if err != nil {
			discard(rows)
			return backend.Ranking{}, err
		}
		all.Considered += one.Considered
		set := func(c *readout.Candidate) { c.Layer = layer }
		rows = append(rows, inLayer(one.Rows, set))
	}
	all.Rows = untilFailed(r, merged(rows, (*readout.Candidate).Compare))
	return all, nil
}

// queryIn returns a query whose caller judges the memories of a member by its layer.
func queryIn(layer string, q readout.Query) readout.Query {
	q.Standing, q.Near = inLayerOf(layer, q.Standing), inLayerOf(layer, q.Near)
	return q
}

// inLayerOf returns a judgment on items whose layer is known.
func inLayerOf[T any](layer string, judge func(*readout.Item) T) func(*readout.Item) T {
	if judge == nil {
		return nil
	}
	return func(it *readout.Item) T {
		in := *it
		in.Layer = layer
		return judge(&in)
	}
}

// Newest returns the newest ts that was ever written to a member.
func (s *snapshot) Newest() log.Stamp {
	newest := log.MinStamp
	for _, part := range s.parts {
		newest = max(newest, part.Newest())
	}
	return newest
}

// Damaged returns the lines that were left out of any member.
func (s *snapshot) Damaged() (all []*log.Damage) {
	for _, part := range s.parts {
		all = slices.Concat(all, part.Damaged())
	}
	return all
}

// Close closes the snapshots of the members.
func (s *snapshot) Close() {
	for _, part := range s.parts {
		part.Close()
	}
}
