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
)

// Cleared reads what may be told in a channel, at one moment (B-11, B-48). What may not is as if it
// were not there: it counts in no statistic, and is nobody's neighbor. One goroutine uses it.
type Cleared struct {
	view   backend.Snapshot
	told   backend.Where
	placed content.Clearance
}

// Match is a memory that words have found, before its record is read.
type Match struct {
	Key        keypath.Key
	Time       log.Stamp // see content.Fields.Time
	Type       string
	Importance float64 // 0..1
	Score      float64 // compares the matches of one search alone
}

// Cleared returns a reader for a channel; "" stands for who may see all but what agents keep for
// themselves and what is quarantined. Who asks for it closes it. The error wraps ErrInput.
func (r Reader) Cleared(ctx context.Context, channel string) (*Cleared, error) {
	c := &Cleared{told: policy.ForBundle(r.caller, backend.Where{Now: r.now})}
	if channel != "" {
		var err error
		if c.told.Cleared, err = policy.Clearance(channel); err != nil {
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

// Get returns the live memory of a key that may be told, superseded or not.
func (c *Cleared) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	w := c.told
	w.Superseded = true
	return c.get(ctx, key, w)
}

// GetPlaced is [Cleared.Get] for what is told by its place, see policy.Placed.
func (c *Cleared) GetPlaced(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return c.get(ctx, key, c.wherePlaced())
}

func (c *Cleared) wherePlaced() backend.Where {
	w := c.told
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

// Newest returns the memories below a prefix that may be told, of one of some types if there are
// any, the newest first; limit 0: all.
func (c *Cleared) Newest(ctx context.Context, below keypath.Prefix, limit int, types ...string) (
	[]log.Record, error) {
	w := c.told
	w.Prefix, w.Types = below, types
	return c.view.Select(ctx, w, backend.NewestFirst, limit)
}

// Important returns the memories below a prefix that may be told, of at least some importance in
// 0..1, the newest first. What is less important is not read.
func (c *Cleared) Important(ctx context.Context, below keypath.Prefix, least float64) (
	[]log.Record, error) {
	w := c.told
	w.Prefix, w.MinImportance = below, least
	return c.view.Select(ctx, w, backend.NewestFirst, 0)
}

// All returns the memories below a prefix that may be told, superseded ones too, the newest first.
func (c *Cleared) All(ctx context.Context, below keypath.Prefix) ([]log.Record, error) {
	w := c.told
	w.Prefix, w.Superseded = below, true
	return c.view.Select(ctx, w, backend.NewestFirst, 0)
}

// Between returns the memories of a class that may be told, of an interval of time.
func (c *Cleared) Between(ctx context.Context, class keypath.Class, since, until log.Stamp) (
	[]log.Record, error) {
	w := c.told
	w.Since, w.Until = since, until
	w.Without = ^backend.Classes(0).With(class)
	return c.view.Select(ctx, w, backend.NewestFirst, 0)
}

// Placed returns the memories below a prefix that are told by their place, the most important
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
	q, w := fts.Words(text), c.told
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
