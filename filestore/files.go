package filestore

import (
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// Files are the files of one store.
type Files struct {
	Dir    *disk.Dir
	Boot   string // disk.BootID()
	Shared bool   // see Options
}

// trust is CheckWatermark. In a store whose log git replaces nothing is to be trusted where log or
// archives may be others than mem left: inodes are used again, and the last line may be the same.
func (s Files) trust(w log.Watermark, sound bool, seg *log.Segment) (Trust, error) {
	trust, err := CheckWatermark(w, sound, seg, s.Boot)
	if err != nil || trust == Stale || !s.Shared {
		return trust, err
	}
	same, err := s.sameArchives()
	if err != nil || !same || s.replaced() {
		return Stale, err
	}
	return trust, nil
}

// mayUse reports whether the state may stand for a part of the history, as far as the watermark
// tells.
func (s Files) mayUse(trust Trust) bool { return !s.Shared || trust != Stale }

// replaced reports whether log or archives were changed after mem was done with them: the watermark
// is what it writes last. Between the two writes of a mem at work it reports true as well, and more
// is read than needed.
func (s Files) replaced() bool {
	done, err := s.Dir.Lstat(log.WatermarkFile)
	if err != nil {
		return true
	}
	for _, name := range [...]string{log.File, log.ArchiveDir} {
		fi, err := s.Dir.Lstat(name)
		if ignore(err, fs.ErrNotExist) != nil || err == nil && disk.Changed(fi) > disk.Changed(done) {
			return true
		}
	}
	return false
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
			return false, ignore(err, disk.ErrIrregular)
		}
	}
	names, err := unlisted(s.Dir, list)
	return len(names) == 0, err
}
