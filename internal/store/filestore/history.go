package filestore

import (
	"errors"
	"io"
	"iter"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// History yields every record; it shares a buffer until the next step.
func (s Files) History() iter.Seq2[log.Record, error] { return s.history(log.Scan) }

func (s Files) history(scan scan) iter.Seq2[log.Record, error] {
	return history(s.Dir, scan, !s.Shared)
}

// find is History for the records of some keys, without the state; see [log.Find].
func find(dir *disk.Dir, w log.Wanted) iter.Seq2[log.Record, error] {
	return history(dir, recordsOf(w), false)
}

// recordsOf returns the scan that yields the records of some keys.
func recordsOf(w log.Wanted) scan {
	return func(r io.Reader, name string, start log.Start) iter.Seq2[log.Record, error] {
		return log.Find(r, name, start, w)
	}
}

// scan reads the records of one segment.
type scan func(r io.Reader, name string, start log.Start) iter.Seq2[log.Record, error]

// history yields archives and log; with kept also the lines of the state where an archive is away,
// for what only the state holds is history too.
func history(dir *disk.Dir, scan scan, kept bool) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		// The log is opened before the archives are listed, so a rotation meanwhile hides nothing.
		seg, err := log.OpenSegment(dir)
		if err != nil && !disk.IsNotExist(err) {
			yield(log.Record{}, err)
			return
		}
		if seg != nil {
			defer seg.Close()
		}
		if eachArchived(dir, scan, yield) && (!kept || eachKept(dir, scan, yield)) && seg != nil {
			scanInto(seg.From(0), log.File, scan, yield)
		}
	}
}

// eachKept yields the lines of the state where an archive is away; see eachArchived.
func eachKept(dir *disk.Dir, scan scan, yield func(log.Record, error) bool) bool {
	faults, err := ArchiveFaults(dir)
	if err != nil {
		yield(log.Record{}, err)
		return false
	}
	if len(faults) == 0 {
		return true
	}
	if _, err := dir.Lstat(state.FileName); err != nil {
		return true
	}
	return inArchive(dir, state.FileName, scan, yield)
}

// eachArchived yields the records of the archives, and reports whether the walk goes on: it ends
// where the consumer wants no more, and at an error.
func eachArchived(dir *disk.Dir, scan scan, yield func(log.Record, error) bool) bool {
	names, err := log.Archives(dir)
	if err != nil {
		yield(log.Record{}, err)
		return false
	}
	for _, name := range names {
		if !inArchive(dir, name, scan, yield) {
			return false
		}
	}
	return true
}

// inArchive is eachArchived of one segment.
func inArchive(dir *disk.Dir, name string, scan scan, yield func(log.Record, error) bool) bool {
	f, err := dir.Open(name)
	if err != nil {
		yield(log.Record{}, err)
		return false
	}
	defer f.Close()
	return scanInto(f, name, scan, yield)
}

func scanInto(r io.Reader, name string, scan scan, yield func(log.Record, error) bool) bool {
	for rec, err := range scan(r, name, log.Start{}) {
		if !yield(rec, err) || err != nil && !isDamage(err) {
			return false
		}
	}
	return true
}

// isDamage reports whether an error is of one line, after which a scan continues.
func isDamage(err error) bool { return errors.As(err, new(*log.Damage)) }

// stateLines yields the lines of state.jsonl that can be read, with or without a valid checkpoint.
// An error is the file system's, and the last.
func stateLines(dir *disk.Dir) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		f, err := dir.Open(state.FileName)
		if disk.IsNotExist(err) || errors.Is(err, disk.ErrIrregular) {
			return
		}
		if err != nil {
			yield(log.Record{}, err)
			return
		}
		defer f.Close()
		for rec, err := range log.Scan(f, state.FileName, log.Start{}) {
			if !isDamage(err) && !yield(rec, err) {
				return
			}
		}
	}
}
