package filestore

import (
	"context"
	"io/fs"
	"iter"
	"maps"
	"math"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
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

// FindNear returns what says nearly the same as a text. It looks for that in the full text of the
// state, and in the bytes of the log after it: no line is decoded without a reason. What it meets
// may have been replaced, so the newest records of these keys are looked up and compared.
func (s *Store) FindNear(_ context.Context, text string, w backend.Where, limit int) (
	[]log.Record, error) {
	r, err := s.root()
	if r == nil || err != nil {
		return nil, err
	}
	files, near := filesOf(s, r), fts.NewNear(text)
	keys, err := s.mayBeNear(files, near, w)
	if len(keys) == 0 || err != nil {
		return nil, err
	}
	f, err := files.newest(keys...)
	if err != nil {
		return nil, err
	}
	return backend.Nearest(near, w, maps.Values(f.found), limit), nil
}

// mayBeNear returns the keys of which some version is near. Where the state cannot be used the
// archives are not looked through: the next compaction makes another.
func (s *Store) mayBeNear(files Files, near *fts.Near, w backend.Where) (
	keys []keypath.Key, err error) {
	seg, err := log.OpenSegment(files.Dir)
	if err != nil {
		return nil, ignore(err, fs.ErrNotExist)
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
		found, err := state.FindNear(file, near, w)
		if err != nil && s.o.Debug != nil {
			s.o.Debug("full text not used: " + err.Error())
		}
		for _, rec := range found {
			keys = append(keys, rec.Key)
		}
	}
	passes := func(line []byte) bool { return near.MayBe(log.ContentIn(line)) }
	for rec, err := range log.Grep(seg.From(from), log.File, log.Start{}, passes) {
		if err != nil && !isDamage(err) {
			return nil, err
		}
		if err == nil && near.IsNear(rec) {
			keys = append(keys, rec.Key)
		}
	}
	return keys, nil
}
