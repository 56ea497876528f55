package compact

import (
	"errors"
	"io"
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/log"
)

// soundCopies gives, by their checksum, the envelopes with one of these checksums that stand in the index or the state while the fold has
// nothing as new. A damaged line whose checksum survived is one of them, letter for letter.
func soundCopies(dir *disk.Dir, tree *index.Tree, fold Fold, sums map[string]bool) (map[string]log.Envelope, error) {
	copies := map[string]log.Envelope{}
	if len(sums) == 0 {
		return copies, nil
	}
	consider := func(rec log.Record) {
		sum := log.Sum(rec.Line)
		if old, known := fold[rec.Key]; sums[sum] && log.Checksummed(rec.Line) && (!known || old.TS < rec.TS) {
			copies[sum] = rec.Clone().Envelope
		}
	}
	for entry, err := range tree.Walk() {
		if err != nil {
			return nil, err
		}
		if rec, err := tree.GetPath(entry.Path); entry.Kind == index.KindFile && err == nil {
			consider(rec)
		}
	}
	state, err := dir.Open(StateFile)
	if err != nil {
		return copies, ignoreIrregular(ignore(err, fs.ErrNotExist))
	}
	defer state.Close()
	for rec, err := range log.Scan(state, StateFile, log.Start{}) {
		if err != nil && !isDamage(err) {
			return nil, err
		}
		if err == nil {
			consider(rec)
		}
	}
	return copies, nil
}

// linesOf writes envelopes as lines.
func linesOf(envelopes []log.Envelope) (buf []byte) {
	for _, e := range envelopes {
		buf = append(e.AppendLine(buf), '\n')
	}
	return buf
}

// whole loads the view that a rebuild goes by. Sound copies of damaged lines are appended to the log first: the rebuild would take them out of
// index and state, and nobody would find them again.
func (wr *Writer) whole() (*View, error) {
	v, err := Load(wr.Dir, wr.boot)
	if err != nil {
		return nil, err
	}
	again, err := wr.readmit(v)
	if err == nil && !again {
		return v, nil
	}
	v.Close()
	if err != nil {
		return nil, err
	}
	return Load(wr.Dir, wr.boot)
}

// readmit appends the sound copies of a view's damaged lines to the log, and reports whether there were any.
func (wr *Writer) readmit(v *View) (bool, error) {
	sums := map[string]bool{}
	for _, d := range v.Damaged {
		raw, err := bytesAt(wr.Dir, d.Pos.File, d.Pos.Off, d.Pos.Len)
		if err != nil {
			return false, err
		}
		if sum := log.SumIn(raw); sum != "" {
			sums[sum] = true
		}
	}
	copies, err := soundCopies(wr.Dir, wr.Tree, v.tail, sums)
	if err != nil || len(copies) == 0 {
		return false, err
	}
	var sound []log.Envelope
	for _, e := range copies {
		sound = append(sound, e)
	}
	// A crash after this finds them in the log; a line that stands there twice folds to itself.
	return true, wr.Live.Append(linesOf(sound))
}

// readmit is Writer.readmit for a compaction, which also leaves out what it cannot read.
func (j *Job) readmit(v *View) (done bool, err error) {
	if len(v.Damaged) == 0 || j.DryRun {
		return false, nil
	}
	release, err := j.Lock()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	wr, err := OpenWriter(j.Dir, j.Now, j.Boot)
	if err != nil {
		return false, err
	}
	defer wr.Close()
	if again, err := wr.readmit(v); err != nil || !again {
		return false, err
	}
	return true, wr.settle()
}

// bytesAt reads a part of a file, or what there is of it.
func bytesAt(dir *disk.Dir, name string, off, length int64) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw := make([]byte, min(length, log.MaxLine))
	n, err := f.ReadAt(raw, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return raw[:n], err
}
