package filestore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/sizes"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// What a conversation holds is counted in bytes of lines, of deleted keys too, and a
// compaction drops tombstones from the state. So that not every update reads the whole history, a
// sidecar keeps the sizes up to the checkpoint; the rest is in the log after it. Without a sidecar
// that fits, the whole history is read, to the same answer.

// tallies is the sizes up to an offset of the log.
type tallies struct {
	mu    sync.Mutex
	known *sizes.Tally // nil: not read yet
	at    logPlace     // up to where it was read
}

// size returns the sizes below a prefix by now, with lines that are not in the log yet.
func (c *tallies) size(wr *Writer, below keypath.Prefix, more []sizes.Line) (
	live, deleted int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, err := lineHistoryOf(wr)
	if err != nil {
		return 0, 0, err
	}
	err = orWhole(func(whole bool) (err error) {
		defer func() { c.known.Close() }()
		if err := c.catchUp(wr, h, whole); err != nil {
			c.known.Close()
			c.known = nil
			return err
		}
		tally := c.known
		if len(more) > 0 {
			if tally, err = tally.Branch(below); err != nil {
				return err
			}
			if err := h.add(tally, each(more), more); err != nil {
				return err
			}
		}
		live, deleted, err = tally.Size(below)
		return err
	})
	return live, deleted, err
}

// orWhole runs fn, and again for the whole history where the sidecar turns out to be damaged.
func orWhole(fn func(whole bool) error) error {
	err := disk.Guard(func() error { return fn(false) })
	if errors.Is(err, sizes.ErrStale) || errors.Is(err, disk.ErrFault) {
		err = fn(true)
	}
	return err
}

// catchUp makes known what there is by now.
func (c *tallies) catchUp(wr *Writer, h lineHistory, whole bool) error {
	ok, err := c.at.holds(wr)
	if err != nil {
		return err
	}
	if !ok || c.known == nil || whole {
		if err := c.load(wr, h, whole); err != nil {
			return err
		}
	}
	if c.at.pos == wr.Log.Size() && !c.known.Tied() { // the archives alone may leave a tie
		return nil
	}
	if err := h.add(c.known, h.logged(c.at.pos), nil); err != nil {
		return err
	}
	c.at, err = placeAt(wr, wr.Log.Size())
	return err
}

// load opens the sidecar, or else reads the archives.
func (c *tallies) load(wr *Writer, h lineHistory, whole bool) (err error) {
	c.known = nil
	from := int64(0)
	git := wr.Shared && wr.behind != nil // has changed the log, and the state is of the old one
	if cp, pos, fits := checkpointOf(wr); fits && !git && !whole {
		c.known, from = h.sidecar(cp, pos), pos.offset
	}
	if c.known == nil {
		c.known, from = sizes.NewTally(nil), 0
		if err := c.known.Add(h.archived()); err != nil {
			return err
		}
	}
	c.at, err = placeAt(wr, from)
	return err
}

// checkpointOf returns the checkpoint of the writer's store, and whether it fits the log.
func checkpointOf(wr *Writer) (cp state.Checkpoint, pos position, fits bool) {
	cp, err := state.ReadCheckpoint(wr.Dir)
	if err == nil {
		pos, err = parsePosition(cp.Position)
	}
	if err == nil {
		fits, err = pos.matches(&wr.Log.Segment)
	}
	return cp, pos, fits && err == nil
}

// Size returns the bytes of the newest lines of the keys below a prefix.
func (s *snapshot) Size(_ context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	if !below.Sized() {
		return 0, 0, fmt.Errorf("%s: %w", below, backend.ErrNoSize)
	}
	err = orWhole(func(whole bool) (err error) {
		defer func() { s.tally.Close() }()
		if s.tally == nil || whole {
			if s.tally, err = s.own.tally(whole); err != nil {
				return err
			}
		}
		live, deleted, err = s.tally.Size(below)
		return err
	})
	return live, deleted, err
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
