package union

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// reading is one ranking or search over all members.
type reading struct {
	*snapshot
	ctx    context.Context // of the one call that it lives for
	where  backend.Where
	failed error // met while it was asked whether a record is hidden
}

// whereOf returns the conditions for a member: those of the call, its own, and not hidden.
func (r *reading) whereOf(i int) backend.Where {
	w, m := r.where, &r.of.members[i]
	w.Without |= m.Without
	if m.Accept != nil || w.Accept != nil {
		w.Accept = func(rec log.Record) bool {
			rec.Layer = m.Layer
			return (m.Accept == nil || m.Accept(rec)) &&
				(!r.where.Asks(rec.Key.Class()) || r.where.Accept(rec))
		}
	}
	if m.Accept != nil {
		w.AcceptOf = 0
	}
	if i > 0 {
		w.Shadowed = func(key keypath.Key) bool {
			return r.where.Shadowed != nil && r.where.Shadowed(key) || r.isHidden(i, key)
		}
	}
	return w
}

// isHidden reports whether one of the members before i shows a record of a key.
func (r *reading) isHidden(i int, key keypath.Key) bool {
	for earlier := range i {
		hides, err := r.hides(earlier, key)
		if hides && err == nil {
			var outranked bool
			outranked, err = r.outranks(i, earlier, key)
			hides = !outranked
		}
		if err != nil {
			r.failed = err
		}
		if hides || err != nil {
			return true
		}
	}
	return false
}

// outranks reports whether the record of one member has a higher rank than that of another.
func (r *reading) outranks(one, other int, key keypath.Key) (bool, error) {
	rec, _, err := r.parts[one].Get(r.ctx, key)
	if err != nil {
		return false, err
	}
	than, _, err := r.parts[other].Get(r.ctx, key)
	return r.of.members[one].rank(rec) > r.of.members[other].rank(than), err
}

// hides reports whether a member has a record of a key, and does not leave it out.
func (r *reading) hides(i int, key keypath.Key) (bool, error) {
	m := &r.of.members[i]
	if m.Without.Has(key.Class()) || m.shares(key) {
		return false, nil
	}
	has, err := r.parts[i].Has(r.ctx, key, r.where.Now)
	if !has || err != nil || m.Accept == nil {
		return has, err
	}
	rec, found, err := r.parts[i].Get(r.ctx, key)
	rec.Layer = m.Layer
	return found && m.Accept(rec), err
}

// untilFailed yields rows until one could not be asked about.
func untilFailed[T any](r *reading, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if r.failed != nil {
				break
			}
			if !yield(row, err) {
				return
			}
		}
		if r.failed != nil {
			var none T
			yield(none, r.failed)
		}
	}
}

// Select merges what the members select.
func (s *snapshot) Select(
	ctx context.Context, w backend.Where, o backend.Order, limit int,
) (all []log.Record, err error) {
	r := &reading{snapshot: s, ctx: ctx, where: w}
	for i, part := range s.parts {
		list, err := part.Select(ctx, r.whereOf(i), o, limit)
		if err = errors.Join(err, r.failed); err != nil {
			return nil, err
		}
		for _, rec := range list {
			rec.Layer = s.of.members[i].Layer
			all = append(all, rec)
		}
	}
	backend.SortRecords(o, all)
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all, nil
}

// Selected merges what the members yield.
func (s *snapshot) Selected(
	ctx context.Context, w backend.Where, o backend.Order,
) iter.Seq2[backend.Placed, error] {
	r := &reading{snapshot: s, ctx: ctx, where: w}
	var rows []iter.Seq2[backend.Placed, error]
	for i, part := range s.parts {
		layer := s.of.members[i].Layer
		set := func(p *backend.Placed) { p.Record.Layer = layer }
		rows = append(rows, inLayer(part.Selected(ctx, r.whereOf(i), o), set))
	}
	return untilFailed(r, merged(rows, func(a, b *backend.Placed) int {
		return cmp.Or(o.Compare(a.Place, b.Place), a.Record.Key.Compare(b.Record.Key))
	}))
}

// search is a reading that looks for words.
type search struct {
	reading
	query   *fts.Query
	options backend.SearchOptions
	all     fts.Stats // of the members that have looked the query up
	found   []found
}

// found is a hit, and the number of its member.
type found struct {
	backend.Hit
	member int
}

// Search finds what matches a query best in all members.
func (s *snapshot) Search(
	ctx context.Context, q *fts.Query, w backend.Where, o backend.SearchOptions,
) ([]backend.Hit, error) {
	f := &search{
		reading: reading{snapshot: s, ctx: ctx, where: w}, query: q, options: o,
	}
	if err := f.searchFrom(0); err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.found, func(a, b found) int { return a.Compare(&b.Hit) })
	return f.hits()
}

// searchFrom searches the members from i on. Before one scores anything, those after it have been
// asked what they count.
func (f *search) searchFrom(i int) error {
	if i == len(f.parts) {
		if f.options.Stats == nil {
			return nil
		}
		all, err := f.options.Stats(f.all)
		f.all = all
		return err
	}
	o := f.options
	o.Bare = true
	o.Stats = func(own fts.Stats) (fts.Stats, error) {
		f.all = f.all.Plus(own)
		err := f.searchFrom(i + 1)
		return f.all, err
	}
	hits, err := f.parts[i].Search(f.ctx, f.query, f.whereOf(i), o)
	for _, h := range hits {
		h.Record.Layer = f.of.members[i].Layer
		f.found = append(f.found, found{h, i})
	}
	if err == nil {
		err = f.failed
	}
	return err
}

// hits reads those that were chosen, in order, and holds them to the floor.
func (f *search) hits() ([]backend.Hit, error) {
	evident := slices.IndexFunc(f.limited(f.options.Limit), func(h found) bool { return h.Evident })
	if f.options.Bare {
		f.found = f.limited(fts.Enough(f.options.Limit))
		hits := make([]backend.Hit, len(f.found))
		for i, h := range f.found {
			hits[i] = h.Hit
			hits[i].Evident = i == evident
		}
		return hits, nil
	}
	clear := f.arrange(evident >= 0)
	hits := make([]backend.Hit, len(f.found))
	for i, h := range f.found {
		hits[i] = h.Hit
		hits[i].Evident = false
		if i >= clear {
			hits[i].BelowFloor, hits[i].Parts = true, nil
			continue
		}
		rec, _, err := f.parts[h.member].Get(f.ctx, h.Record.Key)
		if err != nil {
			return nil, err
		}
		rec.Layer = h.Record.Layer
		hits[i].Record = rec
	}
	return hits, nil
}

// limited returns the first so many that were found; 0: all.
func (f *search) limited(limit int) []found {
	if limit == 0 {
		return f.found
	}
	return f.found[:min(limit, len(f.found))]
}

// arrange sorts the hits, clearly relevant ones first, and returns the number of those; without
// Relevant that is all.
func (f *search) arrange(evident bool) (clear int) {
	best := 0.0
	if len(f.found) > 0 {
		best = f.found[0].Score
	}
	fts.Arrange(f.found, func(h *found) (score, lift float64) { return h.Score, h.Lift })
	if clear = len(f.found); f.options.Relevant {
		clear = fts.PutFirst(f.found, func(h *found) bool {
			return evident && fts.IsNear(h.Score, best)
		})
	}
	f.found = f.limited(f.options.Limit)
	return min(clear, len(f.found))
}
