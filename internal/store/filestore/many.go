package filestore

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// manyCache is the newest records of the keys of the last call: an import comes in groups, and to
// look each key up by itself would read the log once for each new key. The next group reads only
// what others have appended since. It is guarded by the store's lock, and mu.
type manyCache struct {
	mu    sync.Mutex
	known map[keypath.Key]log.Record // of every key that is asked for; a zero record: none
	ever  bool                       // of the whole history, not only of what is live
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
	eachArchived(wr.Dir, only(c.wanted()), c.collect(&failed))
	return failed
}

// collect returns the consumer of a scan that sees its records, until one fails.
func (c *manyCache) collect(failed *error) func(log.Record, error) bool {
	return func(rec log.Record, err error) bool {
		if err == nil {
			c.see(rec)
		} else if !isDamage(err) {
			*failed = err
		}
		return *failed == nil
	}
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

// LookAhead reads the newest record that each of these keys ever had. An update that asks for them
// then reads under the lock only what came since, but everything where a compaction came first.
func (s *Store) LookAhead(ctx context.Context, keys []keypath.Key) error {
	r, err := s.root()
	if r == nil || err != nil {
		return err
	}
	w, sound, err := ReadWatermark(r.Dir)
	if err != nil {
		return err
	}
	// The log before the archives are listed, so that a rotation meanwhile hides nothing.
	seg, err := log.OpenSegment(r.Dir)
	if err != nil {
		return ignore(err, fs.ErrNotExist)
	}
	defer seg.Close()
	if trust, err := filesOf(s, r).trust(w, sound, seg); err != nil || trust == Stale {
		return err
	}
	// No further than what was acknowledged: the rest may be cut off.
	seg.Limit(w.Applied)
	c := manyCache{ever: true, at: logPlace{seg.Ino(), w.Gen, w.Applied, w.Last}}
	c.ask(keys)
	if err := c.seeHistory(ctx, r.Dir, seg); err != nil {
		return err
	}
	s.many.mu.Lock()
	defer s.many.mu.Unlock()
	s.many.known, s.many.ever, s.many.at = c.known, true, c.at
	return nil
}

// ask begins to look for keys.
func (c *manyCache) ask(keys []keypath.Key) {
	c.known = make(map[keypath.Key]log.Record, len(keys))
	for _, key := range keys {
		c.known[key] = log.Record{}
	}
}

// seeHistory sees the archives and a segment.
func (c *manyCache) seeHistory(ctx context.Context, dir *disk.Dir, seg *log.Segment) error {
	var failed error
	collect := c.collect(&failed)
	see := func(rec log.Record, err error) bool {
		if ctx.Err() != nil {
			failed = fmt.Errorf("reading: %w", context.Cause(ctx))
			return false
		}
		return collect(rec, err)
	}
	scan := only(c.wanted())
	if eachArchived(dir, scan, see) {
		scanInto(seg.From(0), log.File, scan, see)
	}
	return failed
}
