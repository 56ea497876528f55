package depot

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
)

var (
	// ErrNone is wrapped where a place is no depot.
	ErrNone = errors.New("no depot is there")
	// ErrMade is wrapped where a depot is to be made, and there is one.
	ErrMade = errors.New("a depot is there already")
	// ErrPartial is wrapped where segments are there, and nothing that says of which depot.
	ErrPartial = errors.New("segments are there, and no " + InfoFile + " yet")
	// ErrOther is wrapped where a depot is to be made of a directory that has other files.
	ErrOther = errors.New("other files are there")
	// ErrNewer is wrapped for a depot of a later version.
	ErrNewer = errors.New("a newer mem made it")
	// ErrTorn is wrapped for bytes that are not those of their name.
	ErrTorn = errors.New("not whole")
	// ErrName is wrapped for a name that no segment has.
	ErrName = errors.New("no name of a segment")
)

// InfoFile is the file that makes a folder a depot.
const InfoFile = "mem-sync.json"

// MaxSegment is the greatest size of a segment: an artifact of 64 MiB, sealed.
const MaxSegment = 65 << 20

const maxInfo = 4 << 10

// Info describes a depot.
type Info struct {
	V     int    `json:"v"`
	ID    string `json:"id"`              // 32 hex digits, drawn when it was made
	Check []byte `json:"check,omitempty"` // by which a reader knows that it has the right key
	Plain bool   `json:"plain,omitempty"` // its segments are not sealed
}

// Folder is a depot in a directory.
type Folder struct {
	dir    *disk.Dir
	info   Info
	shouts map[string]string // paths of segments whose names have capitals, as they were listed
}

// OpenFolder opens the depot in a directory. The error wraps ErrNone or ErrNewer.
func OpenFolder(path string) (*Folder, error) {
	dir, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	f := &Folder{dir: dir}
	if f.info, err = readInfo(dir); err != nil {
		dir.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func readInfo(dir *disk.Dir) (Info, error) {
	text, err := dir.ReadFile(InfoFile, maxInfo)
	if err != nil {
		return Info{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return parseInfo(text)
}

// parseInfo parses what describes a depot, which others have written: its id becomes the name of a
// directory here.
func parseInfo(text []byte) (info Info, err error) {
	if len(text) > maxInfo {
		return info, fmt.Errorf("%w: its description has %d bytes", ErrNone, len(text))
	}
	if err := json.Unmarshal(text, &info); err != nil {
		return info, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return info, info.check()
}

func (i Info) check() error {
	id, err := hex.DecodeString(i.ID)
	switch {
	case i.V > 1:
		return ErrNewer
	case i.V != 1 || err != nil || len(id) != 16:
		return fmt.Errorf("%w: %s has no id", ErrNone, InfoFile)
	}
	return nil
}

// NewInfo describes a depot that is to be made; check returns Info.Check for its id.
func NewInfo(check func(id string) ([]byte, error)) (info Info, err error) {
	var id [16]byte
	rand.Read(id[:])
	info = Info{V: 1, ID: hex.EncodeToString(id[:])}
	info.Check, err = check(info.ID)
	return info, err
}

// MakeFolder makes a depot of a directory, which is made where there is none; that above it must be
// there, as on a stick that is not mounted it is not. The error wraps ErrMade, ErrPartial or
// ErrOther.
func MakeFolder(path string, info Info) (*Folder, error) {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, err
	}
	dir, err := disk.Create(path)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, info: info}
	if err := f.make(); err != nil {
		dir.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func (f *Folder) make() error {
	if f.info.check() != nil {
		return fmt.Errorf("%w: the id %q", ErrName, f.info.ID)
	}
	if _, err := f.dir.Lstat(InfoFile); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, ErrMade)
	}
	if names, err := f.List(); err != nil || len(names) > 0 {
		return cmp.Or(err, ErrPartial)
	}
	entries, err := f.dir.ReadDir(".")
	for _, e := range entries {
		if e.Name()[0] != '.' && e.Name() != "lost+found" { // as .git and .stfolder
			return fmt.Errorf("%w, as %.80q", ErrOther, e.Name())
		}
	}
	if err != nil {
		return err
	}
	// A crash within leaves a folder that is no depot, and perhaps a temporary file.
	return f.dir.WriteFileSync(InfoFile, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(f.info)
	})
}

// Info describes the depot.
func (f *Folder) Info() Info { return f.info }

// Close releases the directory.
func (f *Folder) Close() error { return f.dir.Close() }

// List returns the names of the segments, in order.
func (f *Folder) List() (names []string, err error) {
	tops, err := f.dir.ReadDir(".")
	if err != nil {
		return nil, err
	}
	f.shouts = map[string]string{}
	for _, top := range tops {
		if !top.IsDir() || len(top.Name()) != 2 {
			continue
		}
		entries, err := f.dir.ReadDir(top.Name())
		if err != nil {
			continue // nobody can read it, which is as if its segments were gone
		}
		for _, e := range entries {
			name := strings.ToLower(e.Name())
			at, err := pathOf(name)
			if err != nil || name[:2] != strings.ToLower(top.Name()) {
				continue
			}
			names = append(names, name)
			if as := top.Name() + "/" + e.Name(); as != at {
				f.shouts[name] = as
			} else {
				delete(f.shouts, name) // both are there, and capitals come first
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// pathOf returns where a segment lies that was listed, or would lie.
func (f *Folder) pathOf(name string) (string, error) {
	path, err := pathOf(name)
	return cmp.Or(f.shouts[name], path), err
}

// Get returns the bytes of a segment. The error wraps fs.ErrNotExist, ErrTorn or ErrName.
func (f *Folder) Get(name string) ([]byte, error) {
	path, err := f.pathOf(name)
	if err != nil {
		return nil, err
	}
	data, err := f.dir.ReadFile(path, MaxSegment)
	if err == nil && NameOf(data) != name {
		err = fmt.Errorf("%s: %w", f.dir.Join(path), ErrTorn)
	}
	return data, err
}

// Put stores a segment durably.
func (f *Folder) Put(data []byte) error {
	if len(data) > MaxSegment {
		return fmt.Errorf("%d bytes: %w", len(data), ErrName)
	}
	name := NameOf(data)
	dir, err := f.dir.Sub(name[:2], true)
	if err != nil {
		return err
	}
	defer dir.Close()
	// A crash within leaves no segment, and perhaps a temporary file.
	if err := dir.WriteBytesSync(name, data); err != nil {
		return err
	}
	return f.dir.Sync() // a power cut before this may take a new folder away with all in it
}

// Remove removes a segment that others hold the lines of.
func (f *Folder) Remove(name string) error {
	path, err := f.pathOf(name)
	if err != nil {
		return err
	}
	// A crash before this leaves the segment: its lines are in another one too, and a purge looks
	// for the rest of them.
	return disk.IgnoreNotExist(f.dir.Remove(path))
}

// NameOf returns the name of a segment.
func NameOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// pathOf returns where a segment lies as Put writes it.
func pathOf(name string) (string, error) {
	raw, err := hex.DecodeString(name)
	if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != name {
		return "", fmt.Errorf("%q: %w", name, ErrName)
	}
	return name[:2] + "/" + name, nil
}
