package state

import (
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
)

// IsBare reports whether there is a state, and cache/ has no sidecars: answers are the same
// without them, and slower.
func IsBare(dir *disk.Dir) bool {
	if _, err := ReadCheckpoint(dir); err != nil {
		return false
	}
	any, err := HasSidecars(dir)
	return err == nil && !any
}

// HasSidecars reports whether cache/ holds more than the lock of compactions.
func HasSidecars(dir *disk.Dir) (bool, error) {
	names, err := dir.Names(CacheDir)
	return slices.ContainsFunc(names, func(name string) bool {
		return name != compactingName && !disk.IsTemp(name)
	}), err
}

// RemoveSidecars removes what cache/ holds besides the lock of compactions: the next one makes it
// anew.
func RemoveSidecars(dir *disk.Dir) error {
	names, err := dir.Names(CacheDir)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	for _, name := range names {
		if name == compactingName {
			continue
		}
		// A crash before this leaves a sidecar of a state that is no more: nobody uses it.
		if err := disk.IgnoreNotExist(dir.Remove(CacheDir + "/" + name)); err != nil {
			return err
		}
	}
	return nil
}
