package filestore

import (
	"errors"
	"io"
	"path"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/log"
)

// Files are the files of one store.
type Files struct {
	Dir     *disk.Dir
	Boot    string // disk.BootID()
	Shared  bool   // see Options
	Program string // see Options
	// Now is the time of the reader: no view lacks a record that has not expired by then. 0: a view
	// may lack what compactions have left out.
	Now log.Stamp

	faulty func(string) // called with the fault of the log that a read has met, or ""; may be nil
}

// trust is checkWatermark. In a store whose log git replaces nothing is to be trusted where log or
// archives may be others than mem left: inodes are used again, and the last line may be the same.
func (s Files) trust(w log.Watermark, sound bool, seg *log.Segment) (Trust, error) {
	trust, err := checkWatermark(w, sound, seg, s.Boot)
	if err != nil || trust == Stale || !s.Shared {
		return trust, err
	}
	same, err := s.sameArchives()
	if err == nil && same {
		same, err = s.untouched()
	}
	if err != nil || !same {
		return Stale, err
	}
	return trust, nil
}

// report passes the fault of the log on that a read has met.
func (s Files) report(fault string) {
	if s.faulty != nil {
		s.faulty(fault)
	}
}

// mayUse reports whether the watermark lets the state stand for a part of the history.
func (s Files) mayUse(trust Trust) bool { return !s.Shared || trust != Stale }

// untouched reports whether log and archives have not changed since mem was done with them: the
// watermark is what it writes last. While it is between the two it has, and more is read than
// needed.
func (s Files) untouched() (bool, error) {
	done, err := s.Dir.Lstat(log.WatermarkFile)
	if err != nil {
		return false, disk.IgnoreNotExist(err)
	}
	names, err := log.Archives(s.Dir)
	if err != nil {
		return false, err
	}
	for _, name := range append(names, log.ArchiveDir, log.File) {
		fi, err := s.Dir.Lstat(name)
		if disk.IgnoreNotExist(err) != nil {
			return false, err
		}
		if err == nil && disk.Changed(fi) > disk.Changed(done) {
			return false, nil
		}
	}
	return true, nil
}

// sameArchives reports whether the archives are those that the checkpoint lists, if there is one.
func (s Files) sameArchives() (bool, error) {
	list, err := checkpointArchives(s.Dir)
	if err != nil || list == nil {
		return err == nil, err
	}
	for _, a := range list {
		fault, err := a.Fault(s.Dir)
		if err != nil || fault != "" || a.Away {
			return false, disk.Ignore(err, disk.ErrIrregular)
		}
	}
	names, err := unlisted(s.Dir, list)
	return len(names) == 0, err
}

func withFile(dir *disk.Dir, name string, fn func(f *disk.File, size int64) error) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	return fn(f, fi.Size())
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

// Cut replaces a segment by what it has besides some spans, durably. A crash leaves the old one or
// the new one.
func Cut(dir *disk.Dir, name string, without []purge.Span) error {
	sub, err := dir.Sub(path.Dir(name), false)
	if err != nil {
		return err
	}
	defer sub.Close()
	return withFile(dir, name, func(f *disk.File, size int64) error {
		return sub.WriteFileSync(path.Base(name), func(w io.Writer) error {
			return purge.Copy(w, f, size, without)
		})
	})
}

// sizeOf returns the size of a file; 0 where it is absent.
func sizeOf(dir *disk.Dir, name string) (int64, error) {
	fi, err := dir.Lstat(name)
	if disk.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}
