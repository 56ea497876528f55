package filestore

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/numbered"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Which notes ever had a number is kept in a sidecar up to the checkpoint (package numbered); the
// rest is in the log after it, of which only keys are read. Without a sidecar that fits, or where
// the state cannot be trusted, the whole history is read.

// numbers is the keys of all notes that a store has or ever had.
type numbers struct {
	from  Files
	table *numbered.Table // nil: more has all
	more  numbered.Keys   // of the log after the state of the table
}

// Numbers returns the numbers of all notes that there are or ever were.
func (s *Store) Numbers(ctx context.Context) (backend.Numbers, error) {
	r, err := s.root()
	if err != nil {
		return nil, err
	}
	if r == nil {
		return &numbers{}, nil
	}
	files := filesOf(s, r)
	for try := 0; ; try++ {
		before, sound, err := ReadWatermark(r.Dir)
		if err != nil {
			return nil, err
		}
		n, err := files.numbers(before, sound)
		if err != nil {
			return nil, err
		}
		after, _, err := ReadWatermark(r.Dir)
		if err == nil && (after.Gen == before.Gen || try == retries) {
			return n, nil
		}
		n.Close()
		if err != nil || ctx.Err() != nil {
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

func (s Files) numbers(w log.Watermark, sound bool) (n *numbers, err error) {
	// The log first, as for a view: see load.
	seg, err := log.OpenSegment(s.Dir)
	if disk.IgnoreNotExist(err) != nil {
		return nil, err
	}
	n = &numbers{from: s}
	if seg != nil {
		defer seg.Close()
		trusted, err := s.trust(w, sound, seg)
		if err != nil {
			return nil, err
		}
		if s.mayUse(trusted) {
			if err := n.open(seg); err != nil || n.table != nil {
				return n, err
			}
		}
	}
	n.more, err = s.everNumbered(seg)
	return n, err
}

// open opens the sidecar of the state, if that can be used, and reads the log after it.
func (n *numbers) open(seg *log.Segment) error {
	file, pos, err := n.from.stateNow(seg)
	if file == nil || err != nil {
		return err
	}
	defer file.Close()
	table, err := numbered.Open(n.from.Dir, file.Size, file.Sum)
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	n.more = numbered.Keys{}
	if err := eachKey(seg.From(pos.offset), n.more.Add); err != nil {
		table.Close()
		return err
	}
	n.table = table
	return nil
}

// Of returns the keys that carry a number, without the sidecar if that is damaged.
func (n *numbers) Of(number int64) ([]keypath.Key, error) {
	keys := numbered.Keys{number: slices.Clone(n.more[number])}
	if n.table != nil {
		err := disk.Guard(func() error { return keys.AddAll(n.table.Of(number)) })
		if isAbsent(err) {
			n.Close()
			if n.more, err = n.from.historyNumbered(); err == nil {
				return n.Of(number)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	list := keys[number]
	slices.SortFunc(list, keypath.Key.Compare)
	return list, nil
}

// Close unmaps the sidecar.
func (n *numbers) Close() {
	if n.table != nil {
		n.table.Close()
		n.table = nil
	}
}

// historyNumbered is everNumbered of the log that there is now.
func (s Files) historyNumbered() (numbered.Keys, error) {
	seg, err := log.OpenSegment(s.Dir)
	if disk.IgnoreNotExist(err) != nil {
		return nil, err
	}
	if seg != nil {
		defer seg.Close()
	}
	return s.everNumbered(seg)
}

// everNumbered returns the keys in log, archives and state; seg may be nil.
func (s Files) everNumbered(seg *log.Segment) (numbered.Keys, error) {
	keys := numbered.Keys{}
	if seg != nil {
		if err := eachKey(seg.From(0), keys.Add); err != nil {
			return nil, err
		}
	}
	names, err := log.Archives(s.Dir)
	if err != nil {
		return nil, err
	}
	if !s.Shared {
		names = append(names, state.FileName)
	}
	for _, name := range names {
		f, err := s.Dir.Open(name)
		if name == state.FileName && err != nil && !disk.Failed(err) {
			continue // there is none
		}
		if err != nil {
			return nil, err
		}
		err = eachKey(f, keys.Add)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// isAbsent reports whether an error says that there is no sidecar to be used.
func isAbsent(err error) bool {
	return errors.Is(err, sidecar.ErrStale) || errors.Is(err, disk.ErrFault) || disk.IsNotExist(err)
}

// addNumbered adds to the draft of a state the sidecar of the keys of notes in what a view covers.
func (v *View) addNumbered(d *state.Draft) error {
	keys, err := v.numbered()
	if err != nil {
		return err
	}
	s, err := keys.Draft(v.from.Dir, d.Size, d.Sum)
	if err != nil {
		d.LeftOut(err)
		return nil
	}
	d.Attach(s)
	return nil
}

func (v *View) numbered() (numbered.Keys, error) {
	keys := numbered.Keys{}
	if v.file == nil {
		cp, err := state.ReadCheckpoint(v.from.Dir)
		if err == nil && !v.from.Shared { // which may know of an archive that is lost
			err = addTable(keys, v.from.Dir, cp.Size, cp.Sum)
		}
		if err != nil && !isAbsent(err) && disk.Failed(err) {
			return nil, err
		}
		return keys, keys.AddAll(v.sinceKeys())
	}
	err := addTable(keys, v.from.Dir, v.file.Size, v.file.Sum)
	if isAbsent(err) {
		return v.from.everNumbered(v.seg)
	}
	if err == nil {
		err = keys.AddAll(v.sinceKeys())
	}
	return keys, err
}

// addTable adds the keys in the sidecar of a state.
func addTable(keys numbered.Keys, dir *disk.Dir, size int64, sum string) error {
	table, err := numbered.Open(dir, size, sum)
	if err != nil {
		return err
	}
	defer table.Close()
	return disk.Guard(func() error { return keys.AddAll(table.All()) })
}

// sinceKeys yields the keys of what came after the state, where a view has one, and those that
// damaged lines show: a repair may bring the record back.
func (v *View) sinceKeys() iter.Seq2[keypath.Key, error] {
	return func(yield func(keypath.Key, error) bool) {
		for key := range v.Since() {
			if !yield(key, nil) {
				return
			}
		}
		for _, d := range v.Damaged {
			raw, err := BytesAt(v.from.Dir, d.Pos.File, d.Pos.Off, d.Pos.Len)
			if !yield(keyOf(raw), err) || err != nil {
				return
			}
		}
	}
}
