package filestore

import (
	"cmp"
	"errors"
	"io"
	"path"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/sizes"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// replacing runs fn, which replaces files that readers have open. The generation is odd meanwhile:
// readers look again, and after a crash the next writer makes state and checkpoint anew.
func replacing(wr *Writer, fn func() error) error {
	if err := wr.NextGeneration(); err != nil {
		return err
	}
	err := fn()
	return cmp.Or(err, wr.NextGeneration())
}

// replacer takes the keys out of the files of the history, and of the state.
type replacer struct{ *eraser }

// state takes the keys out of state.jsonl, and the sidecars away.
func (x replacer) state() error {
	const tries = 3 // of a state that a heal replaces
	for try := 0; ; try++ {
		base, _ := state.ReadCheckpoint(x.files.Dir)
		d, err := state.Without(x.files.Dir, x.plan.Keys, x.takes)
		unreadable := errors.Is(err, state.ErrCheckpoint) || errors.Is(err, disk.ErrIrregular)
		if err != nil && !unreadable {
			return err
		}
		err = x.locked(func(wr *Writer) error { return x.installState(wr, d, unreadable, base) })
		if d != nil {
			d.Discard()
		}
		if !errors.Is(err, errChanged) || try == tries {
			return err
		}
	}
}

// installState puts a state in place that was made of the one that base describes. One that cannot
// be read is removed: archives and log have all of it.
func (x replacer) installState(wr *Writer, d *state.Draft, unreadable bool,
	base state.Checkpoint) error {
	now, _ := state.ReadCheckpoint(wr.Dir)
	if now.Sum != base.Sum || now.Position != base.Position {
		return errChanged
	}
	return replacing(wr, func() error {
		if err := state.RemoveSidecars(wr.Dir, compactingName); err != nil {
			return err
		}
		switch {
		case unreadable:
			// A crash before this leaves a state that nobody can use.
			return disk.IgnoreNotExist(wr.Dir.Remove(state.FileName))
		case d != nil:
			return d.Install(log.StampOf(wr.now))
		}
		return nil
	})
}

// restate makes a state anew where the one there is fits the history no more, or could not be read:
// a step before has failed on the way.
func (x replacer) restate() error {
	return x.locked(func(wr *Writer) error {
		if _, err := wr.Dir.Lstat(state.CheckpointName); err != nil {
			return disk.IgnoreNotExist(err)
		}
		file, _, err := openState(wr.Dir, &wr.Log.Segment)
		if file != nil {
			return file.Close()
		}
		if err != nil {
			return err
		}
		v, err := wr.Load()
		if err != nil {
			return err
		}
		defer v.Close()
		return replacing(wr, func() error { return wr.WriteState(v) })
	})
}

// archives replaces the archives of the plan, one at a time: each is written without the lock, and
// put in place under it.
func (x replacer) archives() error {
	for _, a := range x.plan.Archives {
		if err := x.archive(a); err != nil {
			return err
		}
	}
	return nil
}

func (x replacer) archive(a purge.Archive) error {
	names, err := log.Archives(x.files.Dir)
	if err != nil {
		return err
	}
	if !slices.Contains(names, a.Name) { // moved away; fsck tells whoever puts it back
		x.beyond = append(x.beyond, a.Name)
		return nil
	}
	have, err := extentOf(x.files.Dir, a.Name)
	if err != nil {
		return err
	}
	if have == a.New { // where the plan is not new; the checkpoint may not know it yet
		return x.locked(func(wr *Writer) error { return relist(wr.Dir, a.Name) })
	}
	sub, err := x.files.Dir.Sub(path.Dir(a.Name), false)
	if err != nil {
		return err
	}
	defer sub.Close()
	temp, err := x.rewrite(sub, a.Name)
	if err != nil {
		return err
	}
	return x.locked(func(wr *Writer) error {
		if now, err := extentOf(wr.Dir, a.Name); err != nil || now != have {
			return cmp.Or(err, disk.IgnoreNotExist(sub.Remove(temp)), errChanged)
		}
		return replacing(wr, func() error {
			// A crash before this rename leaves a temporary file in archive/; after it the plan
			// knows the new archive, which the checkpoint does not list yet.
			if err := sub.CommitSync(temp, path.Base(a.Name)); err != nil {
				return err
			}
			return relist(wr.Dir, a.Name)
		})
	})
}

// rewrite writes what stays of an archive under a temporary name, and returns that.
func (x replacer) rewrite(sub *disk.Dir, name string) (temp string, err error) {
	err = withFile(x.files.Dir, name, func(f *disk.File, size int64) error {
		spans, err := x.linesOf(f, size, name, x.takes)
		if err != nil {
			return err
		}
		// A crash within this leaves a temporary file in archive/.
		temp, err = sub.TempFileSync(func(w io.Writer) error {
			return purge.Copy(w, f, size, spans)
		})
		return err
	})
	return temp, err
}

// linesOf returns the lines of a file that go, now that the values are known.
func (x *eraser) linesOf(r io.ReaderAt, size int64, name string, takes func(log.Record) bool) (
	[]purge.Span, error) {
	spans, doubts, err := x.lines(r, size, name, takes, nil)
	return purge.Settle(spans, doubts, x.values), err
}

func extentOf(dir *disk.Dir, name string) (e purge.Extent, err error) {
	err = withFile(dir, name, func(f *disk.File, size int64) error {
		e.Size = size
		e.Sum, err = log.LastSum(f, size)
		return err
	})
	return e, err
}

// segments takes the keys out of the live log, and of archives that the plan does not know, all
// under one lock: what is appended meanwhile waits.
func (x replacer) segments() error {
	return x.locked(func(wr *Writer) error {
		names, err := log.Archives(wr.Dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := x.late(wr, name); err != nil {
				return err
			}
		}
		if err := x.keepNumbers(wr); err != nil {
			return err
		}
		return x.live(wr)
	})
}

// keepNumbers makes the checkpoint remember the numbers of keys that leave no tombstone: no other
// record may have them (N-08).
func (x replacer) keepNumbers(wr *Writer) error {
	numbers := &keypath.Counts{}
	for _, key := range x.plan.Keys {
		numbers.AddKey(key)
	}
	if x.plan.Tombstones || len(numbers.Highest()) == 0 {
		return nil
	}
	cp, pos, fits := checkpointOf(wr)
	if !fits || pos.numbers == nil {
		v, err := wr.Load()
		if err != nil {
			return err
		}
		defer v.Close()
		return replacing(wr, func() error { return wr.WriteState(v) })
	}
	numbers.Merge(keypath.CountsOf(pos.numbers))
	pos.numbers = numbers.Highest()
	cp.Position = pos.encode()
	// A crash after this leaves numbers that were given in any case.
	return state.WriteCheckpoint(wr.Dir, cp)
}

// late replaces an archive that was rotated after the plan was made, if it holds something.
func (x replacer) late(wr *Writer, name string) error {
	if have, err := extentOf(wr.Dir, name); err != nil || x.plan.Done(name, have) {
		return err
	}
	return withFile(wr.Dir, name, func(f *disk.File, size int64) error {
		spans, err := x.linesOf(f, size, name, x.takes)
		if err != nil || len(spans) == 0 {
			return err
		}
		sub, err := wr.Dir.Sub(path.Dir(name), false)
		if err != nil {
			return err
		}
		defer sub.Close()
		return replacing(wr, func() error {
			// A crash within this leaves the old archive or the new one, and the plan.
			err := sub.WriteFileSync(path.Base(name), func(w io.Writer) error {
				return purge.Copy(w, f, size, spans)
			})
			if err != nil {
				return err
			}
			return relist(wr.Dir, name)
		})
	})
}

// live replaces the live log. The checkpoint then says of the new file what it said of the old one.
func (x replacer) live(wr *Writer) error {
	size := wr.Log.Size()
	last := func(rec log.Record) bool { return x.plan.Takes(rec, true) }
	spans, err := x.linesOf(wr.Log, size, log.File, last)
	if err != nil || len(spans) == 0 {
		return err
	}
	cp, pos, fits := checkpointOf(wr)
	return replacing(wr, func() error {
		// A state that was made on the way may have brought one, with the hashes of the keys. A
		// crash before this leaves the plan, and after it what the next state makes anew.
		if err := sizes.Remove(wr.Dir); err != nil {
			return err
		}
		// A crash before the rename within this leaves the old log; after it a checkpoint of
		// another inode: the next writer folds archives and log.
		err := wr.Dir.WriteFileSync(log.File, func(w io.Writer) error {
			return purge.Copy(w, wr.Log, size, spans)
		})
		if err != nil {
			return err
		}
		fresh, err := log.OpenAppender(wr.Dir)
		if err != nil {
			return err
		}
		wr.Log.Close()
		wr.Log = fresh
		if !fits {
			return nil
		}
		cut, lines := purge.Before(spans, pos.offset)
		pos.ino, pos.offset, pos.lines = wr.Log.Ino(), pos.offset-cut, pos.lines-lines
		if pos.last, err = wr.Log.SumBefore(pos.offset); err != nil {
			return err
		}
		cp.Position = pos.encode()
		return state.WriteCheckpoint(wr.Dir, cp)
	})
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
