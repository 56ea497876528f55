package site

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

var (
	// ErrNoState is returned where something is to be kept, and neither XDG_STATE_HOME nor the home
	// directory says where.
	ErrNoState = errors.New("no place for the list of trusted stores: neither XDG_STATE_HOME nor " +
		"HOME is set")
	// ErrPath is wrapped by Grant for a path that a record cannot hold.
	ErrPath = errors.New("a path that is not UTF-8 cannot be trusted")
	// ErrGrant is returned where lines are asked for by a Grant that no Book gave.
	ErrGrant = errors.New("not an id of a trusted store")
	// ErrForeign is wrapped where a file of the Book belongs to another user.
	ErrForeign = errors.New("it belongs to another user")
	// ErrRecord is wrapped by the Err of an Entry whose record is damaged.
	ErrRecord = errors.New("not a record of trust")
	// ErrGone is the Err of an Entry whose directory is gone.
	ErrGone = errors.New("the directory is gone")
	// ErrID is the Err of an Entry whose directory has another id, or none.
	ErrID = errors.New("its id differs from that of the trusted store")
)

// idName is the file in a .mem that holds its id.
const idName = "id"

// Book is what one person trusts. It holds no file open, and any number of processes may use the
// same files.
type Book struct {
	state string   // the directory of everything; "" where there can be none
	whole []string // the entries of MEM_TRUST
	// remotes are the URLs of MEM_TRUST_REMOTE.
	remotes []string
}

// Grant is the trust in one store.
type Grant struct {
	Path  string // the real path of the .mem
	ID    string // 32 hex digits; "" where only MEM_TRUST lets it in
	Since log.Stamp
	Whole bool // by MEM_TRUST: every line counts as known
}

// OpenBook returns the book of a person with this home directory. It touches no file, and cannot
// fail: a person without a place for a book trusts nothing.
func OpenBook(getenv func(string) string, home string) *Book {
	b := &Book{remotes: strings.Fields(getenv("MEM_TRUST_REMOTE"))}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		b.state = filepath.Join(dir, "mem")
	} else if filepath.IsAbs(home) {
		b.state = filepath.Join(home, ".local", "state", "mem")
	}
	for _, path := range filepath.SplitList(getenv("MEM_TRUST")) {
		if filepath.IsAbs(path) {
			b.whole = append(b.whole, path)
		}
	}
	return b
}

// Dir returns the directory that holds the book; "" where there can be none.
func (b *Book) Dir() string {
	if b == nil {
		return ""
	}
	return b.state
}

// Look reports whether a .mem is trusted, and how. A record that is damaged, another's or
// unreadable grants no trust and is no error; the error is one of the disk.
func (b *Book) Look(root string) (Grant, bool, error) {
	path, err := realPath(root)
	if err != nil {
		return Grant{}, false, failure(err)
	}
	g, ok, err := b.recorded(path)
	if b.isWhole(path) {
		g.Path, g.Whole = path, true
		return g, true, nil
	}
	return g, ok, err
}

// recorded returns the record of a store that has its id.
func (b *Book) recorded(path string) (Grant, bool, error) {
	g, err := b.record(path)
	if err == nil {
		err = checkID(g)
	}
	if err != nil {
		return Grant{}, false, failure(err)
	}
	return g, true, nil
}

// failure returns an error, but nil for one that says that nothing is to be trusted.
func failure(err error) error {
	for _, nothing := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR,
		syscall.ELOOP, syscall.ENAMETOOLONG, disk.ErrIrregular, ErrNoState, ErrForeign, ErrRecord,
		ErrID} {
		if errors.Is(err, nothing) {
			return nil
		}
	}
	return err
}

// isWhole reports whether MEM_TRUST has a path, or the directory that it is the .mem of.
func (b *Book) isWhole(path string) bool {
	return slices.ContainsFunc(b.whole, func(entry string) bool {
		real, err := realPath(entry)
		return err == nil && (real == path || filepath.Join(real, ".mem") == path)
	})
}

