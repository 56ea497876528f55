package filestore

import (
	"io/fs"

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

// Key returns the key that is kept below the root, and makes it where there is none.
func (j journal) Key() []byte {
	r, err := j.store.root()
	if r == nil || err != nil {
		return nil
	}
	key, _ := backend.KeyIn(r.Dir, backend.KeyFile) // without one there are no sums
	return key
}

// Append adds a line. It is best effort.
func (j journal) Append(line []byte, limit int64) {
	r, err := j.store.root()
	if r == nil && err == nil {
		return // there is no store
	}
	if err == nil {
		err = backend.AppendLine(r.Dir, j.name, line, limit)
	}
	if err != nil && j.store.o.Debug != nil {
		j.store.o.Debug(j.name + ": not recorded: " + err.Error())
	}
}

// Read returns the newest lines, at most limit bytes.
func (j journal) Read(limit int64) ([]byte, error) {
	r, err := j.store.root()
	if r == nil || err != nil {
		return nil, err
	}
	return backend.ReadLines(r.Dir, j.name, limit)
}
