package mem

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Found is one hit.
type Found struct {
	Record log.Record
	// Score is that of BM25 with its additions, or of SearchOptions.Relevance; it compares the hits
	// of one search alone.
	Score float64
	Match float64 // as in Candidate, where there is a relevance
	// Neighbor reports a hit without a word of the query whose neighbor in the conversation has
	// one; set where there is a relevance.
	Neighbor bool
	Factors  []Factor // of the relevance, with SearchOptions.Explain
	Parts    []fts.Part
	// Below reports a hit that is not clearly relevant (SearchOptions.Relevant): its Record has
	// only key and ts.
	Below bool
	// Outdone reports a hit above the floor that does not hold against the best, see fts.Focus.
	Outdone bool
	// Untrusted: see Store.Trusts.
	Untrusted bool
	Remark    string // as in Memory; the caller sets it
}

// Factor is one of the numbers whose product is a relevance.
type Factor struct {
	Name  string
	Value float64
}

// Search finds the live memories that match best, best first; with o.Relevant those that are not
// clearly relevant come after the others. The error wraps ErrInput or fts.ErrQuery, or is the file
// system's.
func (s *Store) Search(ctx context.Context, c Caller, o SearchOptions) (found []Found, err error) {
	op := s.newOperation(c, policy.Search)
	defer func() { op.Done(countAbove(found), err) }()
	return s.Reader(c).Search(ctx, o)
}

// ListClass returns the live memories of one class of namespaces below a prefix, the newest first.
// What the caller is not permitted to see is not among them.
func (s *Store) ListClass(ctx context.Context, c Caller, below keypath.Prefix,
	class keypath.Class) ([]log.Record, error) {
	v, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	w := backend.Where{Now: s.opts.stamp(c), Agent: c.Agent,
		Classes: backend.Classes(0).With(class), Without: ^backend.Classes(0).With(class),
		Conditions: backend.Conditions{Prefix: below, Superseded: true}}
	return v.Select(ctx, w, backend.NewestFirst, 0)
}

// Search is [Store.Search] without a line in the journal.
func (r Reader) Search(ctx context.Context, o SearchOptions) ([]Found, error) {
	v, err := r.store.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	find := r.find
	if !o.Plain && strings.TrimSpace(o.Query) == "" {
		find = r.selected
	}
	found, err := find(ctx, v, o)
	for i := range found {
		found[i].Untrusted = !r.store.Trusts(found[i].Record)
	}
	return found, err
}

func countAbove(found []Found) (n int) {
	for _, f := range found {
		if !f.Below {
			n++
		}
	}
	return n
}

// selected returns what the conditions alone let pass.
func (r Reader) selected(
	ctx context.Context, v backend.Snapshot, o SearchOptions,
) (found []Found, err error) {
	w, among, err := r.conditions(ctx, v, o)
	if err != nil {
		return nil, err
	}
	var list []log.Record
	if among != nil {
		list, err = selectAmong(ctx, v, w, among, o)
	} else {
		list, err = v.Select(ctx, w, o.order(), o.limit())
	}
	for _, rec := range list {
		f := Found{Record: rec, Match: 1}
		if o.Relevance != nil {
			f.Score = backend.PlaceRecord(o.order(), rec, content.Parse(rec.Content)).Score()
		}
		found = append(found, f)
	}
	return found, err
}

// selectAmong is a selection of few keys, each of which is looked up.
func selectAmong(
	ctx context.Context, v backend.Snapshot, w backend.Where, keys map[keypath.Key]bool,
	o SearchOptions,
) (list []log.Record, err error) {
	for key := range keys {
		rec, found, err := v.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		if found && w.Prefix.Holds(key) && w.Shows(key.Realm()) &&
			w.Holds(rec.TS, content.Parse(rec.Content)) && w.Accepts(rec) {
			list = append(list, rec.Clone())
		}
	}
	backend.SortRecords(o.order(), list)
	return list[:min(len(list), o.limit())], nil
}

func (r Reader) find(
	ctx context.Context, v backend.Snapshot, o SearchOptions,
) (found []Found, err error) {
	q, err := o.query()
	if err != nil {
		return nil, err
	}
	w, _, err := r.conditions(ctx, v, o)
	if err != nil {
		return nil, err
	}
	if o.Relevance != nil {
		return r.findRelevant(ctx, v, q, w, o)
	}
	limit := o.limit()
	if o.Sort != ByRelevance {
		limit = 0 // the best of another order may be any of them
	}
	hits, err := v.Search(ctx, q, w, backend.SearchOptions{
		Limit: limit, Relevant: o.Relevant, Explain: o.Explain, Focus: o.Focus,
	})
	if err != nil {
		return nil, err
	}
	var above []*fts.Evidence
	for i, h := range hits {
		if h.BelowFloor || !h.FromNeighbor || isSpoken(h.Record.Content) {
			found = append(found, Found{Record: h.Record, Score: h.Score, Parts: h.Parts,
				Below: h.BelowFloor})
			if o.Focus && !h.BelowFloor {
				hits[i].Evidence.Spoken = isSpoken(h.Record.Content)
				above = append(above, &hits[i].Evidence)
			}
		}
	}
	outdoneLast(found, above)
	return o.sorted(found), nil
}

