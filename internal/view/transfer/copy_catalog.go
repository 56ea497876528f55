package transfer

import (
	"context"
	"encoding/hex"
	"errors"
	"hash/maphash"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// digest identifies a version: half of the checksum of its line, which covers the key, the time and
// all that was written.
type digest [16]byte

func digestOf(rec log.Record) (d digest) {
	// A canonical line ends in its checksum, in hexadecimal.
	_, _ = hex.Decode(d[:], []byte(log.Sum(rec.Line)[:2*len(d)]))
	return d
}

// place is where a version is.
type place struct {
	scan  uint8 // the last scan of the source that has met it; 0: none
	there bool  // in the target
}

// course is how the versions of a key follow each other in the history of the source. Two keys of
// one hash are taken for one, which costs memory at worst.
type course struct {
	newest log.Stamp // so far
	late   bool      // one comes after a newer one
	wanted bool      // the target lacks one
}

// catalog is which versions the two stores have.
type catalog struct {
	versions map[digest]place
	keys     map[uint64]course // by hash
	seed     maphash.Seed

	scan   uint8     // the number of the last one
	met    int       // versions that it has met
	wanted int       // of them, those that the target lacked
	newest log.Stamp // of all
}

func newCatalog() catalog {
	return catalog{versions: map[digest]place{}, seed: maphash.MakeSeed(), newest: log.MinStamp}
}

// walk calls fn for every version that a store has had, and returns how many lines it could not
// read.
func walk(ctx context.Context, s *mem.Store, fn func(log.Record) error) (damaged int, err error) {
	for rec, err := range s.HistoryBelow(ctx, keypath.Prefix{}) {
		switch {
		case errors.Is(err, log.ErrTorn): // a writer at work, or the next one repairs it
			continue
		case errors.As(err, new(*log.Damage)):
			damaged++
			continue
		case err == nil:
			err = fn(rec)
		}
		if err != nil {
			return damaged, err
		}
	}
	return damaged, nil
}

// addTarget adds what the target has.
func (c *catalog) addTarget(ctx context.Context, s *mem.Store) error {
	_, err := walk(ctx, s, func(rec log.Record) error {
		c.versions[digestOf(rec)] = place{there: true}
		return nil
	})
	return err
}

// addSource adds what the source has.
func (c *catalog) addSource(ctx context.Context, s *mem.Store) (damaged int, err error) {
	c.scan++
	c.met, c.wanted, c.keys = 0, 0, map[uint64]course{}
	return walk(ctx, s, func(rec log.Record) error {
		c.meet(rec)
		return nil
	})
}

// meet adds one version of the source.
func (c *catalog) meet(rec log.Record) {
	d := digestOf(rec)
	at := c.versions[d]
	if at.scan == c.scan {
		return // its line is in two files
	}
	at.scan = c.scan
	c.versions[d] = at
	hash := c.hash(rec.Key)
	key, before := c.keys[hash]
	key.late = key.late || before && rec.TS <= key.newest
	key.wanted = key.wanted || !at.there
	if !before || rec.TS > key.newest {
		key.newest = rec.TS
	}
	c.keys[hash] = key
	c.newest = max(c.newest, rec.TS)
	if c.met++; !at.there {
		c.wanted++
	}
}

func (c *catalog) hash(key keypath.Key) uint64 { return maphash.String(c.seed, key.String()) }

// foreign is how many versions are in the target, and not in the source.
func (c *catalog) foreign() int { return len(c.versions) - c.met }

// wants reports whether a version is to be copied: the last scan has met it, and the target lacks
// it. Later versions wait for the next scan.
func (c *catalog) wants(d digest) bool {
	at, known := c.versions[d]
	return known && !at.there
}

// arrived marks a version as one that the target has.
func (c *catalog) arrived(d digest) { c.versions[d] = place{c.scan, true} }
