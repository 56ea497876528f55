package filestore

import (
	"context"
	"fmt"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/sizes"
)

// Size returns the bytes of the newest lines of the keys below a prefix.
func (t *tx) Size(_ context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	tally, err := wholeTally(t.group.wr.Dir, &t.group.wr.Log.Segment, log.MaxStamp)
	if err != nil {
		return 0, 0, err
	}
	for _, o := range []overlay{t.group.writes, t.writes} {
		for _, rec := range o {
			if l, ok := sizes.Of(withLine(rec)); ok {
				tally.Add(l)
			}
		}
	}
	return sizeIn(tally, below)
}

// Size returns the bytes of the newest lines of the keys below a prefix.
func (s *snapshot) Size(_ context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	if s.own.seg == nil {
		return sizeIn(sizes.NewTally(log.MaxStamp), below)
	}
	tally, err := wholeTally(s.own.from.Dir, s.own.seg, s.own.MaxTS)
	if err != nil {
		return 0, 0, err
	}
	return sizeIn(tally, below)
}

func sizeIn(tally *sizes.Tally, below keypath.Prefix) (live, deleted int64, err error) {
	if !below.Sized() {
		return 0, 0, fmt.Errorf("%s: %w", below, backend.ErrNoSize)
	}
	live, deleted = tally.Size(below)
	return live, deleted, nil
}

// wholeTally returns the tally of the whole history up to a time: of an archive that was made since
// the segment was opened, only what the segment has counts.
func wholeTally(dir *disk.Dir, seg *log.Segment, until log.Stamp) (*sizes.Tally, error) {
	tally := sizes.NewTally(until)
	names, err := log.Archives(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		err := withFile(dir, name, func(f *disk.File, _ int64) error { return tally.Read(f) })
		if err != nil {
			return nil, err
		}
	}
	return tally, tally.Read(seg.From(0))
}