type scoredHit struct {
	*backend.Hit
	match, relevance float64
}

// outdoneLast marks those of the first hits that do not hold against the best, by their evidence,
// and puts them behind the others.
func outdoneLast(found []Found, evidence []*fts.Evidence) {
	for i, kept := range fts.Focus(evidence) {
		found[i].Outdone = !kept
	}
	fts.PutFirst(found[:len(evidence)], func(f *Found) bool { return !f.Outdone })
}

// findRelevant is find in the order of o.Relevance: everything that the words find is scored, and
// only the returned records are read.
func (r Reader) findRelevant(ctx context.Context, v backend.Snapshot, q *fts.Query,
	w backend.Where, o SearchOptions) (found []Found, err error) {
	hits, err := v.Search(ctx, q, w, backend.SearchOptions{
		Bare: !o.Relevant, Relevant: o.Relevant, // the split needs all hits
	})
	if err != nil {
		return nil, err
	}
	list, best := make([]scoredHit, 0, len(hits)), 0.0
	for _, h := range hits {
		best = max(best, h.Score)
	}
	for i := range hits {
		if h := &hits[i]; !h.BelowFloor {
			list = append(list, o.scored(h, best))
		}
	}
	slices.SortStableFunc(list, func(a, b scoredHit) int {
		return cmp.Or(cmp.Compare(b.relevance, a.relevance), cmp.Compare(b.Time, a.Time),
			a.Record.Key.Compare(b.Record.Key))
	})
	for _, h := range list {
		rec, ok, err := v.Get(ctx, h.Record.Key)
		if err != nil {
			return nil, err
		}
		if !ok || h.FromNeighbor && !isSpoken(rec.Content) {
			continue
		}
		found = append(found, Found{Record: rec.Clone(), Score: h.relevance, Match: h.match,
			Neighbor: h.FromNeighbor})
		if o.Sort == ByRelevance && len(found) == o.limit() {
			break
		}
	}
	return o.sorted(found), nil
}

// scored returns a hit with its relevance; best is the score of the best hit.
func (o *SearchOptions) scored(h *backend.Hit, best float64) scoredHit {
	match := 1.0
	if best > 0 {
		match = min(1, h.Score/best)
	}
	if o.Relevant {
		f := content.Parse(h.Record.Content)
		h.Type, h.Importance = f.Type, f.Importance
	}
	place := backend.SortKey{Time: h.Time, Importance: h.Importance, Type: h.Type,
		Key: func() (keypath.Key, bool) { return h.Record.Key, true }}
	return scoredHit{h, match, o.Relevance(Candidate{place, match})}
}

// sorted returns the hits of words in order. They come by relevance, but for corrections.
func (o SearchOptions) sorted(found []Found) []Found {
	if o.Sort == ByRelevance {
		return correctionsFirst(found)
	}
	found = slices.DeleteFunc(found, func(f Found) bool { return f.Below })
	type placed struct {
		Found
		place backend.SortKey
	}
	order, list := o.Sort.order(), make([]placed, len(found))
	for i, f := range found {
		at := backend.PlaceRecord(order, f.Record, content.Parse(f.Record.Content))
		list[i] = placed{f, at.Place}
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		return cmp.Or(order.Compare(a.place, b.place), a.Record.Key.Compare(b.Record.Key))
	})
	for i := range found {
		found[i] = list[i].Found
	}
	return found[:min(len(found), o.limit())]
}

// correctionsFirst moves a memory that replaces a hit before it, and before older hits that say
// nearly the same as the replaced one: the correction holds for these too.
func correctionsFirst(found []Found) []Found {
	for i := range found {
		stale := content.Parse(found[i].Record.Content)
		if stale.SupersededBy == "" {
			continue
		}
		at := slices.IndexFunc(found, func(f Found) bool {
			return f.Record.Key.String() == stale.SupersededBy
		})
		if at < 0 {
			continue
		}
		near := fts.NewNear(cmp.Or(stale.Text, stale.Summary))
		first := slices.IndexFunc(found[:at], func(f Found) bool {
			return f.Record.Key == found[i].Record.Key ||
				f.Record.TS < found[at].Record.TS && backend.Matches(near, f.Record)
		})
		if first >= 0 {
			correction := found[at]
			copy(found[first+1:at+1], found[first:at])
			found[first] = correction
		}
	}
	return found
}

// isSpoken reports whether a memory is what somebody said. An answer often shares no word with its
// question, so only such memories may be found by their neighbors.
func isSpoken(text []byte) bool {
	for name := range jsontext.Members(text) {
		if name == "speaker" || name == "role" {
			return true
		}
	}
	return false
}
