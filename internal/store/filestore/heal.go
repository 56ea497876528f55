package filestore

import (
	"errors"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// heal brings log, index and watermark together. A fault of the log is an error; a fault of the
// index is kept in behind, because a planted link or an unwritable directory must not stop the log
// from taking writes.
func (wr *Writer) heal(trust Trust) error {
	if _, err := wr.Log.RepairTail(wr.now); err != nil {
		return err
	}
	// What a crashed writer left may never have reached the disk, and the index must not hold what
	// a power cut could still take from the log.
	if err := wr.Log.Sync(); err != nil {
		return err
	}
	ok, err := wr.replay(trust)
	if err == nil && !ok {
		err = wr.rebuild()
	}
	if err == nil && wr.midway() {
		err = wr.completeCompaction()
	}
	if of, ok := errors.AsType[*indexError](err); ok {
		wr.behind = of.error // no caller has stored anything yet
		return nil
	}
	return err
}

// replay puts into the index what the log has after the watermark (after a crash) or after the
// checkpoint (after a reboot). It reports false where that does not suffice.
func (wr *Writer) replay(trust Trust) (bool, error) {
	from, line, edge := wr.w.Applied, 0, horizon{off: wr.w.Applied, ts: wr.w.MaxTS}
	switch trust {
	case Stale:
		return false, nil
	case Rebooted:
		file, pos, err := openState(wr.Dir, &wr.Log.Segment)
		if file == nil || err != nil {
			return false, err
		}
		file.Close()
		// A power cut may leave a watermark that is older than the checkpoint.
		from, line, edge = pos.offset, pos.lines, furthest(pos, file.MaxTS, wr.w, trust)
		wr.w.MaxTS = max(wr.w.MaxTS, file.MaxTS)
	}
	tail := state.Fold{}
	for rec, err := range log.Scan(wr.Log.From(from), log.File, log.Start{Off: from, Line: line}) {
		if isDamage(err) {
			continue
		}
		if err != nil || edge.passed(rec) || rec.TS > wr.late() {
			return false, err
		}
		tail.Add(rec)
		wr.w.MaxTS = max(wr.w.MaxTS, rec.TS)
	}
	for rec := range tail.Sorted() {
		if _, err := wr.Index.Fix(rec); err != nil {
			return true, err
		}
	}
	return true, wr.WriteWatermark()
}

// rebuild folds what can be trusted (after an external modification that is the whole history),
// rewrites the index files that differ from it, and writes state and checkpoint, so that from here
// on these agree with the history again.
func (wr *Writer) rebuild() error {
	// Without a watermark nothing shows that a write was ever acknowledged here, so the process
	// that made the root or the log may have been killed before their names were durable. The
	// watermark that is written in the end shows that they are. A crash before this sync may lose
	// the root with all that is in it.
	if err := wr.Dir.SyncName(); err != nil {
		return err
	}
	if wr.Log.Size() == 0 && wr.isEmpty() {
		wr.w = log.Watermark{MaxTS: log.MinStamp}
		return wr.WriteWatermark()
	}
	late := wr.late()
	v, err := wr.whole()
	if err == nil && v.MaxTS > late {
		v.Close()
		if err = wr.setAside(late); err == nil {
			v, err = wr.whole()
		}
	}
	if err != nil {
		return err
	}
	defer v.Close()
	v.MaxTS = min(v.MaxTS, late) // that of an archive stays, and stops no write
	restrictModes(wr.Dir)
	if !wr.Shared {
		faults, err := ArchiveFaults(wr.Dir)
		if err != nil {
			return err
		}
		for _, fault := range faults {
			wr.note("%s: %s", fault, PutBack)
		}
	}
	noteFew(wr, v.Damaged, wr.sayLeftOut, "lines were left out")
	return wr.Rebuild(v, func() error { return nil })
}

// late returns the time after which a line leaves no room for the stamps of later ones: it is no
// clock's, and does not follow what this store has written.
func (wr *Writer) late() log.Stamp { return max(log.LastClock, wr.w.MaxTS) + 2e6 }

// setAside moves the lines of the log after a time to quarantine/.
func (wr *Writer) setAside(late log.Stamp) error {
	var spans []purge.Span
	var bad []byte
	for rec, err := range log.Scan(wr.Log.From(0), log.File, log.Start{}) {
		switch {
		case err != nil && !isDamage(err):
			return err
		case err == nil && rec.TS > late:
			spans = append(spans, purge.Span{Off: rec.Pos.Off, Len: rec.Pos.Len})
			bad = append(append(bad, rec.Line...), '\n')
		}
	}
	if len(spans) == 0 {
		return nil
	}
	wr.note("%s: set aside, since their times leave no room for later writes: %d", log.File,
		len(spans))
	// A crash before the log is replaced leaves the lines in both places, and the next writer makes
	// one more copy.
	if _, err := log.Quarantine(wr.Dir, log.File+"-lines", bad, wr.now); err != nil {
		return err
	}
	return wr.cutLog(spans)
}

// Rebuild makes everything derived equal to a view of the whole history. before is called when the
// index is right, and before a new state takes the place of the old one.
func (wr *Writer) Rebuild(v *View, before func() error) error {
	wr.w.MaxTS = v.MaxTS
	wr.Index.taken = wr.Shared && len(v.Damaged) == 0
	if err := wr.Index.reindex(v); err != nil {
		return err
	}
	if err := before(); err != nil {
		return err
	}
	if err := wr.writeState(v); err != nil {
		return asStored(err)
	}
	wr.w.Gen = wr.w.Gen&^1 + 2
	return wr.WriteWatermark()
}

// restrictModes removes the permissions for group and others that a copy or a checkout has set. It
// is best effort: fsck reports the rest.
func restrictModes(dir *disk.Dir) {
	names, _ := log.Archives(dir)
	for _, name := range append(names, log.File) {
		if fi, err := dir.Lstat(name); err == nil && fi.Mode().Perm()&0o077 != 0 {
			dir.Chmod(name, disk.FileMode)
		}
	}
}

// completeCompaction finishes a compaction that crashed between its renames: it writes state and
// checkpoint once more, for a new state may have the size of the old one.
func (wr *Writer) completeCompaction() error {
	v, err := wr.Load()
	if err != nil {
		return err
	}
	defer v.Close()
	if v.Doubtful() {
		return wr.rebuild()
	}
	if err := wr.writeState(v); err != nil {
		return err
	}
	wr.w.Gen++
	return wr.WriteWatermark()
}

// isEmpty reports whether nothing derived exists, nor an archive.
func (wr *Writer) isEmpty() bool {
	for _, name := range [...]string{index.DirName, state.FileName, log.ArchiveDir} {
		if _, err := wr.Dir.Lstat(name); !disk.IsNotExist(err) {
			return false
		}
	}
	return true
}

// writeState writes state and checkpoint for a view of the whole log, under the lock.
func (wr *Writer) writeState(v *View) error {
	d, err := state.Write(wr.Dir, v.View, state.DraftOptions{Sidecars: true})
	if err != nil {
		return err
	}
	defer d.Discard()
	if err := v.AddHistory(d); err != nil {
		return err
	}
	return wr.installState(v, d, 0)
}

// installState installs the draft of a view's state. The files of index/ were last compared at a
// time; see [ComparedAt].
func (wr *Writer) installState(v *View, d *state.Draft, compared int64) error {
	last, err := wr.Log.SumBefore(wr.Log.Size())
	if err != nil {
		return err
	}
	numbers, err := v.Numbers()
	if err != nil {
		return err
	}
	return wr.Install(d, Covered{
		Anew: !v.HasState(), Compared: compared,
		Ino: wr.Log.Ino(), Size: wr.Log.Size(), Lines: v.Lines, Last: last, MaxTS: v.MaxTS,
		Numbers: numbers,
	})
}
