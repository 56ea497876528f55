package state

import (
	"errors"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Search finds what matches a query best. Where the state has its full text, that is searched, and
// what was written since; where it is absent, or turns out to be damaged, everything is read, with
// the same result.
func (v *View) Search(q *fts.Query, w backend.Where, o backend.SearchOptions) (
	[]backend.Hit, error) {
	s := &search{view: v, where: w, options: o}
	defer s.close()
	var hits []backend.Hit
	err := disk.Guard(func() (err error) { hits, err = s.indexed(q); return err })
	if err == nil {
		return hits, nil
	}
	v.debug("full text not used: " + err.Error())
	s.close()
	return s.scanned(q)
}

// search is one search over one view.
type search struct {
	view    *View
	where   backend.Where
	options backend.SearchOptions
	table   *table
	words   *fts.Index
	failed  error // of the columns, met in mayShow
}

func (s *search) close() {
	if s.words != nil {
		s.words.Close()
	}
	if s.table != nil {
		s.table.Close()
	}
	s.words, s.table, s.failed = nil, nil, nil
}

// indexed searches the sidecars, and what came since.
func (s *search) indexed(q *fts.Query) (hits []backend.Hit, err error) {
	if s.table, err = s.view.openTable(); err != nil {
		return nil, err
	}
	file := s.view.file
	if s.words, err = fts.Open(file.dir, file.Size, file.Sum); err != nil {
		return nil, err
	}
	cache := s.view.cache
	cache.mu.Lock()
	defer cache.mu.Unlock()
	return s.run(s.words, cache.tail(s.view.since), q)
}

// scanned searches all that is live.
func (s *search) scanned(q *fts.Query) ([]backend.Hit, error) {
	all := fts.NewTail()
	for rec, err := range s.view.Live() {
		if err != nil {
			return nil, err
		}
		all.Add(rec.Clone())
	}
	return s.run(nil, all, q)
}

func (s *search) run(words *fts.Index, tail *fts.Tail, q *fts.Query) ([]backend.Hit, error) {
	res, err := fts.Search(words, tail, q.Within(s.where.Prefix), fts.Options{
		Limit: s.options.Limit, Now: s.where.Now, Keep: s.mayShow, Load: s.row,
	})
	if err = errors.Join(err, s.failed); err != nil {
		return nil, err
	}
	clear := res.Hits // the first so many of them are clearly relevant
	if s.options.Relevant {
		if clear, err = res.Relevant(); err != nil {
			return nil, err
		}
	}
	hits := make([]backend.Hit, 0, len(res.Hits))
	for i := range res.Hits {
		h, err := s.hit(res, i, i >= len(clear))
		if err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// hit returns a hit as the seam has it.
func (s *search) hit(res *fts.Result, i int, belowFloor bool) (h backend.Hit, err error) {
	found := res.Hits[i]
	h = backend.Hit{Score: found.Score, FromNeighbor: found.FromNeighbor, BelowFloor: belowFloor}
	if belowFloor {
		h.Record.TS = found.TS
		h.Record.Key, err = keypath.Parse(found.Key)
		return h, err
	}
	if h.Record, err = s.record(found.Doc); err != nil {
		return h, err
	}
	if s.options.Explain {
		h.Parts, err = res.Explain(i)
	}
	return h, err
}

// mayShow reports whether a record meets the conditions: a row by its columns, a record of the tail
// by its content.
func (s *search) mayShow(d fts.Doc) bool {
	if s.failed != nil {
		return false
	}
	if d.Record != nil {
		return s.where.Shows(d.Record.Key.Class()) &&
			s.where.Holds(d.Record.TS, content.Parse(d.Record.Content))
	}
	ok, err := s.mayShowRow(d.Row)
	s.failed = err
	return ok
}

func (s *search) mayShowRow(line int) (bool, error) {
	row, band, err := s.table.rowOfLine(line)
	if err != nil || !s.where.Shows(band.Class) {
		return false, err
	}
	f := content.Fields{
		Type: band.Type, Importance: band.Importance, Expires: row.Expires,
		HasExpiry: row.HasExpiry,
	}
	if len(s.where.Tags) > 0 {
		if f.Tags, err = s.table.Tags(row); err != nil {
			return false, err
		}
	}
	return s.where.Holds(row.TS, f), nil
}

func (s *search) record(d fts.Doc) (log.Record, error) {
	if d.Record != nil {
		return *d.Record, nil
	}
	return s.row(d.Row)
}

// row reads a line of the state, by its number from 0.
func (s *search) row(line int) (log.Record, error) {
	row, _, err := s.table.rowOfLine(line)
	if err != nil {
		return log.Record{}, err
	}
	return s.table.line(row)
}
