package state

import (
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// Without writes the state without the records that takes accepts to a synced temporary file. The
// rest keeps its bytes, and the checkpoint what it says of the history. There are no sidecars: the
// next compaction makes them. It returns nil where there is nothing to leave out. The error wraps
// ErrCheckpoint for a state that cannot be read.
func Without(dir *disk.Dir, takes func(log.Record) bool) (*Draft, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v := NewView(f, nil, func() (Fold, error) { return nil, ErrCheckpoint })
	d, err := Write(dir, v, DraftOptions{Drop: takes})
	if err != nil {
		return nil, err
	}
	if len(d.Expired) == 0 {
		d.Discard()
		return nil, nil
	}
	d.Position, d.MaxTS = f.Position, f.MaxTS
	return d, nil
}

// IsBare reports whether there is a state, and cache/ holds nothing besides keep: answers are the
// same without sidecars, and slower.
func IsBare(dir *disk.Dir, keep string) bool {
	if _, err := ReadCheckpoint(dir); err != nil {
		return false
	}
	names, err := dir.Names(CacheDir)
	return err == nil && !slices.ContainsFunc(names, func(name string) bool {
		return name != keep && !disk.IsTemp(name)
	})
}

// RemoveSidecars removes what cache/ holds besides keep: it is made anew by the next compaction.
func RemoveSidecars(dir *disk.Dir, keep string) error {
	names, err := dir.Names(CacheDir)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	for _, name := range names {
		if name == keep {
			continue
		}
		// A crash before this leaves a sidecar of a state that is no more: nobody uses it.
		if err := disk.IgnoreNotExist(dir.Remove(CacheDir + "/" + name)); err != nil {
			return err
		}
	}
	return nil
}
