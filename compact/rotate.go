package compact

import (
	"bufio"
	"bytes"
	"io"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// rotation is a copy of the live segment up to where the new state covers it, synced under a temporary name in archive/. The zero
// rotation is none.
type rotation struct {
	temp string // below archive/
	size int64  // bytes of log.jsonl that were copied
}

// prepareRotation copies the covered part of the log when it has passed its limit. No lock is needed: what is written does not change.
func (j *Job) prepareRotation(v *View, b beginning) (r rotation, err error) {
	if !j.Limits.Over(v.Lines, b.size) || b.size == 0 || v.live.Ino() != b.ino {
		return r, nil
	}
	sub, err := j.Dir.Sub(log.ArchiveDir, true)
	if err != nil {
		return r, err
	}
	defer sub.Close()
	r.size = b.size
	r.temp, err = sub.TempFileSync(func(w io.Writer) error { _, err := io.Copy(w, v.live.From(0)); return err })
	return r, err
}

func (r rotation) discard(dir *disk.Dir) {
	if r.temp != "" {
		dir.Remove(log.ArchiveDir + "/" + r.temp)
	}
}

// rotate puts the copied segment into archive/ and lets log.jsonl begin anew with what was appended meanwhile. No line is ever in neither place: a crash between
// the two renames leaves the covered lines in both, where folding them twice changes nothing.
func (wr *Writer) rotate(cp Checkpoint, r rotation) (string, error) {
	if r.temp == "" {
		return "", nil
	}
	name, err := wr.archive(r)
	if err != nil {
		return "", err
	}
	if err := wr.Dir.WriteFileSync(log.File, func(w io.Writer) error {
		_, err := io.Copy(w, wr.Live.From(r.size))
		return err
	}); err != nil {
		return "", err
	}
	return name, wr.reopen(cp)
}

func (wr *Writer) archive(r rotation) (string, error) {
	name, err := log.ArchiveName(wr.Dir, wr.now)
	if err != nil {
		return "", err
	}
	sub, err := wr.Dir.Sub(log.ArchiveDir, false)
	if err != nil {
		return "", err
	}
	defer sub.Close()
	// A crash before this rename leaves a stray temporary file in archive/.
	if err := sub.CommitSync(r.temp, name[len(log.ArchiveDir)+1:]); err != nil {
		return "", err
	}
	// A crash before this sync may lose a newly made archive/ as a whole; log.jsonl still has every line then.
	return name, wr.Dir.Sync()
}

// reopen follows the rename of log.jsonl: the checkpoint speaks of the new file.
func (wr *Writer) reopen(cp Checkpoint) error {
	wr.Live.Close()
	live, err := log.OpenLive(wr.Dir)
	if err != nil {
		return err
	}
	wr.Live = live
	cp.Ino, cp.Offset, cp.Lines, cp.Last = live.Ino(), 0, 0, ""
	// A crash before this leaves a checkpoint of the old file: readers fold archives and log, and the next writer rebuilds.
	return writeCheckpoint(wr.Dir, cp)
}

// countLines counts newlines.
func countLines(r io.Reader) (n int, err error) {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		chunk, err := in.Peek(1)
		if len(chunk) == 0 {
			if err == io.EOF {
				err = nil
			}
			return n, err
		}
		chunk, _ = in.Peek(in.Buffered())
		n += bytes.Count(chunk, []byte{'\n'})
		in.Discard(len(chunk))
	}
}
