package union

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// reading is one ranking or search over all members.
type reading struct {
	*snapshot
	ctx    context.Context // of the one call that it lives for
	where  backend.Where
	before func(i int) // called before member i is asked what it hides; may be nil

	mu     sync.Mutex
	failed error // met while it was asked whether a record is hidden
}

// whereOf returns the conditions for a member: those of the call, its own, and that no earlier
// member hides a record.
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
		if err != nil {
			r.mu.Lock()
			r.failed = err
			r.mu.Unlock()
		}
		if hides || err != nil {
			return true
		}
	}
	return false
}

// hides reports whether a member has a record of a key, and does not leave it out.
func (r *reading) hides(i int, key keypath.Key) (bool, error) {
	m := &r.of.members[i]
	if m.Without.Has(key.Class()) || m.shares(key) {
		return false, nil
	}
	if r.before != nil {
		r.before(i)
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
func (r *reading) untilFailed(
	rows iter.Seq2[readout.Candidate, error],
) iter.Seq2[readout.Candidate, error] {
	return func(yield func(readout.Candidate, error) bool) {
		for c, err := range rows {
			if r.failed != nil {
				break
			}
			if !yield(c, err) {
				return
			}
		}
		if r.failed != nil {
			yield(readout.Candidate{}, r.failed)
		}
	}
}

// search is a reading that looks for words.
type search struct {
	reading
	query   *fts.Query
	options backend.SearchOptions
	counted *counting
	parts   []*part // by the number of the member
	found   []found
}

// part is the search of one member.
type part struct {
	hits  []backend.Hit
	err   error
	panic any
	ended chan struct{} // closed
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
		counted: newCounting(len(s.parts), o.Stats),
	}
	f.before = func(i int) { <-f.parts[i].ended }
	if err := f.run(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.found, func(a, b found) int { return a.Compare(&b.Hit) })
	if o.Limit > 0 {
		f.found = f.found[:min(o.Limit, len(f.found))]
	}
	return f.hits()
}

// run searches the members side by side: a hook is waited for.
func (f *search) run() error {
	for range f.snapshot.parts {
		f.parts = append(f.parts, &part{ended: make(chan struct{})})
	}
	for i := 1; i < len(f.parts); i++ {
		go f.searchMember(i)
	}
	f.searchMember(0)
	var errs []error
	for i, p := range f.parts {
		<-p.ended
		if p.panic != nil {
			panic(p.panic) // where the caller can recover it
		}
		errs = append(errs, p.err)
		for _, h := range p.hits {
			h.Record.Layer = f.of.members[i].Layer
			f.found = append(f.found, found{h, i})
		}
	}
	return errors.Join(append(errs, f.failed)...)
}

// searchMember searches one member.
func (f *search) searchMember(i int) {
	p, counted := f.parts[i], false
	defer func() {
		p.panic = recover()
		if !counted {
			f.counted.add(fts.Stats{}) // the others do not wait for what does not come
		}
		close(p.ended)
	}()
	o := f.options
	o.Bare = true
	o.Stats = func(own fts.Stats) (fts.Stats, error) {
		counted = true
		return f.counted.wait(own)
	}
	p.hits, p.err = f.snapshot.parts[i].Search(f.ctx, f.query, f.whereOf(i), o)
}

// counting adds up what the members count.
type counting struct {
	mu   sync.Mutex
	left int // members that have not counted yet
	sum  fts.Stats
	err  error
	done chan struct{} // closed when none is left

	adopt func(fts.Stats) (fts.Stats, error) // asked for the sum in place of ours; may be nil
}

func newCounting(members int, adopt func(fts.Stats) (fts.Stats, error)) *counting {
	return &counting{left: members, adopt: adopt, done: make(chan struct{})}
}

// add adds the numbers of a member.
func (c *counting) add(own fts.Stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum = c.sum.Plus(own)
	if c.left--; c.left > 0 {
		return
	}
	if c.adopt != nil {
		c.sum, c.err = c.adopt(c.sum)
	}
	close(c.done)
}

// wait adds the numbers of a member, and returns those of all when all have counted.
func (c *counting) wait(own fts.Stats) (fts.Stats, error) {
	c.add(own)
	<-c.done
	return c.sum, c.err
}

// hits reads those that were chosen, and holds them to the floor.
func (f *search) hits() ([]backend.Hit, error) {
	evident := slices.IndexFunc(f.found, func(h found) bool { return h.Evident })
	hits := make([]backend.Hit, len(f.found))
	for i, h := range f.found {
		hits[i] = h.Hit
		if f.options.Bare {
			hits[i].Evident = i == evident
			continue
		}
		hits[i].Evident = false
		if f.options.Relevant && (evident < 0 || !fts.IsNear(h.Score, f.found[0].Score)) {
			hits[i].BelowFloor, hits[i].Parts = true, nil
			continue
		}
		rec, _, err := f.snapshot.parts[h.member].Get(f.ctx, h.Record.Key)
		if err != nil {
			return nil, err
		}
		rec.Layer = h.Record.Layer
		hits[i].Record = rec
	}
	return hits, nil
}
