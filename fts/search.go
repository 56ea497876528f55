package fts

import (
	"slices"

	"github.com/set-memory/mem/log"
)

// Options say how many hits a search brings, and which docs may be among them.
type Options struct {
	Limit int       // hits; 0: all there are
	Now   log.Stamp // what yesterday in a query is counted from
	Keep  func(Doc) bool
	Load  func(Doc) (log.Record, error)
}

// Doc is a record that is searched: a row of the state, or a record of the tail.
type Doc struct {
	Row  int        // -1 for a record of the tail
	Tail log.Record // that record
	TS   log.Stamp
}

// Hit is a record that was found.
type Hit struct {
	Doc
	Key   string
	Score float64
}

// search is one search while it runs.
type search struct {
	*space
	model  model
	query  *Query
	opt    Options
	terms  []scored
	words  []float64 // the score of each doc by itself
	sum    []float64 // with all that is added
	hit    []uint32  // docs with a score, in no order, then in theirs
	byPath []float64 // the score of each folder
	lent   []uint32
}

// scored is a term of the query, ready to count.
type scored struct {
	text   string
	weight float64
	df     int
	idf    float64
	lists  []list    // in the sidecar; several for a prefix
	tail   []posting // in the tail
}

// Search finds the records that fit a query best, best first; equals come newest first. ix may be nil where there is no sidecar, tail where
// nothing came after it. An error means that the sidecar cannot be used: a search without it, with all records as the tail, finds
// the same.
func Search(ix *Index, tail *Tail, q *Query, opt Options) ([]Hit, error) {
	sp, err := newSpace(ix, tail, q.scope)
	if err != nil {
		return nil, err
	}
	s := &search{space: sp, model: standard, query: q, opt: opt}
	return s.run()
}

func (s *search) run() ([]Hit, error) {
	s.words, s.sum = make([]float64, s.size()), make([]float64, s.size())
	for _, step := range [...]func() error{s.resolve, s.match, s.lend, s.speakers, s.addFolders} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s.best()
}

