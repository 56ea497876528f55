package mem

import (
	"cmp"
	"context"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Sort is how what was found is ordered.
type Sort int

// The orders. Where nothing is looked for by words all is as relevant, and the newest comes first.
const (
	ByRelevance  Sort = iota
	ByTime            // the newest first
	ByImportance      // the most important first, of equal importance the newest
)

// order returns the order of a selection: by relevance, if there is one.
func (o SearchOptions) order() backend.Order {
	if o.Sort == ByRelevance && o.Relevance != nil {
		return backend.ByScore(func(p backend.Place) float64 {
			return o.Relevance(Candidate{Place: p, Match: 1})
		})
	}
	return o.Sort.order()
}

// order returns the order of a selection.
func (s Sort) order() backend.Order {
	if s == ByImportance {
		return backend.MostImportantFirst
	}
	return backend.NewestFirst
}

// selected returns what the conditions alone let pass.
func (r Reader) selected(
	ctx context.Context, v backend.Snapshot, o SearchOptions,
) (found []Found, err error) {
	w, among, err := r.conditions(ctx, v, o)
	if err != nil {
		return nil, err
	}
	var list []log.Record
	if among != nil {
		list, err = selectAmong(ctx, v, w, among, o)
	} else {
		list, err = v.Select(ctx, w, o.order(), o.limit())
	}
	for _, rec := range list {
		f := Found{Record: rec, Match: 1}
		if o.Relevance != nil {
			f.Score = backend.PlaceRecord(o.order(), rec, content.Parse(rec.Content)).Score()
		}
		found = append(found, f)
	}
	return found, err
}

// selectAmong is a selection of few keys, each of which is looked up.
func selectAmong(
	ctx context.Context, v backend.Snapshot, w backend.Where, keys map[keypath.Key]bool,
	o SearchOptions,
) (list []log.Record, err error) {
	for key := range keys {
		rec, found, err := v.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		if found && w.Prefix.Holds(key) && w.Shows(key.Realm()) &&
			w.Holds(rec.TS, content.Parse(rec.Content)) && w.Accepts(rec) {
			list = append(list, rec.Clone())
		}
	}
	backend.SortRecords(o.order(), list)
	return list[:min(len(list), o.limit())], nil
}

// sorted orders what words have found by something else than its relevance.
func (o SearchOptions) sorted(found []Found) []Found {
	if o.Sort == ByRelevance {
		return found
	}
	found = slices.DeleteFunc(found, func(f Found) bool { return f.Below })
	type placed struct {
		Found
		place backend.Place
	}
	order, list := o.Sort.order(), make([]placed, len(found))
	for i, f := range found {
		at := backend.PlaceRecord(order, f.Record, content.Parse(f.Record.Content))
		list[i] = placed{f, at.Place}
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		return cmp.Or(order.Compare(a.place, b.place), a.Record.Key.Compare(b.Record.Key))
	})
	for i := range found {
		found[i] = list[i].Found
	}
	return found[:min(len(found), o.limit())]
}

// conditions returns those besides the words. With o.References only some keys meet them: among,
// which they ask about too.
func (r Reader) conditions(ctx context.Context, v backend.Snapshot, o SearchOptions) (
	w backend.Where, among map[keypath.Key]bool, err error) {
	if w, err = o.where(r.now); err != nil {
		return w, nil, err
	}
	if o.ForPage {
		w = policy.ForPage(r.caller, w)
	} else {
		w = policy.ForSearch(r.caller, w)
	}
	if o.References.IsZero() {
		return w, nil, nil
	}
	if among, err = r.linked(ctx, v, o.References, max(o.Depth, 1)); err != nil {
		return w, nil, err
	}
	asked := w
	w.AcceptOf, w.Accept = 0, func(rec log.Record) bool {
		return among[rec.Key] && (!asked.Asks(rec.Key.Class()) || asked.Accept(rec))
	}
	return w, among, nil
}

// ListClass returns the live memories of one class of namespaces below a prefix, the newest first.
// What the caller is not permitted to see is not among them.
func (s *Store) ListClass(ctx context.Context, c Caller, below keypath.Prefix,
	class keypath.Class) ([]log.Record, error) {
	v, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	w := backend.Where{Prefix: below, Now: s.opts.stamp(c), Agent: c.Agent, Superseded: true,
		Classes: backend.Classes(0).With(class), Without: ^backend.Classes(0).With(class)}
	return v.Select(ctx, w, backend.NewestFirst, 0)
}
