package site

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// The directories below that of the state.
const (
	recordsName = "trust"
	linesName   = "lines"
)

// maxRecord is what a record may have: room for the longest path, escaped.
const maxRecord = 64 << 10

func recordName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("%x.json", sum[:16])
}

// open opens one of the directories.
func (b *Book) open(name string) (*disk.Dir, error) {
	if b.state == "" {
		return nil, ErrNoState
	}
	return disk.Open(filepath.Join(b.state, name))
}

// create is like open, and makes missing directories.
func (b *Book) create(name string) (*disk.Dir, error) {
	if b.state == "" {
		return nil, ErrNoState
	}
	return disk.Create(filepath.Join(b.state, name))
}

// record returns the record of a path, also if no store is there.
func (b *Book) record(path string) (Grant, error) {
	dir, err := b.open(recordsName)
	if err != nil {
		return Grant{}, err
	}
	defer dir.Close()
	return readRecord(dir, recordName(path))
}

// readRecord reads one record and checks that its name is that of its path.
func readRecord(dir *disk.Dir, name string) (Grant, error) {
	text, err := readMine(dir, name, maxRecord)
	if err != nil {
		return Grant{}, err
	}
	var r struct {
		Path, ID string
		Since    log.Stamp
	}
	err = json.Unmarshal(text, &r)
	if err == nil && (recordName(r.Path) != name || !isID(r.ID)) {
		err = errors.New("path or id")
	}
	if err != nil {
		return Grant{}, fmt.Errorf("%w: %s: %w", ErrRecord, dir.Join(name), err)
	}
	return Grant{Path: r.Path, ID: r.ID, Since: r.Since}, nil
}

// readMine returns the content of a plain file that belongs to this user or root.
func readMine(dir *disk.Dir, name string, limit int64) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !isMine(fi):
		return nil, &fs.PathError{Op: "read", Path: f.Path(), Err: ErrForeign}
	case !fi.Mode().IsRegular() || fi.Size() > limit:
		return nil, fmt.Errorf("%w: %s: too large", ErrRecord, f.Path())
	}
	text := make([]byte, fi.Size())
	n, err := io.ReadFull(f, text)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return text[:n], err
}

// writeRecord makes the record of a grant durable.
func writeRecord(dir *disk.Dir, g Grant) error {
	var o jsontext.Object
	o.Text("path", g.Path)
	o.Text("id", g.ID)
	o.Text("since", g.Since.String())
	return dir.WriteBytesSync(recordName(g.Path), append(o.Bytes(), '\n'))
}

// Entry is one record of the book.
type Entry struct {
	Path   string // of the .mem; "" where the record does not say
	ID     string
	Since  log.Stamp
	Record string // the path of the file
	// Err is why the record lets nothing in: ErrGone, ErrID, ErrRecord, ErrForeign, or an error of
	// the disk. It is nil where it does.
	Err error
}

// List returns all records by path, also those that let nothing in.
func (b *Book) List() ([]Entry, error) {
	dir, err := b.open(recordsName)
	if err != nil {
		return nil, ignoreNone(err)
	}
	defer dir.Close()
	names, err := dir.Names(".")
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, name := range names {
		if strings.HasSuffix(name, ".json") {
			list = append(list, describe(dir, name))
		}
	}
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Record, b.Record))
	})
	return list, nil
}

func describe(dir *disk.Dir, name string) Entry {
	g, err := readRecord(dir, name)
	e := Entry{Path: g.Path, ID: g.ID, Since: g.Since, Record: dir.Join(name), Err: err}
	if err != nil {
		return e
	}
	real, err := realPath(g.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Err = ErrGone
	case err != nil:
		e.Err = err
	case real != g.Path:
		e.Err = fmt.Errorf("%w: its path is a link to %s now", ErrGone, real)
	default:
		e.Err = checkID(g)
	}
	return e
}
