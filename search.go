package mem

import (
	"errors"
	"fmt"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/fts"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// SearchOptions say what a search is for (S-23 to S-26). All conditions hold together.
type SearchOptions struct {
	Query         string   // as people type it, see fts.ParseQuery
	Plain         bool     // Query is a message: nothing in it is syntax
	Limit         int      // hits; 0 is DefaultSearchLimit
	Types         []string // one of these
	Tags          []string // each "a,b" (one of these), "a.b" names below "a" too, or "!a" (none of these)
	Since, Until  *log.Stamp
	MinImportance float64 // 0..1, or above 1 out of 10
	Prefix        keypath.Prefix
	Relevant      bool // rather nothing than what is only the best there is
	Explain       bool // say what each score is made of
	// Below is told the keys of what was found and is not relevant, best first; may be nil.
	Below func(key string)
}

// DefaultSearchLimit is how many hits a search brings where nothing is said.
const DefaultSearchLimit = 20

// Found is one hit.
type Found struct {
	Record log.Record
	Score  float64 // of BM25 and what is added to it: it compares the hits of one search, and no others
	Parts  []fts.Part
}

// Search finds the live memories that fit best, best first. The error wraps ErrInput or fts.ErrQuery, or is the file system's.
func (s *Store) Search(o SearchOptions) (found []Found, err error) {
	done := s.begin("search")
	defer func() { done.batch(len(found), err) }()
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	s.warnDamaged(v.Damaged)
	err = s.searchView(v, o, func(h hit) error {
		f := Found{Score: h.Score, Record: h.rec}
		if o.Explain {
			if f.Parts, err = h.explain(); err != nil {
				return err
			}
		}
		found = append(found, f)
		return nil
	})
	return found, err
}

// hit is a hit of a search, with its record.
type hit struct {
	fts.Hit
	rec     log.Record
	explain func() ([]fts.Part, error)
}

// searchView searches with the sidecars of the state, or where they cannot be used without: to the same result.
func (s *Store) searchView(v *compact.View, o SearchOptions, fn func(hit) error) error {
	q, err := o.query()
	if err != nil {
		return err
	}
	w, err := o.want(s.stamp())
	if err != nil {
		return err
	}
	sr := &searching{view: v, want: w, limit: o.Limit, relevant: o.Relevant, below: o.Below}
	hits, err := sr.indexed(q)
	if err != nil {
		s.debug("full text not used: " + err.Error())
		if hits, err = sr.scanned(q); err != nil {
			return err
		}
	}
	defer sr.close()
	for _, h := range hits {
		if err := fn(h); err != nil {
			return err
		}
	}
	return nil
}

func (o SearchOptions) query() (q *fts.Query, err error) {
	if o.Plain {
		q = fts.Words(o.Query)
	} else if q, err = fts.ParseQuery(o.Query); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	return q.Within(o.Prefix), nil
}

// searching is one search over one view.
type searching struct {
	view     *compact.View
	want     want
	limit    int
	relevant bool
	below    func(key string)
	ranked   *compact.Ranked
	words    *fts.Index
}

func (sr *searching) close() {
	if sr.words != nil {
		sr.words.Close()
	}
	if sr.ranked != nil {
		sr.ranked.Close()
	}
	sr.words, sr.ranked = nil, nil
}

// indexed searches the sidecars and, by a scan, what came after the state.
func (sr *searching) indexed(q *fts.Query) (hits []hit, err error) {
	defer func() {
		if err != nil {
			sr.close()
		}
	}()
	if sr.ranked, err = sr.view.Ranked(); err != nil {
		return nil, err
	}
	if sr.words, err = sr.view.Words(); err != nil {
		return nil, err
	}
	tail := fts.NewTail()
	sr.view.Since(tail.Add)
	return sr.search(sr.words, tail, q)
}

// scanned searches all that is live.
func (sr *searching) scanned(q *fts.Query) ([]hit, error) {
	tail := fts.NewTail()
	for rec, err := range sr.view.Live() {
		if err != nil {
			return nil, err
		}
		tail.Add(rec.Clone())
	}
	return sr.search(nil, tail, q)
}

func (sr *searching) search(ix *fts.Index, tail *fts.Tail, q *fts.Query) ([]hit, error) {
	var failed error
	limit := sr.limit
	if limit == 0 {
		limit = DefaultSearchLimit
	}
	res, err := fts.Search(ix, tail, q, fts.Options{
		Limit: limit, Now: sr.want.now, Load: sr.line,
		Keep: func(d fts.Doc) bool {
			keep, err := sr.keep(d)
			failed = errors.Join(failed, err)
			return keep
		},
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	if sr.relevant {
		if err := sr.cutIrrelevant(res); err != nil {
			return nil, err
		}
	}
	var hits []hit
	for i, h := range res.Hits {
		rec, err := sr.record(h.Doc)
		if err != nil {
			return nil, err
		}
		if !h.FromNeighbor || isSaid(rec.Content) {
			hits = append(hits, hit{Hit: h, rec: rec, explain: func() ([]fts.Part, error) { return res.Explain(i) }})
		}
	}
	return hits, nil
}

// cutIrrelevant leaves only the hits above the floor.
func (sr *searching) cutIrrelevant(res *fts.Result) error {
	all := res.Hits
	clear, err := res.Relevant()
	if err != nil {
		return err
	}
	res.Hits = clear
	if sr.below == nil {
		return nil
	}
	for _, h := range all[len(clear):] {
		sr.below(h.Key)
	}
	return nil
}

// isSaid reports whether a memory is what somebody said. An answer often shares no word with its question: only such memories may be found by what
// stands beside them.
func isSaid(content []byte) bool {
	for name := range jsontext.Members(content) {
		if name == "speaker" || name == "role" {
			return true
		}
	}
	return false
}

// keep holds a record against the conditions: a row by its columns, a record of the tail by its content.
func (sr *searching) keep(d fts.Doc) (bool, error) {
	if d.Record != nil {
		return !d.Record.Key.Untrusted() && sr.want.holds(d.Record.TS, content.Parse(d.Record.Content)), nil
	}
	row, band, err := sr.ranked.At(d.Row)
	if err != nil || band.Untrusted {
		return false, err
	}
	f := content.Fields{Type: band.Type, Importance: band.Importance, Expires: row.Expires, HasExpiry: row.HasExpiry}
	if len(sr.want.tags) > 0 {
		if f.Tags, err = sr.ranked.Tags(row); err != nil {
			return false, err
		}
	}
	return sr.want.holds(row.TS, f), nil
}

func (sr *searching) record(d fts.Doc) (log.Record, error) {
	if d.Record != nil {
		return *d.Record, nil
	}
	return sr.line(d.Row)
}

// line reads a line of the state.
func (sr *searching) line(n int) (log.Record, error) {
	row, _, err := sr.ranked.At(n)
	if err != nil {
		return log.Record{}, err
	}
	return sr.ranked.Line(row.Offset, row.Length, row.TS)
}
