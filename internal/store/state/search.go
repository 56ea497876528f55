package state

import (
	"context"
	"errors"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Search finds the records that match a query best.
func (v *View) Search(_ context.Context, q *fts.Query, w backend.Where, o backend.SearchOptions) (
	[]backend.Hit, error) {
	s := &search{view: v, where: w, options: o}
	defer s.close()
	if v.file == nil {
		return s.unfiled(q)
	}
	var hits []backend.Hit
	err := disk.Guard(func() (err error) { hits, err = s.indexed(q); return err })
	if err == nil || s.refused != nil {
		return hits, s.refused
	}
	v.goWithout("full text", err)
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
	all     *fts.Stats
	refused error // of the caller's function
}

func (s *search) close() {
	if s.words != nil {
		s.words.Close()
	}
	s.words, s.table, s.failed = nil, nil, nil
}

// indexed searches the sidecars, and what came since.
func (s *search) indexed(q *fts.Query) (hits []backend.Hit, err error) {
	if s.table, err = s.view.columns(); err != nil {
		return nil, err
	}
	if s.words, err = s.view.file.fullText(); err != nil {
		return nil, err
	}
	prepared, err := s.prepareTail(q)
	if err != nil {
		return nil, err
	}
	return s.run(prepared)
}

// unfiled searches where there is no state: all records came since. The lines read for that are
// kept as long as the view, so the next search does not read them again.
func (s *search) unfiled(q *fts.Query) ([]backend.Hit, error) {
	prepared, err := s.prepareTail(q)
	if err != nil {
		return nil, err
	}
	return s.run(prepared)
}

// prepareTail looks the words of the query up in the index and in the records written since. The
// cache of the view is locked meanwhile, since another search may use it.
func (s *search) prepareTail(q *fts.Query) (*fts.Prepared, error) {
	cache := s.view.cache
	cache.mu.Lock()
	defer cache.mu.Unlock()
	return s.prepare(cache.tail(s.view.since), q)
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
	prepared, err := s.prepare(all, q)
	if err != nil {
		return nil, err
	}
	return s.run(prepared)
}

func (s *search) prepare(tail *fts.Tail, q *fts.Query) (*fts.Prepared, error) {
	o := fts.Options{
		Limit: s.options.Limit, Ranked: s.options.Ranked, Now: s.where.Now, Sees: s.sees,
		ByScore: s.options.Bare, Keep: s.mayShow, Load: s.row,
	}
	if s.where.Chooses() {
		o.Lends = s.meets
	}
	return fts.Prepare(s.words, tail, q.Narrow(s.where.Prefix), o)
}

// sees reports whether the search looks at the records of a realm.
func (s *search) sees(r keypath.Realm) bool {
	r, replaced := fts.Unmark(r)
	return (s.where.Superseded || !replaced) && s.where.Sees(r)
}

func (s *search) run(p *fts.Prepared) ([]backend.Hit, error) {
	if s.options.Stats != nil && s.all == nil {
		all, err := s.options.Stats(p.Stats())
		if s.refused = err; err != nil {
			return nil, err
		}
		s.all = &all
	}
	res, err := p.Search(s.all)
	if err = errors.Join(err, s.failed); err != nil {
		return nil, err
	}
	clear, evident := len(res.Hits), -1 // the first so many are clearly relevant
	switch {
	case s.options.Relevant && s.options.Bare:
		evident, err = res.Evident()
	case s.options.Relevant:
		var relevant []fts.Hit
		relevant, err = res.Relevant()
		clear = len(relevant)
	}
	var evidence []fts.Evidence
	if err == nil && s.options.Focus {
		evidence, err = res.Evidence(clear)
	}
	hits := make([]backend.Hit, len(res.Hits))
	for i := 0; i < len(hits) && err == nil; i++ {
		hits[i], err = s.hit(res, i, i >= clear)
		hits[i].Evident = i == evident
		if i < len(evidence) {
			hits[i].Evidence = evidence[i]
		}
	}
	return hits, err
}

func (s *search) hit(res *fts.Result, i int, belowFloor bool) (h backend.Hit, err error) {
	found := res.Hits[i]
	h = backend.Hit{
		Score: found.Score, Lift: found.Lift, Time: found.Time,
		FromNeighbor: found.FromNeighbor, BelowFloor: belowFloor,
	}
	if belowFloor || s.options.Bare {
		err = s.describe(&h, found.Doc)
		if err == nil {
			h.Record.Key, err = keypath.Parse(found.Key)
		}
	} else {
		h.Record, err = s.record(found.Doc)
	}
	if err == nil && s.options.Explain && !belowFloor {
		h.Parts, err = res.Explain(i)
	}
	return h, err
}

// meets reports whether a record meets the conditions on its time and fields.
func (s *search) meets(d fts.Doc) (ok bool) {
	if s.failed != nil {
		return false
	}
	if d.Record != nil {
		return s.where.Holds(d.Record.TS, content.Parse(d.Record.Content))
	}
	row, band, err := s.table.rowOfLine(d.Row)
	if err == nil {
		w := s.where
		w.Without = 0
		ok, err = s.table.meets(&w, row, &band)
	}
	s.failed = err
	return ok
}

// mayShow reports whether a record meets the conditions: a row by its columns, a record of the tail
// by its content; those on single records last.
func (s *search) mayShow(d fts.Doc) (ok bool) {
	if s.failed != nil {
		return false
	}
	if d.Record != nil {
		f := content.Parse(d.Record.Content)
		return s.where.Shows(content.RealmOf(d.Record.Key, f)) &&
			s.where.Holds(d.Record.TS, f) && s.where.Accepts(*d.Record)
	}
	var class keypath.Class
	if ok, class, s.failed = s.mayShowRow(d.Row); ok && s.where.Asks(class) {
		var rec log.Record
		rec, s.failed = s.row(d.Row)
		ok = s.failed == nil && s.where.Accept(rec)
	}
	return ok
}

// mayShowRow also returns the class of the row.
func (s *search) mayShowRow(line int) (ok bool, class keypath.Class, err error) {
	row, band, err := s.table.rowOfLine(line)
	if err != nil {
		return false, band.Realm.Class, err
	}
	ok, err = s.table.meets(&s.where, row, &band)
	ok = ok && !s.where.IsOld(row.TS)
	if !ok || err != nil || s.where.Shadowed == nil {
		return ok, band.Realm.Class, err
	}
	key, err := s.keyOf(line, row)
	return err == nil && !s.where.Shadowed(key), band.Realm.Class, err
}

// keyOf returns the key of a line: by the full text, if that is open, without reading the line.
func (s *search) keyOf(line int, row rankRow) (key keypath.Key, err error) {
	if s.words == nil {
		rec, err := s.table.line(row)
		return rec.Key, err
	}
	text, err := s.words.Key(uint32(line))
	if err != nil {
		return key, err
	}
	return keypath.Parse(text)
}

// describe sets the fields of a hit whose record is not read.
func (s *search) describe(h *backend.Hit, d fts.Doc) error {
	if d.Record != nil {
		f := content.Parse(d.Record.Content)
		h.Record.TS, h.Type, h.Importance = d.Record.TS, f.Type, f.Importance
		return nil
	}
	row, band, err := s.table.rowOfLine(d.Row)
	h.Record.TS, h.Type, h.Importance = row.TS, band.Type, row.Importance
	return err
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
