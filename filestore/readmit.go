package filestore

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/state"
)

// SoundCopies returns the envelopes with one of these checksums that are in the index or the state
// while the fold has nothing as new, oldest first. They are what damaged lines with these checksums
// were.
func SoundCopies(dir *disk.Dir, tree *index.Tree, fold state.Fold,
	sums map[string]bool) ([]log.Envelope, error) {
	copies := map[string]log.Envelope{}
	if len(sums) == 0 {
		return nil, nil
	}
	consider := func(rec log.Record) {
		sum := log.Sum(rec.Line)
		if old, known := fold[rec.Key]; sums[sum] && log.Checksummed(rec.Line) &&
			(!known || old.TS < rec.TS) {
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
	err := eachStateLine(dir, consider)
	return slices.SortedFunc(maps.Values(copies), func(a, b log.Envelope) int {
		return cmp.Or(cmp.Compare(a.TS, b.TS), a.Key.Compare(b.Key))
	}), err
}

// eachStateLine calls fn for every line of state.jsonl that can be read, with or without a valid
// checkpoint.
func eachStateLine(dir *disk.Dir, fn func(log.Record)) error {
	f, err := dir.Open(state.FileName)
	if isNotExist(err) || errors.Is(err, disk.ErrIrregular) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for rec, err := range log.Scan(f, state.FileName, log.Start{}) {
		if err != nil && !isDamage(err) {
			return err
		}
		if err == nil {
			fn(rec)
		}
	}
	return nil
}

// Lines returns envelopes as lines of the log.
func Lines(envelopes []log.Envelope) (buf []byte) {
	for _, e := range envelopes {
		buf = append(e.AppendLine(buf), '\n')
	}
	return buf
}

// whole loads the view for a rebuild. Sound copies of damaged lines are appended to the log first,
// for the rebuild removes them from index and state.
func (wr *Writer) whole() (*View, error) {
	v, err := wr.Load()
	if err != nil {
		return nil, err
	}
	again, err := wr.Readmit(v.Damaged, v.Since())
	if err == nil && !again {
		return v, nil
	}
	v.Close()
	if err != nil {
		return nil, err
	}
	return wr.Load()
}

// Readmit appends the sound copies of damaged lines to the log, and reports whether there were any.
// fold is that of the rest of the history.
func (wr *Writer) Readmit(damaged []*log.Damage, fold state.Fold) (bool, error) {
	sums := map[string]bool{}
	for _, d := range damaged {
		raw, err := BytesAt(wr.Dir, d.Pos.File, d.Pos.Off, d.Pos.Len)
		if err != nil {
			return false, err
		}
		if sum := log.SumIn(raw); sum != "" {
			sums[sum] = true
		}
	}
	sound, err := SoundCopies(wr.Dir, wr.Index.Tree, fold, sums)
	if err != nil || len(sound) == 0 {
		return false, err
	}
	// After a crash here the log has some or all of them; a line that is there twice does not
	// change a fold.
	return true, wr.Log.Append(Lines(sound))
}

// BytesAt reads a part of a file, or what there is of it.
func BytesAt(dir *disk.Dir, name string, off, length int64) ([]byte, error) {
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
