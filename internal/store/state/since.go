package state

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// sinceCache caches what reads and searches need of the records written since a state. The first of
// them that needs a part makes it. Forks of a view share it, and an extended view takes it over.
type sinceCache struct {
	mu    sync.Mutex // held while in use
	words *fts.Tail
	items []sinceItem   // of the live records, by key; nil: not made yet
	rows  *replacedRows // nil: not looked for yet
}

// sinceItem is a live record as a ranking takes it.
type sinceItem struct {
	key   keypath.Key
	realm keypath.Realm
	item  readout.Item
}

func newSinceItem(rec log.Record) sinceItem {
	it := itemOf(rec)
	return sinceItem{rec.Key, content.RealmOf(rec.Key, it.Fields), it}
}

// tail returns what came since as the full text searches it. mu is held.
func (c *sinceCache) tail(since Fold) *fts.Tail {
	if c.words == nil {
		c.words = fts.NewTail()
		for _, rec := range since {
			c.words.Add(rec)
		}
	}
	return c.words
}

// live returns the live records as a ranking takes them, by key. mu is held.
func (c *sinceCache) live(since Fold) []sinceItem {
	if c.items == nil {
		c.items = make([]sinceItem, 0, len(since))
		for rec := range since.Sorted() {
			if rec.Valid() {
				c.items = append(c.items, newSinceItem(rec))
			}
		}
	}
	return c.items
}

// around returns the range of the live records in which all are that a prefix holds. mu is held.
func (c *sinceCache) around(since Fold, p keypath.Prefix) []sinceItem {
	items, key := c.live(since), strings.TrimSuffix(p.String(), "/")
	from := func(key string) int {
		return sort.Search(len(items), func(i int) bool { return items[i].key.String() >= key })
	}
	return items[from(key):from(key+"0")] // the 0 comes after the slash
}

// replaced returns the rows of a table that since replaces. mu is held.
func (c *sinceCache) replaced(t *table, since Fold) (*replacedRows, error) {
	if c.rows == nil {
		c.rows = &replacedRows{at: map[int64]bool{}, pending: slices.Collect(maps.Keys(since))}
	}
	for i, key := range c.rows.pending {
		if err := c.rows.add(t, key); err != nil {
			c.rows.pending = c.rows.pending[i:]
			return nil, err
		}
	}
	c.rows.pending = nil
	return c.rows, nil
}

// extend returns the cache of a fold that has gained fresh records.
func (c *sinceCache) extend(since, fresh Fold) *sinceCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := &sinceCache{words: c.words}
	if next.words != nil {
		c.words = nil // the old view makes it again if it is searched
		for key := range fresh {
			next.words.Add(since[key])
		}
	}
	if c.items == nil {
		return next
	}
	if c.rows != nil {
		next.rows = c.rows.clone(fresh)
	}
	next.items = make([]sinceItem, 0, len(c.items)+len(fresh))
	keys := fresh.Keys()
	add := func() {
		if rec := since[keys[0]]; rec.Valid() {
			next.items = append(next.items, newSinceItem(rec))
		}
		keys = keys[1:]
	}
	for i := range c.items {
		for len(keys) > 0 && keys[0].Compare(c.items[i].key) < 0 {
			add()
		}
		if _, replaced := fresh[c.items[i].key]; !replaced {
			next.items = append(next.items, c.items[i])
		}
	}
	for len(keys) > 0 {
		add()
	}
	return next
}

type replacedRows struct {
	at      map[int64]bool // by the offset of the line
	rows    []replacedRow
	pending []keypath.Key // not looked for yet
}

// replacedRow is a row that a read could show.
type replacedRow struct {
	rankRow
	realm keypath.Realm
}

// clone returns the rows that are replaced where fresh records have come too.
func (r *replacedRows) clone(fresh Fold) *replacedRows {
	next := &replacedRows{at: maps.Clone(r.at), rows: r.rows[:len(r.rows):len(r.rows)]}
	next.pending = append(slices.Clone(r.pending), slices.Collect(maps.Keys(fresh))...)
	return next
}

func (r *replacedRows) add(t *table, key keypath.Key) error {
	rows, err := t.WithHash(hashKey(key))
	if err != nil {
		return err
	}
	for _, i := range rows {
		row, err := t.Row(i)
		if err != nil {
			return err
		}
		if r.at[row.Offset] {
			continue
		}
		band, err := t.bandOf(i)
		if err != nil {
			return err
		}
		r.at[row.Offset] = true
		r.rows = append(r.rows, replacedRow{row, t.bands[band].Realm})
	}
	return nil
}

// countShown returns how many of the rows a read at now would show, by their realms.
func (r *replacedRows) countShown(now log.Stamp, w backend.Where) (n int) {
	for i := range r.rows {
		if row := &r.rows[i]; ranks(&w, row.realm) && (!row.HasExpiry || now <= row.Expires) {
			n++
		}
	}
	return n
}
