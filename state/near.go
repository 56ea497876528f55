package state

import (
	"cmp"
	"slices"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/fts"
	"github.com/set-memory/mem/log"
)

// nearOne is a memory that says nearly the same as a text, and how nearly.
type nearOne struct {
	log.Record
	share float64
}

// Near returns what says nearly the same as a text and meets the conditions, the nearest first, at
// most limit. It asks the full text of the state, and looks through the bytes of what came since:
// analysing all of that, as a search does, would cost a writer more than its write. Where the full
// text is absent or damaged it finds nothing in the state.
func (v *View) Near(text string, w backend.Where, limit int) (list []log.Record) {
	near := fts.NewNear(text)
	found := v.nearSince(near, &w)
	err := disk.Guard(func() error {
		inState, err := v.nearInState(near, w)
		found = append(found, inState...)
		return err
	})
	if err != nil {
		v.debug("full text not used: " + err.Error())
	}
	slices.SortFunc(found, func(a, b nearOne) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(b.TS, a.TS),
			a.Key.Compare(b.Key))
	})
	for _, one := range found[:min(len(found), limit)] {
		list = append(list, one.Record)
	}
	return list
}

// nearSince looks through what came since.
func (v *View) nearSince(near *fts.Near, w *backend.Where) (found []nearOne) {
	for key, rec := range v.since {
		if !rec.Valid() || !w.Prefix.Holds(key) || !near.MayBe(rec.Content) {
			continue
		}
		f := content.Parse(rec.Content)
		if w.Shows(content.RealmOf(key, f)) && w.Holds(rec.TS, f) && w.Accepts(rec) {
			found = addNear(found, near, rec)
		}
	}
	return found
}

func addNear(found []nearOne, near *fts.Near, rec log.Record) []nearOne {
	if share, ok := near.Share(rec); ok {
		found = append(found, nearOne{rec, share})
	}
	return found
}

// nearInState searches the state alone.
func (v *View) nearInState(near *fts.Near, w backend.Where) (found []nearOne, err error) {
	if v.file == nil {
		return nil, nil
	}
	q, looked := near.Query()
	s := &search{view: v, where: w, options: backend.SearchOptions{Limit: looked}}
	defer s.close()
	if s.table, err = v.columns(); err != nil {
		return nil, err
	}
	if s.words, err = fts.Open(v.file.dir, v.file.Size, v.file.Sum); err != nil {
		return nil, err
	}
	prepared, err := s.prepare(fts.NewTail(), q)
	if err != nil {
		return nil, err
	}
	hits, err := s.run(prepared)
	for _, h := range hits {
		if _, replaced := v.since[h.Record.Key]; !replaced && !h.FromNeighbor {
			found = addNear(found, near, h.Record)
		}
	}
	return found, err
}
