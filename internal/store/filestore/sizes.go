package filestore

import (
	"errors"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sizes"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// What a conversation holds is counted in bytes of lines, of deleted keys too, and a
// compaction drops tombstones from the state. So that not every update reads the whole history, a
// sidecar keeps the sizes up to the checkpoint; the rest is in the log after it. Without a sidecar
// that fits, the whole history is read, to the same answer.

// orWhole runs fn, and again for the whole history where the sidecar turns out to be damaged.
func orWhole(fn func(whole bool) error) error {
	err := disk.Guard(func() error { return fn(false) })
	if errors.Is(err, sizes.ErrStale) || errors.Is(err, disk.ErrFault) {
		err = fn(true)
	}
	return err
}

// AddSizes adds to the draft of a state the sidecar of the sizes in what a view covers.
func (v *View) AddSizes(d *state.Draft) error {
	h, err := v.history()
	if err != nil {
		return err
	}
	covered, err := h.covered(v.Size())
	if err != nil {
		return err
	}
	return orWhole(func(whole bool) error {
		tally, err := v.tally(whole)
		if err != nil {
			return err
		}
		defer tally.Close()
		s, err := tally.Draft(h.dir, d.Size, d.Sum, covered)
		if errors.Is(err, sizes.ErrStale) && !whole {
			return err
		}
		if err != nil {
			_ = sizes.Remove(h.dir) // the one there is refused, unless the history did not grow
			d.LeftOut(err)
			return nil
		}
		d.Attach(s)
		return nil
	})
}

// tally returns the sizes in what a view covers; whole: without the sidecar.
func (v *View) tally(whole bool) (tally *sizes.Tally, err error) {
	h, err := v.history()
	if err != nil {
		return nil, err
	}
	from := int64(0)
	if v.file != nil && v.seg != nil && !whole {
		pos, err := parsePosition(v.file.Position)
		fits := err == nil
		if fits { // a kept view does not care where its lines stand by now
			fits, err = pos.matches(v.seg)
		}
		if fits && err == nil {
			tally, from = h.sidecar(v.file.Checkpoint, pos), pos.offset
		}
	}
	if tally == nil {
		tally, from = sizes.NewTally(nil), 0
		err = tally.Add(h.archived())
	}
	if err == nil {
		err = h.add(tally, h.logged(from), nil)
	}
	if err != nil {
		tally.Close()
		return nil, err
	}
	return tally, nil
}

// lineHistory is the history as lines.
type lineHistory struct {
	dir      *disk.Dir
	archives []string     // their names
	seg      *log.Segment // nil: there is no log
}

// lineHistoryOf returns the history of a writer's store.
func lineHistoryOf(wr *Writer) (h lineHistory, err error) {
	h.dir, h.seg = wr.Dir, &wr.Log.Segment
	h.archives, err = log.Archives(wr.Dir)
	return h, err
}

// history returns the history that a view covers: of the archives at hand those that its checkpoint
// lists, or from which it was folded. Lines rotated since are in its log.
func (v *View) history() (lineHistory, error) {
	h := lineHistory{dir: v.from.Dir, archives: v.archives, seg: v.seg}
	if v.file == nil {
		return h, nil
	}
	list, err := ArchivesOf(v.file.Checkpoint)
	if err != nil {
		return h, err
	}
	names, err := log.Archives(h.dir)
	listed := namesOf(list)
	h.archives = slices.DeleteFunc(names, func(name string) bool { return !listed[name] })
	return h, err
}

// covered returns how many bytes the archives have together with the first bytes of the log. A
// rotation does not change it, and everything else that is done to archives does.
func (h lineHistory) covered(size int64) (int64, error) {
	for _, name := range h.archives {
		fi, err := h.dir.Lstat(name)
		if err != nil {
			return 0, err
		}
		size += fi.Size()
	}
	return size, nil
}

// sidecar returns what the sidecar of a checkpoint has; nil where there is none that fits.
func (h lineHistory) sidecar(cp state.Checkpoint, pos position) *sizes.Tally {
	covered, err := h.covered(pos.offset)
	if err != nil {
		return nil
	}
	tally := sizes.NewTally(func() (*sizes.Table, error) {
		return sizes.Open(h.dir, cp.Size, cp.Sum, covered)
	})
	if !tally.Usable() {
		return nil
	}
	return tally
}

// archived yields the lines of the archives.
func (h lineHistory) archived() iter.Seq2[sizes.Line, error] {
	return func(yield func(sizes.Line, error) bool) {
		for _, name := range h.archives {
			more := true
			err := withFile(h.dir, name, func(f *disk.File, _ int64) error {
				for l, err := range sizes.Lines(f) {
					if more = yield(l, err); !more {
						return nil
					}
				}
				return nil
			})
			if err != nil {
				more = yield(sizes.Line{}, err) && false
			}
			if !more {
				return
			}
		}
	}
}

// logged yields the lines of the log from an offset on.
func (h lineHistory) logged(from int64) iter.Seq2[sizes.Line, error] {
	if h.seg == nil {
		return func(func(sizes.Line, error) bool) {}
	}
	return sizes.Lines(h.seg.From(from))
}

// add adds lines to a tally of a part of the history, and of more that is not in it yet.
func (h lineHistory) add(t *sizes.Tally, lines iter.Seq2[sizes.Line, error],
	more []sizes.Line) error {
	if err := t.Add(lines); err != nil || !t.Tied() {
		return err
	}
	return t.ResolveTies(func(yield func(sizes.Line, error) bool) {
		for _, part := range [...]iter.Seq2[sizes.Line, error]{
			h.archived(), h.logged(0), each(more),
		} {
			for l, err := range part {
				if !yield(l, err) {
					return
				}
			}
		}
	})
}

// each yields the lines of a list.
func each(list []sizes.Line) iter.Seq2[sizes.Line, error] {
	return func(yield func(sizes.Line, error) bool) {
		for _, l := range list {
			if !yield(l, nil) {
				return
			}
		}
	}
}
