package mem

import (
	"context"
	"fmt"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

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
