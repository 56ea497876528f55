package filestore

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
)

// journal is a file of JSON lines below the root.
type journal struct {
	store *Store
	name  string
}

// Journal returns a journal by the name of its file. One that the layout does not have takes no
// lines, and to read it is an error: nothing else of a store is to be written so.
func (s *Store) Journal(name string) backend.Journal {
	if place, ok := PlaceOf(name); !ok || !place.Journal {
		return noJournal(name)
	}
	return journal{s, name}
}

// noJournal is the name of a file that is no journal.
type noJournal string

// Append does nothing.
func (noJournal) Append([]byte, int64) {}

// Read says that there is no such journal.
func (name noJournal) Read(int64) ([]byte, error) {
	return nil, &fs.PathError{Op: "journal", Path: string(name), Err: fs.ErrInvalid}
}

// Key returns nothing.
func (noJournal) Key() []byte { return nil }

// Key returns the key that is kept below the root.
func (j journal) Key() []byte {
	r, err := j.store.root()
	if r == nil || err != nil {
		return nil
	}
	return backend.KeyIn(r.Dir)
}

// Append adds a line. It is best effort.
func (j journal) Append(line []byte, limit int64) {
	r, err := j.store.root()
	if r == nil && err == nil {
		return // there is no store
	}
	if err == nil {
		err = j.append(r.Dir, line, limit)
	}
	if err != nil && j.store.o.Debug != nil {
		j.store.o.Debug(j.name + ": not recorded: " + err.Error())
	}
}

func (j journal) append(dir *disk.Dir, line []byte, limit int64) error {
	f, err := dir.Append(j.name)
	if err != nil {
		return err
	}
	defer f.Close()
	// A crash here may leave a part of the line, which readers skip.
	if _, err := f.Write(line); err != nil {
		return err
	}
	fi, err := f.Stat()
	if err == nil && fi.Size() > limit {
		err = j.trim(dir, f, fi.Size(), limit)
	}
	return err
}

// trim keeps the newer half, from the beginning of a line on. A line that another process writes
// meanwhile may be lost: at worst a memory is injected twice.
func (j journal) trim(dir *disk.Dir, f *disk.File, size, limit int64) error {
	half := make([]byte, limit/2)
	if _, err := f.ReadAt(half, size-int64(len(half))); err != nil {
		return err
	}
	_, rest, _ := bytes.Cut(half, []byte{'\n'})
	// A crash here leaves the old journal or the new one, and perhaps a temporary file.
	return dir.WriteFile(j.name, rest)
}

// Read returns the newest lines, at most limit bytes.
func (j journal) Read(limit int64) ([]byte, error) {
	r, err := j.store.root()
	if r == nil || err != nil {
		return nil, err
	}
	f, err := r.Open(j.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// One read of a known size: every hook does this twice.
	text := make([]byte, min(fi.Size(), limit))
	n, err := f.ReadAt(text, fi.Size()-int64(len(text)))
	if text = text[:n]; err == io.EOF {
		err = nil // it was cut meanwhile
	}
	if fi.Size() > limit {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	return text, err
}
