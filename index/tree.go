package index

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// DirName is the name of the tree's directory below the root.
const DirName = "index"

// MaxFile is the greatest size of a file that is read as an index file: the longest line, indented.
const MaxFile = 4 * log.MaxLine

var (
	// ErrEdited is returned by Get when a file's checksum no longer matches its text: a person
	// changed it.
	ErrEdited = errors.New("edited by hand")
	// ErrForeign is returned by Get when a file is not the envelope that belongs at its path.
	ErrForeign = errors.New("not the envelope of this key")
)

// Tree is the index below one memory root. Writing needs the store's lock; reading needs nothing.
type Tree struct {
	root    *disk.Dir
	dir     *disk.Dir // nil until index/ exists
	durable bool
	at      string // the directory that sub has open
	sub     *disk.Dir
	text    []byte // of the last file that was written
}

// Open returns the tree below root. It need not exist; anything else in its place counts as absent
// until the first write. With durable every change is synced, for systems where a reboot cannot be
// detected.
func Open(root *disk.Dir, durable bool) (*Tree, error) {
	dir, err := root.Sub(DirName, false)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrIrregular) {
		return nil, err
	}
	return &Tree{root: root, dir: dir, durable: durable}, nil
}

// Exists reports whether there is an index/ directory.
func (t *Tree) Exists() bool { return t.dir != nil }

// Make makes index/ where it does not exist. A store that has written anything has it: one without
// is healed as a whole.
func (t *Tree) Make() error {
	_, err := t.enter("", true)
	return err
}

// Close closes the directories that the tree has open.
func (t *Tree) Close() {
	t.closeSub()
	if t.dir != nil {
		t.dir.Close()
	}
}

// Put writes the envelope's line, indented for people, as the file of its key, by one rename.
// Readers see the old file or the new one, whole.
func (t *Tree) Put(key keypath.Key, line []byte) error {
	text, err := log.AppendIndented(t.text[:0], line)
	if err != nil {
		return err
	}
	t.text = text
	dir, base := path.Split(string(key.Path()))
	sub, err := t.enter(strings.TrimSuffix(dir, "/"), true)
	if err != nil {
		return err
	}
	if !t.durable {
		return sub.WriteFile(base, text)
	}
	return sub.WriteBytesSync(base, text)
}

// enter returns the directory, made if it does not exist and create is set, and keeps it open: the
// next file is most often in the same one.
func (t *Tree) enter(dir string, create bool) (*disk.Dir, error) {
	if t.dir == nil {
		d, err := t.root.Sub(DirName, true)
		if err != nil {
			return nil, err
		}
		t.dir = d
	}
	if dir == "" {
		return t.dir, nil
	}
	if t.sub != nil && t.at == dir {
		return t.sub, nil
	}
	t.closeSub()
	sub, err := t.dir.Sub(dir, create)
	if err != nil {
		return nil, err
	}
	if create && t.durable {
		if err := t.syncUp(path.Dir(dir)); err != nil {
			return nil, err
		}
	}
	t.at, t.sub = dir, sub
	return sub, nil
}

// syncUp makes the names in a directory and in all above it durable, up to the root.
func (t *Tree) syncUp(dir string) error {
	for ; dir != "."; dir = path.Dir(dir) {
		sub, err := t.dir.Sub(dir, false)
		if err != nil {
			return err
		}
		err = sub.Sync()
		sub.Close()
		if err != nil {
			return err
		}
	}
	if err := t.dir.Sync(); err != nil {
		return err
	}
	return t.root.Sync()
}

func (t *Tree) closeSub() {
	if t.sub != nil {
		t.sub.Close()
	}
	t.at, t.sub = "", nil
}

// Remove deletes the key's file, if it exists, and the directories that become empty.
func (t *Tree) Remove(key keypath.Key) error { return t.RemovePath(string(key.Path())) }

// RemovePath is Remove for a path below index/.
func (t *Tree) RemovePath(name string) error {
	if t.dir == nil {
		return nil
	}
	t.closeSub()
	if err := t.safeDir(path.Dir(name)); err != nil {
		return disk.IgnoreNotExist(err)
	}
	// A crash after this leaves the tombstone in the log and the watermark behind it: the next
	// writer removes again.
	if err := t.dir.Remove(name); disk.IgnoreNotExist(err) != nil {
		return err
	}
	return t.prune(path.Dir(name))
}

// safeDir refuses a directory path that leads over a link.
func (t *Tree) safeDir(dir string) error {
	if dir == "." {
		return nil
	}
	sub, err := t.dir.Sub(dir, false)
	if err == nil {
		sub.Close()
	}
	return err
}

// prune removes empty directories from dir upwards, up to the first that is not empty: the system
// refuses to remove that one, which costs less than to list it.
func (t *Tree) prune(dir string) error {
	for ; dir != "."; dir = path.Dir(dir) {
		// A crash between two of these leaves an empty directory: the next writer, which removes
		// the key once more, takes it away.
		err := t.dir.Remove(dir)
		if disk.IsNotEmpty(err) {
			break
		}
		if err != nil {
			return disk.IgnoreNotExist(err)
		}
	}
	if t.durable {
		return t.syncUp(dir)
	}
	return nil
}

// Get returns the envelope of a key. The error wraps fs.ErrNotExist, ErrEdited or ErrForeign, or is
// that of the file system.
func (t *Tree) Get(key keypath.Key) (log.Record, error) {
	rec, err := t.GetPath(string(key.Path()))
	if err == nil && rec.Key != key {
		return rec, fmt.Errorf("%s: %w: it says %s", key.Path(), ErrForeign, rec.Key)
	}
	return rec, err
}

// GetPath returns the envelope in the file at a path below index/, after checking it against its
// own checksum.
func (t *Tree) GetPath(name string) (log.Record, error) {
	text, err := t.ReadPath(name)
	if err != nil {
		return log.Record{}, err
	}
	return Parse(name, text)
}

// Parse returns the envelope in the text of the file at a path below index/, as GetPath does.
func Parse(name string, text []byte) (log.Record, error) {
	line, err := log.CompactLine(nil, text)
	if err != nil {
		return log.Record{}, fmt.Errorf("%s: %w: %w", name, ErrForeign, err)
	}
	e, err := log.Decode(line)
	switch {
	case errors.Is(err, log.ErrChecksum):
		return log.Record{}, fmt.Errorf("%s: %w", name, ErrEdited)
	case err != nil:
		return log.Record{}, fmt.Errorf("%s: %w: %w", name, ErrForeign, err)
	}
	return log.Record{Envelope: e, Line: line, Unsealed: !log.Checksummed(line)}, nil
}

// ReadPath returns the bytes of the file at a path below index/. Directories on the way that are
// links are refused.
func (t *Tree) ReadPath(name string) ([]byte, error) {
	if t.dir == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	dir, base := path.Split(name)
	sub, err := t.enter(strings.TrimSuffix(dir, "/"), false)
	if err != nil {
		return nil, err
	}
	return sub.ReadFile(base, MaxFile)
}

// Path returns the path of a key's file, for a person to open.
func (t *Tree) Path(key keypath.Key) string { return FilePath(t.root, key) }

// FilePath returns the path of a key's index file below a root.
func FilePath(root *disk.Dir, key keypath.Key) string {
	return root.Join(DirName + "/" + string(key.Path()))
}
