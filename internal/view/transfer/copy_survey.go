package transfer

import (
	"context"
	"errors"
	"hash/maphash"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// course is how the versions of a key follow each other in the history of the source. Two keys of
// one hash are taken for one.
type course struct {
	copied log.Stamp // the newest version in the target; before all stamps: none
	newest log.Stamp // of the last survey
	late   bool      // a new version comes after a newer one
}

// wants reports whether a version is new, and was there at the last survey.
func (c course) wants(rec log.Record) bool { return rec.TS > c.copied && rec.TS <= c.newest }

// survey is what the source has, and how much of it is copied.
type survey struct {
	keys map[uint64]course // by hash
	seed maphash.Seed

	total   int       // the lines that the last walk has met
	fresh   int       // of them, those that are not copied
	altered bool      // not all lines of the walk before are where they were
	newest  log.Stamp // of all
}

func newSurvey() survey {
	return survey{keys: map[uint64]course{}, seed: maphash.MakeSeed(), newest: log.MinStamp}
}

// walk calls fn for every version that a store has had, and returns how many lines it could not
// read.
func walk(ctx context.Context, s *mem.Store, fn func(log.Record) error) (damaged int, err error) {
	return walkBelow(ctx, s, keypath.Prefix{}, fn)
}

// walkBelow is walk below a prefix.
func walkBelow(ctx context.Context, s *mem.Store, below keypath.Prefix,
	fn func(log.Record) error) (damaged int, err error) {
	for rec, err := range s.HistoryBelow(ctx, below) {
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

// add walks the source once more. Where the history changed other than by newer versions, as by a
// purge or a merge, the survey is altered: the copies may differ from the source.
func (s *survey) add(ctx context.Context, from *mem.Store) (damaged int, err error) {
	before := s.total
	s.total, s.fresh = 0, 0
	damaged, err = walk(ctx, from, func(rec log.Record) error {
		s.meet(rec)
		return nil
	})
	s.altered = before > 0 && s.total != before+s.fresh
	return damaged, err
}

// meet adds one version of the source. A line that is in two files makes its key late.
func (s *survey) meet(rec log.Record) {
	s.total++
	s.newest = max(s.newest, rec.TS)
	hash := s.hash(rec.Key)
	c, before := s.keys[hash]
	if !before {
		c = course{copied: log.MinStamp - 1, newest: log.MinStamp - 1}
	}
	if rec.TS <= c.copied {
		return
	}
	s.fresh++
	c.late = c.late || rec.TS <= c.newest
	c.newest = max(c.newest, rec.TS)
	s.keys[hash] = c
}

func (s *survey) hash(key keypath.Key) uint64 { return maphash.String(s.seed, key.String()) }

// copied notes that the target has all that the last walk has met.
func (s *survey) copied() {
	for hash, c := range s.keys {
		s.keys[hash] = course{copied: c.newest, newest: c.newest}
	}
}
