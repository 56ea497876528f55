package filestore

import (
	"context"
	"iter"
	"maps"
	"math"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// ScanBelow yields the live records under a prefix.
func (s *Store) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return state.ReadBelow(ctx, p, func() (*state.View, func(), error) {
		r, err := s.root()
		if r == nil || err != nil {
			return released(Empty(), err)
		}
		return released(filesOf(s, r).loadWith(scanBelow(p), math.MaxInt64))
	})
}

// Match returns the records that match. It looks in the sidecars of the state, and in the bytes of
// the log after it: no line is decoded without a reason. What it meets may have been replaced, so
// the newest records of these keys are looked up and compared.
func (s *Store) Match(_ context.Context, m backend.Matcher, w backend.Where, limit int) (
	[]log.Record, error) {
	r, err := s.root()
	if r == nil || err != nil {
		return nil, err
	}
	files := filesOf(s, r)
	keys, err := s.mayMatch(files, m, w)
	if len(keys) == 0 || err != nil {
		return nil, err
	}
	f, err := files.newest(keys...)
	if err != nil {
		return nil, err
	}
	return backend.BestMatches(m, w, maps.Values(f.found), limit), nil
}

// mayMatch returns the keys of which some version matches. Where the state cannot be used the
// archives are not looked through: the next compaction makes another.
func (s *Store) mayMatch(files Files, m backend.Matcher, w backend.Where) (
	keys []keypath.Key, err error) {
	seg, err := log.OpenSegment(files.Dir)
	if err != nil {
		return nil, disk.IgnoreNotExist(err)
	}
	defer seg.Close()
	file, pos, err := openState(files.Dir, seg)
	if err != nil {
		return nil, err
	}
	from := int64(0)
	if file != nil {
		defer file.Close()
		from = pos.offset
		found, err := state.Match(file, m, w)
		if err != nil && s.o.Debug != nil {
			s.o.Debug("sidecar not used: " + err.Error())
		}
		for _, rec := range found {
			keys = append(keys, rec.Key)
		}
	}
	passes := func(line []byte) bool { return m.MayMatch(log.ContentIn(line)) }
	for rec, err := range log.Grep(seg.From(from), log.File, log.Start{}, passes) {
		if err != nil && !isDamage(err) {
			return nil, err
		}
		if err == nil && backend.Matches(m, rec) {
			keys = append(keys, rec.Key)
		}
	}
	return keys, nil
}