// realPath returns the absolute path without symbolic links.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// checkID returns an error that wraps ErrID if the directory of a grant has not its id.
func checkID(g Grant) error {
	dir, err := disk.Open(g.Path)
	if err != nil {
		return err
	}
	defer dir.Close()
	switch text, err := dir.ReadFile(idName, 64); {
	case err != nil && !disk.Failed(err): // absent, no plain file, too large
		return fmt.Errorf("%w: %w", ErrID, err)
	case err == nil && string(text) != g.ID+"\n":
		return fmt.Errorf("%w: %s", ErrID, dir.Join(idName))
	default:
		return err
	}
}

// isID reports whether a text is an id, and thus a safe file name.
func isID(text string) bool {
	return len(text) == 32 && strings.Trim(text, "0123456789abcdef") == ""
}

// Grant lets a .mem in, from now on, and returns when that is durable. One that is let in already
// stays as it is. Any other gets a new id, regardless of its own: an id that came with a clone
// could come with another.
func (b *Book) Grant(root string, now log.Stamp) (Grant, error) {
	path, err := realPath(root)
	if err != nil {
		return Grant{}, err
	}
	if !utf8.ValidString(path) {
		return Grant{}, fmt.Errorf("%w: %q", ErrPath, path)
	}
	if g, ok, err := b.recorded(path); ok || err != nil {
		g.Whole = ok && b.isWhole(path)
		return g, err
	}
	g := Grant{Path: path, ID: newID(), Since: now, Whole: b.isWhole(path)}
	records, err := b.create(recordsName)
	if err != nil {
		return Grant{}, err
	}
	defer records.Close()
	former, _ := b.record(path)
	if err := writeID(g); err != nil {
		return Grant{}, err
	}
	if err := writeRecord(records, g); err != nil {
		return Grant{}, err
	}
	return g, b.forget(former.ID)
}

func newID() string {
	var id [16]byte
	rand.Read(id[:]) // it cannot fail
	return hex.EncodeToString(id[:])
}

// writeID puts the id into the .mem. A link of this name is replaced, and not followed.
func writeID(g Grant) error {
	dir, err := disk.Open(g.Path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if fi, err := dir.Lstat(idName); err == nil && fi.IsDir() {
		return &fs.PathError{Op: "write", Path: dir.Join(idName), Err: disk.ErrIrregular}
	}
	return dir.WriteBytesSync(idName, []byte(g.ID+"\n"))
}

// Revoke takes the trust in a .mem back, also where that is gone or a link stands in its place, and
// with it the known lines. It reports whether there was any. The trust of MEM_TRUST stays.
func (b *Book) Revoke(root string) (bool, error) {
	named, err := filepath.Abs(root)
	if err != nil {
		return false, err
	}
	records, err := b.open(recordsName)
	if err != nil {
		return false, ignoreNone(err)
	}
	defer records.Close()
	was, err := b.remove(records, named)
	if real := lastingPath(named); err == nil && real != named {
		var too bool
		too, err = b.remove(records, real)
		was = was || too
	}
	return was, err
}

// remove removes the record of a path, if there is one, and then its lines.
func (b *Book) remove(records *disk.Dir, path string) (bool, error) {
	g, _ := b.record(path)
	// A crash right here leaves the record, or only the lines, to which then nothing refers.
	if err := records.Remove(recordName(path)); err != nil {
		return false, disk.IgnoreNotExist(err)
	}
	return true, cmp.Or(records.Sync(), b.forget(g.ID))
}

// ignoreNone returns nil for an error that says that no book was begun.
func ignoreNone(err error) error {
	return disk.IgnoreNotExist(disk.Ignore(err, ErrNoState))
}

// lastingPath returns the real path of the part that is there, and the rest as it is.
func lastingPath(path string) string {
	parent := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(path); err == nil || parent == path {
		return cmp.Or(real, path)
	}
	return filepath.Join(lastingPath(parent), filepath.Base(path))
}

// isMine reports whether a file of the book is believed: this user's or root's.
func isMine(fi fs.FileInfo) bool {
	uid, ok := disk.Owner(fi)
	return !ok || uid == 0 || uid == os.Geteuid()
}
