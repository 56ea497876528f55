package mem

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Sort is the order of the hits, by its name.
type Sort string

// The orders. Where nothing is looked for by words all is as relevant, and the newest comes first.
const (
	ByRelevance  Sort = ""
	ByTime       Sort = "time"       // the newest first
	ByImportance Sort = "importance" // the most important first, of equal importance the newest
)

// order returns the order of a selection: by relevance, if there is one.
func (o SearchOptions) order() backend.Order {
	if o.Sort == ByRelevance && o.Relevance != nil {
		return backend.ByScore(func(p backend.SortKey) float64 {
			return o.Relevance(Candidate{SortKey: p, Match: 1})
		})
	}
	return o.Sort.order()
}

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

// sorted returns the hits of words in order. They come by relevance, but for corrections.
func (o SearchOptions) sorted(found []Found) []Found {
	if o.Sort == ByRelevance {
		return correctionsFirst(found)
	}
	found = slices.DeleteFunc(found, func(f Found) bool { return f.Below })
	type placed struct {
		Found
		place backend.SortKey
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
	if w, err = o.Where(r.now); err != nil {
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
	w := backend.Where{Now: s.opts.stamp(c), Agent: c.Agent,
		Classes: backend.Classes(0).With(class), Without: ^backend.Classes(0).With(class),
		Conditions: backend.Conditions{Prefix: below, Superseded: true}}
	return v.Select(ctx, w, backend.NewestFirst, 0)
}

type scoredHit struct {
	*backend.Hit
	match, relevance float64
}

// outdoneLast marks those of the first hits that do not hold against the best, by their evidence,
// and puts them behind the others.
func outdoneLast(found []Found, evidence []*fts.Evidence) {
	for i, kept := range fts.Focus(evidence) {
		found[i].Outdone = !kept
	}
	fts.PutFirst(found[:len(evidence)], func(f *Found) bool { return !f.Outdone })
}

// findRelevant is find in the order of o.Relevance: everything that the words find is scored, and
// only the returned records are read.
func (r Reader) findRelevant(ctx context.Context, v backend.Snapshot, q *fts.Query,
	w backend.Where, o SearchOptions) (found []Found, err error) {
	hits, err := v.Search(ctx, q, w, backend.SearchOptions{
		Bare: !o.Relevant, Relevant: o.Relevant, // the split needs all hits
	})
	if err != nil {
		return nil, err
	}
	list, best := make([]scoredHit, 0, len(hits)), 0.0
	for _, h := range hits {
		best = max(best, h.Score)
	}
	for i := range hits {
		if h := &hits[i]; !h.BelowFloor {
			list = append(list, o.scored(h, best))
		}
	}
	slices.SortStableFunc(list, func(a, b scoredHit) int {
		return cmp.Or(cmp.Compare(b.relevance, a.relevance), cmp.Compare(b.Time, a.Time),
			a.Record.Key.Compare(b.Record.Key))
	})
	for _, h := range list {
		rec, ok, err := v.Get(ctx, h.Record.Key)
		if err != nil {
			return nil, err
		}
		if !ok || h.FromNeighbor && !isSpoken(rec.Content) {
			continue
		}
		found = append(found, Found{Record: rec.Clone(), Score: h.relevance, Match: h.match,
			Neighbor: h.FromNeighbor})
		if o.Sort == ByRelevance && len(found) == o.limit() {
			break
		}
	}
	return o.sorted(found), nil
}

// scored returns a hit with its relevance; best is the score of the best hit.
func (o *SearchOptions) scored(h *backend.Hit, best float64) scoredHit {
	match := 1.0
	if best > 0 {
		match = min(1, h.Score/best)
	}
	if o.Relevant {
		f := content.Parse(h.Record.Content)
		h.Type, h.Importance = f.Type, f.Importance
	}
	place := backend.SortKey{Time: h.Time, Importance: h.Importance, Type: h.Type,
		Key: func() (keypath.Key, bool) { return h.Record.Key, true }}
	return scoredHit{h, match, o.Relevance(Candidate{place, match})}
}

// Cleared reads the memories cleared for a channel, at one moment. All others are as if absent:
// they count in no statistic, and are nobody's neighbor. One goroutine uses it.
type Cleared struct {
	query   readout.Query // that judges how far memories bind
	view    backend.Snapshot
	allowed backend.Where
	placed  content.Clearance

	describes func(rec log.Record, agent string) bool
}

// Match is a memory that words have found, before its record is read.
type Match struct {
	Key        keypath.Key
	Time       log.Stamp // see content.Fields.Time
	Type       string
	Importance float64 // 0..1
	Score      float64 // compares the matches of one search alone
}

// Cleared returns a reader for a channel; "" stands for a caller that may see all but agents'
// private and quarantined memories. The caller closes it. The error wraps ErrInput.
func (r Reader) Cleared(ctx context.Context, channel string) (*Cleared, error) {
	c := &Cleared{allowed: policy.ForBundle(r.caller, backend.Where{Now: r.now}),
		query: readout.Query{Standing: r.Standing}, describes: r.describes}
	if channel != "" {
		var err error
		if c.allowed.Cleared, err = policy.Clearance(channel); err != nil {
			return nil, fmt.Errorf("channel: %w: %w", ErrInput, err)
		}
		c.placed, _ = policy.Placed(channel)
	}
	var err error
	c.view, err = r.store.snapshot(ctx)
	return c, err
}

// Close releases what the reader has open.
func (c *Cleared) Close() { c.view.Close() }

// IsRule reports whether a memory is a rule of the user.
func (c *Cleared) IsRule(rec log.Record) bool {
	it := ItemOf(rec)
	return c.query.Standing(&it) == readout.Rule
}

// Describes reports whether a memory is an agent's identity by the agent or a person.
func (c *Cleared) Describes(rec log.Record, agent string) bool { return c.describes(rec, agent) }

// Mark returns what stands before the text of a memory, see readout.Query.Mark. The origin of an
// event is its actor, whom its text names.
func (c *Cleared) Mark(rec log.Record) string {
	it := ItemOf(rec)
	if rec.Key.Class() == keypath.Event {
		it.Source = nil
	}
	return c.query.Mark(&it)
}

// Get returns the live memory of a key that may be injected, superseded or not.
func (c *Cleared) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	w := c.allowed
	w.Superseded = true
	return c.get(ctx, key, w)
}

// GetPlaced is [Cleared.Get] for memories that are chosen by their place, see policy.Placed.
func (c *Cleared) GetPlaced(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return c.get(ctx, key, c.wherePlaced())
}

// SessionInfo returns the metadata of a session, whatever its label.
func (c *Cleared) SessionInfo(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	rec, found, err := c.view.Get(ctx, key)
	return rec.Clone(), found && key.Class() == keypath.SessionInfo, err
}

func (c *Cleared) wherePlaced() backend.Where {
	w := c.allowed
	w.Cleared = c.placed
	return w
}

func (c *Cleared) get(ctx context.Context, key keypath.Key, w backend.Where) (
	log.Record, bool, error) {
	rec, found, err := c.view.Get(ctx, key)
	if err != nil || !found {
		return log.Record{}, false, err
	}
	f := content.Parse(rec.Content)
	if !w.Shows(content.RealmOf(key, f)) || !w.Holds(rec.TS, f) || !w.Accepts(rec) {
		return log.Record{}, false, nil
	}
	return rec.Clone(), true, nil
}

// Newest returns the cleared memories below a prefix, of one of some types if there are any, the
// newest first; limit 0: all.
func (c *Cleared) Newest(ctx context.Context, below keypath.Prefix, limit int, types ...string) (
	[]log.Record, error) {
	w := c.allowed
	w.Prefix, w.Types = below, types
	return c.view.Select(ctx, w, backend.NewestFirst, limit)
}

// Important returns the cleared memories below a prefix, of at least some importance in 0..1, the
// newest first. Less important ones are not read.
func (c *Cleared) Important(ctx context.Context, below keypath.Prefix, least float64) (
	[]log.Record, error) {
	w := c.allowed
	w.Prefix, w.MinImportance = below, least
	return c.view.Select(ctx, w, backend.NewestFirst, 0)
}

// All returns the cleared memories below a prefix, superseded ones too, the newest first.
func (c *Cleared) All(ctx context.Context, below keypath.Prefix) ([]log.Record, error) {
	w := c.allowed
	w.Prefix, w.Superseded = below, true
	return c.view.Select(ctx, w, backend.NewestFirst, 0)
}

// ListBetween returns the cleared memories of a class, of an interval of time with both its ends.
func (c *Cleared) ListBetween(ctx context.Context, class keypath.Class, since, until log.Stamp) (
	[]log.Record, error) {
	w := c.allowed
	w.Since, w.Until = &since, &until
	w.Without = ^backend.Classes(0).With(class)
	return c.view.Select(ctx, w, backend.NewestFirst, 0)
}

// Placed returns the memories below a prefix that are chosen by their place, the most important
// first.
func (c *Cleared) Placed(ctx context.Context, below keypath.Prefix) ([]log.Record, error) {
	w := c.wherePlaced()
	w.Prefix = below
	return c.view.Select(ctx, w, backend.MostImportantFirst, 0)
}

// Matches returns the best that the words of a text find below a prefix, best first, and the words
// as they were looked for. Nothing in the text is syntax.
func (c *Cleared) Matches(ctx context.Context, text string, below keypath.Prefix, limit int) (
	found []Match, terms []string, err error) {
	q, w := fts.Words(text), c.allowed
	w.Prefix, w.Classes = below, backend.Classes(0).With(keypath.Event)
	hits, err := c.view.Search(ctx, q, w, backend.SearchOptions{Bare: true,
		Limit: limit, Ranked: limit})
	if err != nil {
		return nil, nil, err
	}
	for i := range hits {
		h := &hits[i]
		if h.FromNeighbor && h.Record.Key.Class() != keypath.Event {
			continue // what follows a question often lacks its words; nothing else does
		}
		found = append(found, Match{h.Record.Key, h.Time, h.Type, h.Importance, h.Score})
	}
	return found, q.Terms(), nil
}
