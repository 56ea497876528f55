package mem

import (
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
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

// Read chooses the memories that matter and fits them into the budget (M-36 to M-45). It reads a store that does not exist as empty.
func (s *Store) Read(o ReadOptions) (page readout.Page, err error) {
	done := s.begin("read")
	conf, err := s.Config()
	if err != nil {
		return page, err
	}
	q := readout.Query{Now: s.stamp(), Limit: o.Limit, Tags: o.Tags}
	if conf.Weights != nil {
		q.Weights = *conf.Weights
	}
	sel := readout.NewSelector(q)
	var newest log.Envelope
	err = s.List(Filter{Prefix: o.Prefix}, func(rec log.Record) error {
		if rec.TS > newest.TS || newest.Key.IsZero() {
			newest = log.Envelope{Key: rec.Key, TS: rec.TS, Source: append(newest.Source[:0], rec.Source...), Content: []byte("{}")}
		}
		sel.Add(readout.Item{Key: rec.Key.String(), TS: rec.TS, Fields: log.ParseFields(rec.Content), Content: rec.Content})
		return nil
	})
	if err == nil {
		page = sel.Pack()
	}
	done.read(log.Record{Envelope: newest}, len(page.Entries), err)
	return page, err
}