// resolve opens the lists of the query's terms.
func (s *search) resolve() error {
	named, err := s.namedTerms()
	if err != nil {
		return err
	}
	for _, term := range s.query.terms {
		weight := 1.0
		if named[term] {
			weight = s.model.named
		}
		if err := s.addTerm(term, weight); err != nil {
			return err
		}
	}
	for _, d := range s.query.dates {
		for _, term := range d.terms(s.opt.Now) {
			if err := s.addTerm(term, s.model.date); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *search) addTerm(text string, weight float64) error {
	t := scored{text: text, weight: weight}
	if weight == 0 || slices.ContainsFunc(s.terms, func(t scored) bool { return t.text == text }) {
		return nil
	}
	if err := s.openTerm(&t); err != nil {
		return err
	}
	if t.df > 0 {
		t.idf = idf(s.docs, t.df)
		s.terms = append(s.terms, t)
	}
	return nil
}

func (s *search) openTerm(t *scored) error {
	t.tail = s.tail.list(t.text)
	if s.ix != nil {
		f, ok, err := s.ix.lookup(t.text)
		if err != nil {
			return err
		}
		if ok && f.count > 0 {
			l, err := s.ix.open(f)
			if err != nil {
				return err
			}
			t.lists = append(t.lists, l)
		}
	}
	return s.each(t, func(uint32, counts) error { t.df++; return nil })
}

// each calls fn with the live docs of a term, in order.
func (s *search) each(t *scored, fn func(doc uint32, tf counts) error) error {
	var buf []posting
	for _, l := range t.lists {
		for _, sp := range s.spans {
			if sp.from >= sp.to {
				continue
			}
			for b := l.at(sp.from); b < l.size(); b++ {
				if l.firstRow(b) >= sp.to {
					break
				}
				var err error
				if buf, err = l.read(buf[:0], b); err != nil {
					return stale(err.Error())
				}
				for _, p := range buf {
					if p.row < sp.from || p.row >= sp.to || s.isGone(p.row) {
						continue
					}
					if err := fn(p.row, p.tf); err != nil {
						return err
					}
				}
			}
		}
	}
	for _, p := range t.tail {
		if s.placed[p.row].live {
			if err := fn(s.rows+p.row, p.tf); err != nil {
				return err
			}
		}
	}
	return nil
}

// namedTerms gives the terms of the query that are names of speakers.
func (s *search) namedTerms() (map[string]bool, error) {
	named := map[string]bool{}
	for i, name := range s.query.names {
		t := scored{text: kindSpeaker + name}
		if err := s.openTerm(&t); err != nil {
			return nil, err
		}
		if t.df > 0 {
			for _, term := range s.query.named[i] {
				named[term] = true
			}
		}
	}
	return named, nil
}

// match scores every doc by itself, and the folders.
func (s *search) match() error {
	mean := float64(s.space.words) / float64(max(s.docs, 1))
	pathMean := float64(s.space.words) / float64(max(s.space.folders, 1))
	s.byPath = make([]float64, s.paths())
	inPath := make([]float64, s.paths())
	for i := range s.terms {
		t := &s.terms[i]
		var touched []uint32
		err := s.each(t, func(doc uint32, tf counts) error {
			length, err := s.length(doc)
			if err != nil {
				return err
			}
			fr := s.model.frequency(tf)
			b := s.model.b
			if t.text[0] == kindDate[0] {
				b = 0
			}
			if s.words[doc] == 0 {
				s.hit = append(s.hit, doc)
			}
			s.words[doc] += t.weight * t.idf * s.model.saturate(fr, float64(length)/mean, b)
			if t.text[0] == kindDate[0] {
				return nil
			}
			id, err := s.folder(doc)
			if err != nil || id == noFolder {
				return err
			}
			if inPath[id] == 0 {
				touched = append(touched, id)
			}
			inPath[id] += fr
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range touched {
			words, err := s.folderWords(id)
			if err != nil {
				return err
			}
			s.byPath[id] += t.weight * t.idf * s.model.saturate(inPath[id], float64(words)/pathMean, s.model.pathB)
			inPath[id] = 0
		}
	}
	return nil
}

func (s *search) length(doc uint32) (int, error) {
	if doc >= s.rows {
		return s.tail.docs[doc-s.rows].length, nil
	}
	return s.ix.length(doc)
}

func (s *space) paths() int {
	n := int(s.fresh)
	if s.rows > 0 {
		n += s.ix.paths()
	}
	return n
}

// lend lets neighbours in the same folder lend a part of their score.
func (s *search) lend() error {
	slices.Sort(s.hit)
	all := s.hit
	add := func(doc uint32, v float64) {
		if s.sum[doc] == 0 {
			s.lent = append(s.lent, doc)
		}
		s.sum[doc] += v
	}
	for _, doc := range all {
		score := s.words[doc]
		add(doc, score)
		home, err := s.folder(doc)
		if err != nil {
			return err
		}
		for _, step := range [...]func(uint32) (uint32, bool){s.next, s.previous} {
			at, ok := doc, true
			for _, share := range s.model.near {
				if at, ok = step(at); !ok {
					break
				}
				id, err := s.folder(at)
				if err != nil {
					return err
				}
				if id == home {
					add(at, share*score)
				}
			}
		}
	}
	return nil
}

// speakers adds to the records of a speaker whom the query names.
func (s *search) speakers() error {
	for _, name := range s.query.names {
		t := scored{text: kindSpeaker + name}
		if err := s.openTerm(&t); err != nil {
			return err
		}
		if t.df == 0 {
			continue
		}
		bonus := s.model.speaker * idf(s.docs, t.df)
		err := s.each(&t, func(doc uint32, _ counts) error {
			if s.sum[doc] > 0 {
				s.sum[doc] += bonus
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *search) addFolders() error {
	for _, doc := range s.lent {
		id, err := s.folder(doc)
		if err != nil {
			return err
		}
		if id != noFolder {
			s.sum[doc] += s.model.folder * s.byPath[id]
		}
	}
	return nil
}

func (s *search) best() ([]Hit, error) {
	var hits []Hit
	for _, doc := range s.lent {
		h := Hit{Score: s.sum[doc]}
		if doc < s.rows {
			ts, err := s.ix.stamp(doc)
			if err != nil {
				return nil, err
			}
			h.Doc = Doc{Row: int(doc), TS: ts}
			if h.Key, err = s.ix.key(doc); err != nil {
				return nil, err
			}
		} else {
			rec := s.tail.docs[doc-s.rows].rec
			h.Doc = Doc{Row: -1, Tail: rec, TS: rec.TS}
			h.Key = rec.Key.String()
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return int(b.TS - a.TS)
	})
	if s.opt.Limit > 0 && len(hits) > s.opt.Limit {
		hits = hits[:s.opt.Limit]
	}
	return hits, nil
}
