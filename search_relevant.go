package mem

import (
	"cmp"
	"context"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
)

// scoredHit is a hit and its relevance.
type scoredHit struct {
	*backend.Hit
	match, relevance float64
}

// findRelevant is find in the order of o.Relevance: everything that the words find is scored, and
// only what is returned is read.
func (r Reader) findRelevant(ctx context.Context, v backend.Snapshot, q *fts.Query,
	w backend.Where, o SearchOptions) (found []Found, err error) {
	hits, err := v.Search(ctx, q, w, backend.SearchOptions{
		Bare: !o.Relevant, Relevant: o.Relevant, // what is told apart is read
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
	place := backend.Place{Time: h.Time, Importance: h.Importance, Type: h.Type,
		Key: func() (keypath.Key, bool) { return h.Record.Key, true }}
	return scoredHit{h, match, o.Relevance(Candidate{place, match})}
}
