package filestore

import (
	"context"
	"io"
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

// Match returns the records that match; see the package comment.
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

// mayMatch returns the keys of which some version matches.
func (s *Store) mayMatch(files Files, m backend.Matcher, w backend.Where) (
	keys []keypath.Key, err error) {
	seg, err := log.OpenSegment(files.Dir)
	if err != nil {
		return nil, disk.IgnoreNotExist(err)
	}
	defer seg.Close()
	file, pos, err := files.usableState(seg)
	if err != nil {
		return nil, err
	}
	var lines iter.Seq2[log.Record, error]
	grep := func(r io.Reader, name string, at log.Start) iter.Seq2[log.Record, error] {
		return log.Grep(r, name, at,
			func(line []byte) bool { return m.MayMatch(log.ContentIn(line)) })
	}
	if file == nil {
		lines = files.everything(grep)
	} else {
		defer file.Close()
		found, err := state.Match(file, m, w)
		if err != nil && s.o.Debug != nil {
			s.o.Debug("sidecar not used: " + err.Error())
		}
		for _, rec := range found {
			keys = append(keys, rec.Key)
		}
		lines = grep(seg.From(pos.offset), log.File, log.Start{})
	}
	for rec, err := range lines {
		if err != nil && !isDamage(err) {
			return nil, err
		}
		if err == nil && backend.Matches(m, rec) {
			keys = append(keys, rec.Key)
		}
	}
	return keys, nil
}

// usableState opens the state where it stands for a part of the log, as for a lookup; else nil.
func (s Files) usableState(seg *log.Segment) (*state.File, position, error) {
	if s.Shared {
		w, sound, err := ReadWatermark(s.Dir)
		if err != nil {
			return nil, position{}, err
		}
		if trust, err := s.trust(w, sound, seg); err != nil || !s.mayUse(trust) {
			return nil, position{}, err
		}
	}
	return s.stateNow(seg)
}

// everything yields what a scan finds in the history, and the lines of the state.
func (s Files) everything(scan scan) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range s.history(scan) {
			if !yield(rec, err) {
				return
			}
		}
		if !s.Shared {
			stateLines(s.Dir)(yield)
		}
	}
}
