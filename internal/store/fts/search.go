package fts

import (
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"slices"
)

// Options say how many hits a search brings, and which records may be among them.
type Options struct {
	Limit int // hits; 0: all there are
	// ByScore leaves order and limit to a caller that searches several stores as one: the hits are
	// ordered by score, as many as [Arrange] needs even if the limit is lower.
	ByScore bool
	Now     log.Stamp // "yesterday" in a query is the day before
	// Ranked is how many records of a score of their own go on to their neighbors and folders, if
	// that is fewer than usual; 0: as many as usual.
	Ranked int

	// Sees reports whether the records of a realm are searched; nil: all are. Other records count
	// in no statistics and are no neighbors, as if they did not exist.
	Sees func(keypath.Realm) bool
	// Keep reports whether a record may be a hit; nil: all may. It is called only for records that
	// score high enough, with a Doc that has no key.
	Keep func(Doc) bool
	// Lends reports whether a record may make hits of neighbors that have no word of the query
	// themselves; nil: every record may that meets the conditions of the query.
	Lends func(Doc) bool
	// Load reads a row of the state. Only a query with a phrase needs it, to compare the text.
	Load func(row int) (log.Record, error)
}

// Doc is a record that is searched: a row of the state, or a record of the tail.
type Doc struct {
	Row    int         // -1 for a record of the tail
	Record *log.Record // that one; nil for a row
	Key    string
	Time   log.Stamp // of the memory, see content.Fields.Time
}

// Hit is a record that was found.
type Hit struct {
	Doc
	Score        float64
	Lift         float64 // of the first hits: counts for their order, besides the score
	FromNeighbor bool    // it has no word of the query: all its score is from its neighbors

	doc uint32
}

// Result holds the hits of a search, best first; of equal scores the newest first, then by key.
type Result struct {
	Hits []Hit

	byScore, arranged []Hit // all that were ordered, beyond the limit too
	s                 *search
}

type search struct {
	index  *termIndex
	model  *model
	query  *Query
	opt    Options
	opened *openQuery
	terms  *resolvedQuery
	filter *docFilter
	scores *scorer
}

// Search finds the records that fit a query best. ix may be nil where there is no sidecar, tail
// where nothing came after it. An error means that the sidecar cannot be used: a search without it,
// with all records in the tail, finds the same.
func Search(ix *Index, tail *Tail, q *Query, opt Options) (*Result, error) {
	return standard.search(ix, tail, q, opt)
}

func (m *model) search(ix *Index, tail *Tail, q *Query, opt Options) (*Result, error) {
	p, err := m.prepare(ix, tail, q, opt)
	if err != nil {
		return nil, err
	}
	return p.Search(nil)
}

// Prepared is a search whose terms have been looked up, and nothing scored yet.
type Prepared struct{ s *search }

// Prepare is the first part of [Search], for a caller that searches several stores as one. After it
// returns, other searches may use the tail again; the index must stay open.
func Prepare(ix *Index, tail *Tail, q *Query, opt Options) (*Prepared, error) {
	return standard.prepare(ix, tail, q, opt)
}

func (m *model) prepare(ix *Index, tail *Tail, q *Query, opt Options) (*Prepared, error) {
	if q.matchesNothing {
		return &Prepared{}, nil
	}
	corpus, err := newCorpus(ix, tail, q, opt.Sees)
	if err != nil {
		return nil, err
	}
	s := &search{model: m, query: q, opt: opt, index: newTermIndex(corpus)}
	if s.opened, err = s.index.openQuery(q, opt.Now); err != nil {
		return nil, err
	}
	s.filter, err = newDocFilter(s.index, q)
	return &Prepared{s}, err
}

// Search scores the records. Scores use the statistics of all stores; nil: of this store.
func (p *Prepared) Search(all *Stats) (*Result, error) {
	s := p.s
	if s == nil {
		return &Result{}, nil
	}
	if all != nil {
		s.index.docs, s.index.words, s.index.folders = all.Docs, all.Words, all.Folders
	}
	s.terms = s.model.resolve(s.opened, s.query, s.index.docs, all)
	s.scores = newScorer(s.index, s.model, s.terms, s.opt.Ranked)
	if err := s.scores.score(); err != nil {
		return nil, err
	}
	r := &Result{s: s}
	var err error
	if r.byScore, err = s.best(); err != nil {
		return nil, err
	}
	if err := s.addLifts(r.byScore); err != nil {
		return nil, err
	}
	if s.opt.ByScore {
		r.Hits = r.byScore
		return r, nil
	}
	r.arranged = slices.Clone(r.byScore)
	Arrange(r.arranged, scoreAndLift)
	r.Hits = s.limited(r.arranged)
	return r, nil
}

// limited returns the first hits, as many as were asked for.
func (s *search) limited(hits []Hit) []Hit {
	if s.opt.Limit > 0 {
		hits = hits[:min(s.opt.Limit, len(hits))]
	}
	return hits
}

// lends reports whether a doc matches and may make its neighbors hits.
func (s *search) lends(doc uint32) bool {
	return s.scores.docs.accumulator(doc).self > 0 && s.filter.isAllowed(doc) &&
		(s.opt.Lends == nil || s.opt.Lends(s.docOf(doc)))
}

// isLent reports whether a doc without a word of the query has its score from a doc that meets the
// conditions: a doc that fails them must not make hits of its neighbors.
func (s *search) isLent(doc uint32) (bool, error) {
	if s.filter.allowed == nil && s.opt.Lends == nil {
		return true, nil
	}
	n, err := s.index.neighborsOf(doc)
	return slices.ContainsFunc(n.before[:n.befores], s.lends) ||
		slices.ContainsFunc(n.after[:n.afters], s.lends), err
}

// docOf returns a doc for a caller, without key and time.
func (s *search) docOf(doc uint32) Doc {
	if d := s.index.inTail(doc); d != nil {
		return Doc{Row: -1, Record: &d.rec}
	}
	return Doc{Row: int(doc)}
}

// candidates yields the docs that the words of the query lead to, or all without words.
func (s *search) candidates(yield func(uint32) bool) {
	if s.query.hasWords() || !s.query.hasConditions() {
		for _, doc := range s.scores.reached {
			if !yield(doc) {
				return
			}
		}
		return
	}
	for doc := range uint32(s.index.size()) {
		if s.index.isLive(doc) && !yield(doc) {
			return
		}
	}
}
