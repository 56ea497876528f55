package filestore

import (
	"maps"
	"slices"
	"sync"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// manyCache is the newest records of the keys of the last call: an import comes in groups, and to
// look each key up by itself would read the log once for each new key. The next group reads only
// what others have appended since. It is guarded by the store's lock, and mu.
type manyCache struct {
	mu    sync.Mutex
	known map[keypath.Key]log.Record // of every key that is asked for; a zero record: none
	ever  bool                       // of the whole history, not only of live records
	at    logPlace                   // up to where known was read
}

// newest returns the newest record of each key that has one: of all there ever were, or only those
// that are live.
func (c *manyCache) newest(wr *Writer, keys []keypath.Key, ever bool) (
	map[keypath.Key]log.Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok, err := c.at.holds(wr)
	if err != nil {
		return nil, err
	}
	if !ok || c.ever != ever || !c.has(keys) {
		if err := c.load(wr, keys, ever); err != nil {
			c.known = nil
			return nil, err
		}
	}
	if err := c.catchUp(wr); err != nil {
		c.known = nil
		return nil, err
	}
	found := make(map[keypath.Key]log.Record, len(keys))
	for _, key := range keys {
		if rec := c.known[key]; !rec.Key.IsZero() && (ever || rec.Valid()) {
			found[key] = rec
		}
	}
	return found, nil
}

// catchUp reads what the log has gained since.
func (c *manyCache) catchUp(wr *Writer) (err error) {
	from := c.at.pos
	if from == wr.Log.Size() {
		return nil
	}
	for rec, err := range log.Find(wr.Log.From(from), log.File, log.Start{Off: from}, c.wanted()) {
		if isDamage(err) {
			continue
		}
		if err != nil {
			return err
		}
		c.see(rec)
	}
	c.at, err = placeAt(wr, wr.Log.Size())
	return err
}

func (c *manyCache) wanted() log.Wanted {
	w := make(log.Wanted, len(c.known))
	for key := range c.known {
		w.Add(key)
	}
	return w
}

func (c *manyCache) has(keys []keypath.Key) bool {
	for _, key := range keys {
		if _, ok := c.known[key]; !ok {
			return false
		}
	}
	return c.known != nil
}

// load reads what lies before pos: the archives, or for live records a view.
func (c *manyCache) load(wr *Writer, keys []keypath.Key, ever bool) (err error) {
	c.ask(keys)
	c.ever = ever
	if !ever {
		return c.loadLive(wr)
	}
	if c.at, err = placeAt(wr, 0); err != nil {
		return err
	}
	var failed error
	eachArchived(wr.Dir, recordsOf(c.wanted()), func(rec log.Record, err error) bool {
		if err == nil {
			c.see(rec)
		} else if !isDamage(err) {
			failed = err
		}
		return failed == nil
	})
	return failed
}

func (c *manyCache) loadLive(wr *Writer) (err error) {
	if c.at, err = placeAt(wr, wr.Log.Size()); err != nil {
		return err
	}
	const few = 1000 // so many bisections take about as long as a pass over a large state
	if len(c.known) < few {
		found, err := newestIn(wr, slices.Collect(maps.Keys(c.known))...)
		for _, rec := range found {
			c.see(rec)
		}
		return err
	}
	v, err := wr.Load()
	if err != nil {
		return err
	}
	defer v.Close()
	for rec, err := range v.Live() {
		if err != nil {
			return err
		}
		c.see(rec)
	}
	return nil
}

// see adds a record if its key was asked for.
func (c *manyCache) see(rec log.Record) {
	if old, ok := c.known[rec.Key]; ok && (old.Key.IsZero() || rec.Wins(old)) {
		c.known[rec.Key] = rec.Clone()
	}
}

// ask begins to look for keys.
func (c *manyCache) ask(keys []keypath.Key) {
	c.known = make(map[keypath.Key]log.Record, len(keys))
	for _, key := range keys {
		c.known[key] = log.Record{}
	}
}
