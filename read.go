package mem

import (
	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/readout"
)

// ReadOptions say what the passive read is to bring (M-38).
type ReadOptions struct {
	Limit  int            // budget of the page in tokens
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
	err = r.choose()
	if err == nil {
		page = r.sel.Pack()
	}
	done.read(log.Record{Envelope: r.newest}, len(page.Entries), err)
	return page, err
}

// reading is one passive read.
type reading struct {
	store  *Store
	query  readout.Query
	prefix keypath.Prefix
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
	r.sel = readout.NewSelector(r.query)
	return r, nil
}

func (r *reading) choose() error {
	v, err := r.store.view()
	if err != nil {
		return err
	}
	defer v.Close()
	r.store.warnDamaged(v.Damaged)
	ranked, err := v.Ranked()
	if err == nil {
		err = r.fromColumns(ranked)
		ranked.Close()
		if err == nil {
			return nil
		}
	}
	r.store.debug("ranking columns not used: " + err.Error())
	r.sel = readout.NewSelector(r.query)
	for rec, err := range v.Live() {
		if err != nil {
			return err
		}
		r.consider(rec)
	}
	return nil
}

// consider feeds one live record to the selection.
func (r *reading) consider(rec log.Record) {
	if !r.prefix.Holds(rec.Key) {
		return
	}
	r.note(rec)
	r.sel.Add(readout.Item{Key: rec.Key.String(), TS: rec.TS, Fields: log.ParseFields(rec.Content), Content: rec.Content})
}

// note remembers the newest record considered.
func (r *reading) note(rec log.Record) {
	if rec.TS > r.newest.TS || r.newest.Key.IsZero() {
		r.newest = log.Envelope{Key: rec.Key, TS: rec.TS, Source: append(r.newest.Source[:0], rec.Source...), Content: []byte("{}")}
	}
}

// fromColumns scores the rows of the state, reads those that could be shown, and adds what came after the state. Any error
// means that the columns cannot be used.
func (r *reading) fromColumns(ranked *compact.Ranked) error {
	short := readout.NewShortlist(r.query)
	spans, err := r.spans(ranked)
	if err != nil {
		return err
	}
	for _, sp := range spans {
		if err := r.score(ranked, short, sp); err != nil {
			return err
		}
	}
	rows, others := short.Rows()
	for _, i := range rows {
		rec, err := ranked.Line(ranked.Row(i))
		if err != nil {
			return err
		}
		r.consider(rec)
	}
	r.sel.Passed(others)
	ranked.Tail(r.consider)
	return nil
}

func (r *reading) score(ranked *compact.Ranked, short *readout.Shortlist, sp span) error {
	var it readout.Item
	for i := sp.from; i < sp.to; i++ {
		row := ranked.Row(i)
		again, err := ranked.Superseded(row)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		it.TS = row.TS
		it.Fields = log.Fields{Type: ranked.Type(row), Importance: row.Importance, Expires: row.Expires, HasExpiry: row.HasExpiry}
		if len(r.query.Tags) > 0 {
			it.Fields.Tags = ranked.Tags(row)
		}
		short.Add(i, &it)
	}
	return nil
}

// span is a range of rows.
type span struct{ from, to int }

// spans gives the rows below the prefix and outside /untrusted. A namespace is the key itself, and what begins with it and a
// slash: two ranges, since other characters sort before the slash.
func (r *reading) spans(ranked *compact.Ranked) ([]span, error) {
	all := []span{{0, ranked.Len()}}
	if p := r.prefix.String(); p != "/" {
		var err error
		if all, err = namespace(ranked, p); err != nil {
			return nil, err
		}
	}
	apart, err := namespace(ranked, policy.Untrusted)
	if err != nil {
		return nil, err
	}
	for _, hole := range apart {
		all = without(all, hole)
	}
	return all, nil
}

// namespace gives the ranges of a key and of all below it.
func namespace(ranked *compact.Ranked, key string) (spans []span, err error) {
	for _, bounds := range [...][2]string{{key, key + "\x00"}, {key + "/", key + "0"}} {
		from, err := ranked.From(bounds[0])
		if err != nil {
			return nil, err
		}
		to, err := ranked.From(bounds[1])
		if err != nil {
			return nil, err
		}
		spans = append(spans, span{from, to})
	}
	return spans, nil
}

// without cuts a hole out of some spans.
func without(spans []span, hole span) (rest []span) {
	for _, s := range spans {
		if before := (span{s.from, min(s.to, hole.from)}); before.from < before.to {
			rest = append(rest, before)
		}
		if after := (span{max(s.from, hole.to), s.to}); after.from < after.to {
			rest = append(rest, after)
		}
	}
	return rest
}
