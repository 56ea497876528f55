package compact

import (
	"io"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/log"
)

// rotation is a copy of the live segment up to where the new state covers it, synced under a
// temporary name in archive/. The zero rotation does nothing.
type rotation struct {
	temp string // below archive/
	size int64  // bytes of log.jsonl that were copied
}

// isOver reports whether a log has passed its limit and moves to archive/.
func (j *Job) isOver(lines int, bytes int64) bool {
	return !j.Shared && j.Limits.Exceeded(lines, bytes)
}

// prepareRotation copies the covered part of the log when it has passed its limit. It needs no
// lock: lines of the log do not change.
func (j *Job) prepareRotation(v *filestore.View, p snapshotPoint) (r rotation, err error) {
	if !j.isOver(v.Lines, p.size) || p.size == 0 || v.Log().Ino() != p.ino {
		return r, nil
	}
	sub, err := j.Dir.Sub(log.ArchiveDir, true)
	if err != nil {
		return r, err
	}
	defer sub.Close()
	r.size = p.size
	// A crash within this, or at any time before the rename, leaves a temporary file in archive/.
	r.temp, err = sub.TempFileSync(
		func(w io.Writer) error { _, err := io.Copy(w, v.Log().From(0)); return err })
	return r, err
}

func (r rotation) discard(dir *disk.Dir) {
	if r.temp != "" {
		// A crash before this leaves a temporary file in archive/, which fsck removes.
		dir.Remove(log.ArchiveDir + "/" + r.temp)
	}
}

// run puts the copied segment into archive/ and replaces log.jsonl by the lines appended since: a
// crash between the two renames leaves the covered lines in both. It returns the archive's name.
func (r rotation) run(wr *filestore.Writer, now time.Time) (string, error) {
	if r.temp == "" {
		return "", nil
	}
	name, err := r.archive(wr.Dir, now)
	if err != nil {
		return "", err
	}
	if err := wr.ReplaceLog(purge.Span{Len: r.size}); err != nil {
		return "", err
	}
	return name, nil
}

func (r rotation) archive(dir *disk.Dir, now time.Time) (string, error) {
	listed, err := filestore.ListedNames(dir)
	if err != nil {
		return "", err
	}
	name, err := log.ArchiveName(dir, now, func(name string) bool { return listed[name] })
	if err != nil {
		return "", err
	}
	sub, err := dir.Sub(log.ArchiveDir, false)
	if err != nil {
		return "", err
	}
	defer sub.Close()
	// A crash before this rename leaves a stray temporary file in archive/.
	if err := sub.CommitSync(r.temp, name[len(log.ArchiveDir)+1:]); err != nil {
		return "", err
	}
	// A crash before this sync may lose a newly made archive/ as a whole; log.jsonl still has every
	// line then.
	return name, dir.Sync()
}
