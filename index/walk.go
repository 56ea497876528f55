package index

import (
	"io/fs"
	"iter"
	"path"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
)

// Kind is what the walk found at a path.
type Kind int

// The kinds of things in the tree.
const (
	KindFile      Kind = iota // a plain file at the path of some key
	KindTemp                  // a temporary file that a crash left
	KindForeign               // a plain file whose path is no key's
	KindIrregular             // a link, fifo, device, or a directory at the path of some key
	KindEmptyDir              // a directory without entries
)

// Entry is one path in the tree. Its key is not read from the file: Get does that.
type Entry struct {
	Path string // below index/
	Kind Kind
	Key  keypath.Key // of a KindFile whose path holds the whole key; else zero
}

// Walk yields the entries of the tree, directories depth first in name order. It follows no link.
// The error of one directory comes with its entry, and the walk goes on after it; a directory that
// is removed meanwhile is no error.
func (t *Tree) Walk() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if t.dir != nil {
			t.walk(".", yield)
		}
	}
}

// Look returns the entry at a path below index/. The error wraps fs.ErrNotExist or is the file
// system's.
func (t *Tree) Look(name string) (Entry, error) {
	fi, err := t.Lstat(name)
	if err != nil {
		return Entry{}, err
	}
	return entryOf(name, fs.FileInfoToDirEntry(fi)), nil
}

// Lstat returns the size, mode and times of the file at a path below index/, with the errors of
// Look.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) {
	if t.dir == nil {
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
	}
	dir, base := path.Split(name)
	sub, err := t.enter(strings.TrimSuffix(dir, "/"), false)
	if err != nil {
		return nil, err
	}
	return sub.Lstat(base)
}

// Names returns the names in a directory below index/, unsorted; "." is index/ itself. The error is
// the file system's.
func (t *Tree) Names(dir string) ([]string, error) {
	if t.dir == nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	if dir == "." {
		return t.dir.Names(".")
	}
	sub, err := t.enter(dir, false)
	if err != nil {
		return nil, err
	}
	return sub.Names(".")
}

func (t *Tree) walk(dir string, yield func(Entry, error) bool) bool {
	entries, err := t.dir.ReadDir(dir)
	if err != nil {
		return disk.IgnoreNotExist(err) == nil || yield(Entry{Path: dir}, err)
	}
	if len(entries) == 0 && dir != "." {
		return yield(Entry{Path: dir, Kind: KindEmptyDir}, nil)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() && !isKeyFile(name) {
			if !t.walk(name, yield) {
				return false
			}
		} else if !yield(entryOf(name, e), nil) {
			return false
		}
	}
	return true
}

// isKeyFile reports whether a path can only be that of a key's file.
func isKeyFile(name string) bool {
	_, _, err := keypath.Decode(keypath.RelPath(name))
	return err == nil
}

func entryOf(name string, e fs.DirEntry) Entry {
	switch {
	case !e.Type().IsRegular():
		return Entry{Path: name, Kind: KindIrregular}
	case disk.IsTemp(e.Name()):
		return Entry{Path: name, Kind: KindTemp}
	}
	key, _, err := keypath.Decode(keypath.RelPath(name))
	if err != nil {
		return Entry{Path: name, Kind: KindForeign}
	}
	return Entry{Path: name, Kind: KindFile, Key: key}
}
