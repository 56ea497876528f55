package compact

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/log"
)

func absentKey(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// heal brings log, index and watermark together. A fault of the log is an error; a fault of the index is kept in behind, because
// a planted link or an unwritable directory must not stop the log from taking writes.
func (wr *Writer) heal(fit Fit) error {
	if _, err := wr.Live.MendTail(wr.now); err != nil {
		return err
	}
	// What a crashed writer left may never have reached the disk, and the index must not run ahead of it.
	if err := wr.Live.Sync(); err != nil {
		return err
	}
	ok, err := wr.replay(fit)
	if err == nil && !ok {
		err = wr.rebuild()
	}
	if err == nil && wr.midway() {
		err = wr.finish()
	}
	if errors.Is(err, ErrIndexBehind) {
		wr.behind = err
		return nil
	}
	return err
}

// replay puts into the index what the log has behind the watermark (after a crash) or behind the checkpoint (after a reboot). It reports
// false where that does not suffice.
func (wr *Writer) replay(fit Fit) (bool, error) {
	from, line, edge := wr.w.Applied, 0, horizon{off: wr.w.Applied, ts: wr.w.MaxTS}
	switch fit {
	case FitNone:
		return false, nil
	case FitReboot:
		cp, ok, err := wr.checkpoint()
		if err != nil || !ok {
			return false, err
		}
		// A power cut may leave a watermark that is older than the checkpoint.
		from, line, edge = cp.Offset, cp.Lines, known(cp, wr.w, fit)
		wr.w.MaxTS = max(wr.w.MaxTS, cp.MaxTS)
	}
	tail := Fold{}
	for rec, err := range log.Scan(wr.Live.From(from), log.File, log.Start{Off: from, Line: line}) {
		if isDamage(err) {
			continue
		}
		if err != nil || edge.passed(rec) {
			return false, err
		}
		tail.Add(rec)
		wr.w.MaxTS = max(wr.w.MaxTS, rec.TS)
	}
	for rec := range tail.Sorted() {
		if err := wr.mirror(rec.Envelope, rec.Line); err != nil {
			return true, err
		}
	}
	return true, wr.settle()
}

func isDamage(err error) bool { return errors.As(err, new(*log.Damage)) }

func (wr *Writer) checkpoint() (Checkpoint, bool, error) {
	cp, err := ReadCheckpoint(wr.Dir)
	if err != nil {
		return cp, false, ignore(err, ErrCheckpoint)
	}
	fi, err := wr.Dir.Lstat(StateFile)
	if err != nil {
		return cp, false, ignore(err, fs.ErrNotExist)
	}
	ok, err := cp.fits(wr.Live, fi.Size())
	return cp, ok, err
}

// rebuild folds what can be believed (after a change by other hands that is the whole history), makes the index equal to it by difference, and writes state and checkpoint, so that from
// here on the short ways agree with the history again.
func (wr *Writer) rebuild() error {
	// Nothing says that a write was ever acknowledged here, so whoever made the root or the log may have been killed before their names were durable.
	// The watermark that is written in the end says that they are.
	if err := wr.Dir.SyncName(); err != nil {
		return err
	}
	if wr.Live.Size() == 0 && wr.virgin() {
		wr.w = log.Watermark{MaxTS: log.MinStamp}
		return wr.settle()
	}
	v, err := wr.whole()
	if err != nil {
		return err
	}
	defer v.Close()
	wr.w.MaxTS = v.MaxTS
	wr.private()
	if err := wr.reindex(v); err != nil {
		return err
	}
	if err := wr.snapshot(v); err != nil {
		return fmt.Errorf("%w: %w", ErrIndexBehind, err)
	}
	wr.w.Gen = wr.w.Gen&^1 + 2
	return wr.settle()
}

// private takes from group and others what a copy or a checkout gave them. Best effort: fsck tells what is left.
func (wr *Writer) private() {
	names, _ := log.Archives(wr.Dir)
	for _, name := range append(names, log.File) {
		if fi, err := wr.Dir.Lstat(name); err == nil && fi.Mode().Perm()&0o077 != 0 {
			wr.Dir.Chmod(name, disk.FileMode)
		}
	}
}

// finish ends what a compaction left midway: state and checkpoint are written once more, for a state of the same size as the one before would
// seem to fit the old checkpoint.
func (wr *Writer) finish() error {
	v, err := Load(wr.Dir, wr.boot)
	if err != nil {
		return err
	}
	defer v.Close()
	if err := wr.snapshot(v); err != nil {
		return err
	}
	wr.w.Gen++
	return wr.settle()
}

// virgin reports whether nothing derived exists yet either.
func (wr *Writer) virgin() bool {
	for _, name := range [...]string{index.DirName, StateFile, log.ArchiveDir} {
		if _, err := wr.Dir.Lstat(name); !absentKey(err) {
			return false
		}
	}
	return true
}

// reindex makes the tree equal to the view: every live key's file right, no file of a dead key. What a person changed in a file goes to
// quarantine/ before the log's word replaces it; files that are no envelope are fsck's business.
func (wr *Writer) reindex(v *View) error {
	live, ours := map[string]bool{}, map[string]bool{}
	for key := range v.tail {
		ours[string(key.Path())] = true
	}
	for rec, err := range v.Live() {
		if err != nil {
			return err
		}
		live[string(rec.Key.Path())] = true
		if err := wr.correct(rec); err != nil {
			return err
		}
	}
	for entry, err := range wr.Tree.Walk() {
		if err != nil {
			return fmt.Errorf("%w: %w", ErrIndexBehind, err)
		}
		if entry.Kind != index.KindFile || live[entry.Path] {
			continue
		}
		if err := wr.bury(entry.Path, v, ours[entry.Path]); err != nil {
			return err
		}
	}
	return nil
}

// bury removes the file of a key that is not live. What the history does not have, or has no longer because its line was damaged, goes to
// quarantine/ first: it may be the last sound copy. A file that is no envelope is fsck's business, unless it stands at the place of a key that the
// history knows (ours): then it is what a power cut made of a file of mem's.
func (wr *Writer) bury(name string, v *View, ours bool) error {
	rec, err := wr.Tree.GetPath(name)
	switch {
	case disk.Failed(err):
		return fmt.Errorf("%w: %w", ErrIndexBehind, err)
	case err != nil && !errors.Is(err, index.ErrEdited) && !(ours && errors.Is(err, index.ErrForeign)):
		return nil
	}
	if last, known := v.tail[rec.Key]; err != nil || !known || rec.TS > last.TS {
		if err := wr.setAside(name); err != nil {
			return err
		}
	}
	if err := wr.Tree.RemovePath(name); err != nil {
		return fmt.Errorf("%w: %w", ErrIndexBehind, err)
	}
	return nil
}

// correct rewrites the file of one live record where it differs.
func (wr *Writer) correct(rec log.Record) error {
	have, err := wr.Tree.Get(rec.Key)
	if err == nil && string(have.Line) == string(rec.Line) {
		return nil
	}
	if errors.Is(err, index.ErrEdited) || errors.Is(err, index.ErrForeign) || err == nil && have.TS > rec.TS {
		if err := wr.setAside(string(rec.Key.Path())); err != nil {
			return err
		}
	}
	return wr.mirror(rec.Envelope, rec.Line)
}

// setAside copies an index file into quarantine/. One that a power cut left empty, or full of zeros, holds nothing to keep.
func (wr *Writer) setAside(name string) error {
	text, err := wr.Tree.ReadPath(name)
	if err == nil && len(bytes.Trim(text, "\x00")) > 0 {
		_, err = log.Quarantine(wr.Dir, index.DirName+"/"+name, text, wr.now)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrIndexBehind, err)
	}
	return nil
}
