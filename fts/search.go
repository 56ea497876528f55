package fts

import (
	"slices"

	"github.com/set-memory/mem/log"
)

// Options say how many hits a search brings, and which records may be among them.
type Options struct {
	Limit int       // hits; 0: all there are
	Now   log.Stamp // what "yesterday" in a query is counted from

	// Keep tells whether a record may be a hit; nil: all may. It is asked only for those good enough to be one, and not told their keys.
	Keep func(Doc) bool
	// Load reads a row of the state: a query with a phrase has to see the text. Nothing else needs it.
	Load func(row int) (log.Record, error)
}

// Doc is a record that is searched: a row of the state, or a record of the tail.
type Doc struct {
	Row    int         // -1 for a record of the tail
	Record *log.Record // that one; nil for a row
	Key    string
	TS     log.Stamp
}

// Hit is a record that was found.
type Hit struct {
	Doc
	Score float64
	Lent  bool // nothing that is looked for is in it: what stands beside it brought it here

	doc uint32
}

// Result is what a search has found, best first; equals come newest first, then by key.
type Result struct {
	Hits []Hit

	s *search
}

// Search finds the records that fit a query best. ix may be nil where there is no sidecar, tail where nothing came after it. An error means that
// the sidecar cannot be used: a search without it, with all records in the tail, finds the same.
func Search(ix *Index, tail *Tail, q *Query, opt Options) (*Result, error) {
	return standard.search(ix, tail, q, opt)
}

func (m model) search(ix *Index, tail *Tail, q *Query, opt Options) (*Result, error) {
	if q.nothing {
		return &Result{}, nil
	}
	sp, err := newSpace(ix, tail, q)
	if err != nil {
		return nil, err
	}
	s := &search{space: sp, model: m, query: q, opt: opt}
	for _, step := range [...]func() error{s.resolve, s.filter, s.match, s.lend, s.favour} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	hits, err := s.best()
	return &Result{Hits: hits, s: s}, err
}

// search is one search while it runs.
type search struct {
	*space
	model     model
	query     *Query
	opt       Options
	terms     []scored  // of the query, those that many docs have last
	total     float64   // what all of them are worth together
	strangers float64   // words of the query that no doc has, as evidence counts them
	speakers  []speaker // whom the query names
	allowed   []uint64  // a bit for each doc that may be a hit; nil: all

	fetched
	norms   [256]float64 // by the code of a length
	scores  cells        // of docs
	byPath  cells        // of folders
	found   []uint32     // docs with a score of their own, in order
	reached []uint32     // docs with any score
}

// speaker is one that the query names.
type speaker struct {
	scored
	named []string // the terms that the name has in texts
}

// findSpeakers looks which words of the query are names of speakers.
func (s *search) findSpeakers() error {
	for i, name := range s.query.names {
		t, err := s.open(kindSpeaker + name)
		if err != nil {
			return err
		}
		if t.df > 0 {
			t.idf = min(idf(s.docs, t.df), maxSpeakerIDF)
			s.speakers = append(s.speakers, speaker{t, s.query.named[i]})
		}
	}
	return nil
}

func (s *search) isNamed(term string) bool {
	return slices.ContainsFunc(s.speakers, func(sp speaker) bool { return slices.Contains(sp.named, term) })
}

// each calls fn with the live docs in scope that a term has, in order, some at a time.
func (s *search) each(t *scored, fn func([]posting) error) error {
	for _, sp := range s.spans {
		err := t.list.eachBlock(sp.from, sp.to, func(some []posting) error {
			if s.gone != nil {
				some = slices.DeleteFunc(some, func(p posting) bool { return s.isGone(p.row) })
			}
			return fn(some)
		})
		if err != nil {
			return err
		}
	}
	live := make([]posting, 0, len(t.tail))
	for _, p := range t.tail {
		if s.placed[p.row].live {
			live = append(live, posting{s.rows + p.row, p.tf})
		}
	}
	return fn(live)
}

// has gives how often a term stands in a doc.
func (s *search) has(t *scored, doc uint32) (counts, error) {
	if doc < s.rows {
		return t.list.find(doc)
	}
	i, ok := slices.BinarySearchFunc(t.tail, doc-s.rows, func(p posting, row uint32) int { return int(p.row) - int(row) })
	if !ok {
		return 0, nil
	}
	return t.tail[i].tf, nil
}
