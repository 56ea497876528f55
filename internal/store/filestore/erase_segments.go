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
		d, err := state.DropRecords(x.files.Dir, x.takes)
		if err != nil && !errors.Is(err, state.ErrCheckpoint) {
			return err
		}
		unreadable := err != nil
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
// be read, is of another log, or does not know the numbers that it is to keep, is made anew.
func (x replacer) installState(wr *Writer, d *state.Draft, unreadable bool,
	base state.Checkpoint) error {
	now, _ := state.ReadCheckpoint(wr.Dir)
	if now.Sum != base.Sum || now.Position != base.Position {
		return errChanged
	}
	_, pos, fits, err := checkpointOf(wr)
	if err != nil {
		return err
	}
	anew := unreadable && hasState(wr.Dir) || !unreadable && !fits ||
		x.numbers() != nil && pos.numbers == nil
	return replacing(wr, func() error {
		if err := state.RemoveSidecars(wr.Dir); err != nil {
			return err
		}
		switch {
		case anew:
			return x.restate(wr)
		case d != nil:
			return d.Install(log.StampOf(wr.now))
		}
		return nil
	})
}

// hasState reports whether there is a state, or the rest of one.
func hasState(dir *disk.Dir) bool {
	for _, name := range []string{state.FileName, state.CheckpointName} {
		if _, err := dir.Lstat(name); !isNotExist(err) {
			return true
		}
	}
	return false
}

// restate makes a state anew, of all that stays.
func (x replacer) restate(wr *Writer) error {
	v, err := wr.Load()
	if err != nil {
		return err
	}
	defer v.Close()
	return wr.WriteState(v, x.takes)
}

// numbers returns the numbers of keys that leave no tombstone; nil for none. No other record may
// have them, so the checkpoint is to remember them.
func (x *eraser) numbers() map[string]int64 {
	numbers := &keypath.Counts{}
	for _, key := range x.plan.Keys {
		numbers.AddKey(key)
	}
	if highest := numbers.Highest(); !x.plan.Tombstones && len(highest) > 0 {
		return highest
	}
	return nil
}

// archives replaces the archives that hold something, one at a time: each is written without the
// lock, and put in place under it.
func (x replacer) archives() error {
	names, err := log.Archives(x.files.Dir)
	if err != nil {
		return err
	}
	for _, a := range x.plan.Archives {
		if !slices.Contains(names, a.Name) { // moved away; fsck finds it when it is back
			x.beyond = append(x.beyond, a.Name)
		}
	}
	for _, name := range names {
		if err := x.archive(name); err != nil {
			return err
		}
	}
	return nil
}

func (x replacer) archive(name string) error {
	have, err := extentOf(x.files.Dir, name)
	if err != nil {
		return err
	}
	if x.plan.Done(name, have) { // where the plan is not new; the checkpoint may not know it yet
		return x.locked(func(wr *Writer) error { return relist(wr.Dir, name) })
	}
	sub, err := x.files.Dir.Sub(path.Dir(name), false)
	if err != nil {
		return err
	}
	defer sub.Close()
	temp, err := x.rewrite(sub, name)
	if temp == "" || err != nil {
		return err
	}
	return x.locked(func(wr *Writer) error {
		if now, err := extentOf(wr.Dir, name); err != nil || now != have {
			return cmp.Or(err, disk.IgnoreNotExist(sub.Remove(temp)), errChanged)
		}
		return replacing(wr, func() error {
			// A crash before this rename leaves a temporary file in archive/; after it the plan
			// knows the new archive, which the checkpoint does not list yet.
			if err := sub.CommitSync(temp, path.Base(name)); err != nil {
				return err
			}
			return relist(wr.Dir, name)
		})
	})
}

// rewrite writes what stays of an archive under a temporary name, and returns that; "" where all of
// it stays.
func (x replacer) rewrite(sub *disk.Dir, name string) (temp string, err error) {
	err = withFile(x.files.Dir, name, func(f *disk.File, size int64) error {
		spans, err := x.linesOf(f, size, name, x.takes)
		if err != nil || len(spans) == 0 {
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
	return purge.AddDoubtful(spans, doubts, x.values), err
}

func extentOf(dir *disk.Dir, name string) (e purge.Extent, err error) {
	err = withFile(dir, name, func(f *disk.File, size int64) error {
		e, err = purge.Rest(f, size, nil)
		return err
	})
	return e, err
}

// live replaces the live log; appends wait meanwhile. The checkpoint then describes the new file as
// it did the old one, and keeps the numbers of the forgotten lines.
func (x replacer) live(wr *Writer) error {
	last := func(rec log.Record) bool { return x.plan.Takes(rec, true) }
	spans, err := x.linesOf(wr.Log, wr.Log.Size(), log.File, last)
	numbers := x.numbers()
	if err != nil || len(spans) == 0 && numbers == nil {
		return err
	}
	cp, pos, fits, err := checkpointOf(wr)
	if err != nil {
		return err
	}
	return replacing(wr, func() error {
		if err := replaceLive(wr, spans); err != nil || !fits {
			return err
		}
		cut, lines := purge.Before(spans, pos.offset)
		pos.ino, pos.offset, pos.lines = wr.Log.Ino(), pos.offset-cut, pos.lines-lines
		if pos.last, err = wr.Log.SumBefore(pos.offset); err != nil {
			return err
		}
		if numbers != nil {
			known := keypath.CountsOf(numbers)
			known.Merge(keypath.CountsOf(pos.numbers))
			pos.numbers = known.Highest()
		}
		cp.Position = pos.encode()
		return state.WriteCheckpoint(wr.Dir, cp)
	})
}

// replaceLive replaces the live log by what it has besides some lines.
func replaceLive(wr *Writer, spans []purge.Span) error {
	// A state that was made on the way may have brought one, with the hashes of the keys. A crash
	// before this leaves the plan, and after it what the next state makes anew.
	if err := sizes.Remove(wr.Dir); err != nil {
		return err
	}
	// A crash before the rename within this leaves the old log; after it a checkpoint of another
	// inode: the next writer folds archives and log.
	err := wr.Dir.WriteFileSync(log.File, func(w io.Writer) error {
		return purge.Copy(w, wr.Log, wr.Log.Size(), spans)
	})
	if err != nil {
		return err
	}
	return wr.reopenLog()
}

// checkpointOf returns the checkpoint of the writer's store, and whether it fits the log.
func checkpointOf(wr *Writer) (cp state.Checkpoint, pos position, fits bool, err error) {
	if cp, err = state.ReadCheckpoint(wr.Dir); err == nil {
		pos, err = parsePosition(cp.Position)
	}
	if err == nil {
		fits, err = pos.matches(&wr.Log.Segment)
	}
	return cp, pos, fits, ignore(ignore(err, state.ErrCheckpoint), disk.ErrIrregular)
}
