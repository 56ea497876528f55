package mem

import (
	"iter"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// ReadOptions say what the passive read is to bring (M-38).
type ReadOptions struct {
	Limit  int            // budget of the page in tokens
	Query  string         // only what it finds, see SearchOptions.Query; "" for everything
	Tags   []string       // what the context is about: a help in ranking, never a filter (M-43)
	Prefix keypath.Prefix // only keys below it
}

// DefaultTokenLimit is the budget where none is given.
const DefaultTokenLimit = 2000

// Read chooses the memories that matter and fits them into the budget (M-36 to M-45). It reads a store that does not exist as empty. Where the
// last compaction left its ranking columns they are scored and only what is shown is read; elsewhere everything is, to
// the same result.
func (s *Store) Read(o ReadOptions) (page readout.Page, err error) {
	done := s.begin("read")
	r, err := s.reading(o)
	if err != nil {
		return page, err
	}
	page, err = r.choose()
	done.read(log.Record{Envelope: r.newest}, len(page.Entries), err)
	return page, err
}

// reading is one passive read.
type reading struct {
	store  *Store
	query  readout.Query
	prefix keypath.Prefix
	words  string // what is looked for
	sel    *readout.Selector
	newest log.Envelope // of what was considered, for the journal
}

func (s *Store) reading(o ReadOptions) (*reading, error) {
	conf, err := s.Config()
	if err != nil {
		return nil, err
	}
	r := &reading{store: s, query: readout.Query{Now: s.stamp(), Limit: o.Limit, Tags: o.Tags}, prefix: o.Prefix}
	if conf.Weights != nil {
		r.query.Weights = *conf.Weights
	}
	if o.Query != "" {
		r.query.Lexical, r.words, r.query.Weights = true, o.Query, readout.Weights{}
	}
	r.sel = readout.NewSelector(r.query)
	return r, nil
}

// choose gives the page. Any error of the columns means only that they cannot be used.
func (r *reading) choose() (readout.Page, error) {
	v, err := r.store.view()
	if err != nil {
		return readout.Page{}, err
	}
	defer v.Close()
	r.store.warnDamaged(v.Damaged)
	if r.query.Lexical {
		return r.fromSearch(v)
	}
	if r.prefix == (keypath.Prefix{}) {
		page, err := r.fromColumns(v)
		if err == nil {
			return page, nil
		}
		r.store.debug("ranking columns not used: " + err.Error())
		r.sel = readout.NewSelector(r.query)
	}
	for rec, err := range v.Below(r.prefix) {
		if err != nil {
			return readout.Page{}, err
		}
		r.note(rec)
		r.sel.Add(item(rec))
	}
	return r.sel.Pack(), nil
}

// fromSearch adds what a search finds: as many as the page could ever look at. How well each fits is said relative to the best.
func (r *reading) fromSearch(v *compact.View) (readout.Page, error) {
	best := 0.0
	o := SearchOptions{Query: r.words, Limit: r.sel.Most(), Prefix: r.prefix}
	err := r.store.searchView(v, o, func(h hit) error {
		best = max(best, h.Score)
		it := item(h.rec)
		it.Match = 1
		if best > 0 {
			it.Match = h.Score / best
		}
		r.note(h.rec)
		r.sel.Add(it)
		return nil
	})
	return r.sel.Pack(), err
}

func item(rec log.Record) readout.Item {
	return readout.Item{Key: rec.Key.String(), TS: rec.TS, Fields: content.Parse(rec.Content), Content: rec.Content}
}

// note remembers the newest record considered.
func (r *reading) note(rec log.Record) {
	if rec.TS > r.newest.TS || r.newest.Key.IsZero() {
		r.newest = log.Envelope{Key: rec.Key, TS: rec.TS, Source: append(r.newest.Source[:0], rec.Source...), Content: []byte("{}")}
	}
}

// fromColumns adds what the log has behind the state, and merges the rows of the state with it: those that rank below what is shown are
// never looked at.
func (r *reading) fromColumns(v *compact.View) (page readout.Page, err error) {
	ranked, err := v.Ranked()
	if err != nil {
		return page, err
	}
	defer ranked.Close()
	eligible, err := ranked.Settle(r.query.Now)
	if err != nil {
		return page, err
	}
	r.sel.Passed(eligible)
	ranked.Tail(func(rec log.Record) {
		r.note(rec)
		r.sel.Add(item(rec))
	})
	return r.sel.PackWith(r.current(ranked, bandsOf(ranked)), func(row readout.Row) (readout.Item, error) {
		rec, err := ranked.Line(row.Place, row.ID, row.TS)
		if err != nil {
			return readout.Item{}, err
		}
		r.note(rec)
		return item(rec), nil
	})
}

// current merges the bands and leaves out what the log has replaced since.
func (r *reading) current(ranked *compact.Ranked, bands []readout.Band) iter.Seq2[readout.Ranked, error] {
	return func(yield func(readout.Ranked, error) bool) {
		for row, err := range r.query.Merge(bands) {
			if err == nil && ranked.Superseded(row.Place) {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// bandsOf gives the bands that may be shown. A row's place is the offset of its line, for lines come in the order of their keys; its ID is the line's length.
func bandsOf(ranked *compact.Ranked) (list []readout.Band) {
	for _, b := range ranked.Bands() {
		if b.Untrusted {
			continue
		}
		list = append(list, readout.Band{Type: b.Type, Importance: b.Importance, Len: b.Len, Row: func(i int) (readout.Row, error) {
			row, err := ranked.Row(b.First + i)
			return readout.Row{
				ID: row.Length, Place: row.Offset, TS: row.TS, Expires: row.Expires, HasExpiry: row.HasExpiry,
				Tags: func() ([]string, error) { return ranked.Tags(row) },
			}, err
		}})
	}
	return list
}
