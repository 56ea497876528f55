package site

import (
	"bytes"
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
	"github.com/set-memory/mem/internal/base/jsontext"
)

// RepositoryFile is the file in a project's store, beside the user's, that names the repository.
const RepositoryFile = "repository.json"

// maxRepositoryText is far above what any path takes.
const maxRepositoryText = 64 << 10

// repository is the content of the file. See the package comment for its members.
type repository struct {
	common, origin, directory, identity, former, claim, link, config string
	// past has the identities that the repository has had, the present one last, with a space
	// between two.
	past string
}

// identify returns the repository of a common directory as it is now, and as its claim the identity
// that its origin gives. The error is about its configuration.
func identify(common string) (r repository, err error) {
	stamp := configStamp(common) // first: of a change meanwhile the next call hears
	conf, err := readConfig(common)
	if errors.Is(err, syscall.ENOTDIR) {
		err = nil // a .git file that is an identity of its own
	}
	return repository{common: common, origin: normalOrigin(conf.origin),
		directory: disk.Identity(common), claim: identityOf(conf.origin), config: stamp}, err
}

// configStamp distinguishes the configuration of a common directory from an earlier one, by the
// times and sizes of its files.
func configStamp(common string) (stamp string) {
	for _, name := range [...]string{"config", "config.worktree"} {
		if fi, err := os.Stat(filepath.Join(common, name)); err == nil {
			stamp += fmt.Sprintf("%s %d %d;", name, fi.ModTime().UnixNano(), fi.Size())
		}
	}
	return stamp
}

// isCurrent reports whether a record says of a repository all that there is to say, as far as the
// stamps of its files tell. One that claims the identity of another store looks each time whether
// that has it still.
func (r repository) isCurrent(common string) bool {
	return r.common == common && r.directory == disk.Identity(common) && r.claim == "" &&
		r.past != "" && r.config != "" && r.config == configStamp(common)
}

// isSameAs reports whether two descriptions are of one repository, perhaps in two places, or of two
// clones of one origin.
func (r repository) isSameAs(o repository) bool {
	return r.origin != "" && r.origin == o.origin ||
		r.directory != "" && r.directory == o.directory
}

// isReplaced reports whether another repository is at the path now: one that was born at another
// time, and has not the origin that is recorded. Of an identity only the time counts, for some file
// systems number their files anew.
func (r repository) isReplaced() bool {
	is := disk.Identity(r.common)
	birth := is[max(0, strings.IndexByte(is, '-')):]
	if r.origin == "" || r.directory == "" || strings.HasSuffix(r.directory, birth) {
		return false
	}
	now, err := identify(r.common)
	return err == nil && r.origin != now.origin
}

// write writes the record into the directory of a store. A crash leaves the old or the new.
func (r repository) write(root string) error {
	dir, err := disk.Create(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.WriteBytesSync(RepositoryFile, r.text())
}

// members are the names of the members of the file, in the order of their values.
var members = [...]string{"common_dir", "origin", "directory", "identity", "former_identity",
	"claim", "link", "config"}

const pastMember = "identities"

func (r *repository) values() [len(members)]*string {
	return [...]*string{&r.common, &r.origin, &r.directory, &r.identity, &r.former, &r.claim,
		&r.link, &r.config}
}

func (r repository) text() []byte {
	var o jsontext.Object
	for i, value := range r.values() {
		o.TextUnlessEmpty(members[i], *value)
	}
	if r.past != "" {
		o.Raw(pastMember, jsontext.AppendStrings(nil, strings.Fields(r.past)))
	}
	return append(o.Bytes(), '\n')
}

// RepositoryText returns the content of the file for a repository, before it has an identity. A
// path that is not UTF-8 stands in it byte by byte, though JSON has no such text.
func RepositoryText(common string) []byte {
	r, _ := identify(common) // without an origin where that cannot be read
	r.claim, r.config = "", ""
	return r.text()
}

// CompleteRepository is [Site.RecordRepository] for a write: nothing is read but one record.
func (s *Site) CompleteRepository() { s.RecordRepository() }

// RecordRepository brings the record of the repository here up to date. The configuration is read
// only where its files are others than those that the record is of. The store gets its identity,
// unless another one has it; a linked one is known by its identities, too. A failure is no reason
// for a write to fail: the next one tries again.
func (s *Site) RecordRepository() {
	if s.Dot || s.Layer != Project || s.Repo == nil {
		return
	}
	own, was := ownStore(filepath.Dir(filepath.Dir(s.Root)), *s.Repo)
	if was.isCurrent(s.Repo.Common) {
		return
	}
	here, err := identify(s.Repo.Common)
	if _, gone := os.Stat(s.Root); err != nil || gone != nil {
		return
	}
	if own == s.Root {
		_ = here.update(own, repository.decided)
		return
	}
	_ = here.update(own, func(now repository, _ string) (repository, error) {
		was = now
		return now, nil
	})
	_ = here.update(s.Root, repository.decided)
	_ = AddIdentities(s.Root, strings.Fields(was.past))
}

// update makes the record of the store at root the description of a repository, with what fn makes
// of it, unless it is of another repository. A crash leaves the old file or the new one.
func (r repository) update(root string, fn func(repository, string) (repository, error)) error {
	if was, err := readRepository(root); err == nil && was.claim != "" {
		now, ok := r.over(was)
		held, err := holderOf(filepath.Dir(root), was.claim, root)
		if ok && now == was && held != "" && err == nil {
			return nil // as at each start of a session: the lock is left alone
		}
	}
	return withRecords(filepath.Dir(root), func() error {
		was, unread := readRepository(root)
		now, ok := r.over(was)
		if !ok {
			return nil
		}
		now, err := fn(now, root)
		if err != nil || unread == nil && now == was {
			return err
		}
		return now.write(root)
	})
}

// RepositoryOf returns the directory that the work trees of a store's repository share, as it was
// when the store was written to last; "" for a store of none, and for one that is not there.
func RepositoryOf(root string) (string, error) {
	r, err := readRepository(root)
	return r.common, err
}

// readRepository reads the file in a store. Without one it returns the zero repository.
func readRepository(root string) (r repository, err error) {
	path := filepath.Join(root, RepositoryFile)
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		return r, err
	case !fi.Mode().IsRegular() || fi.Size() > maxRepositoryText:
		return r, fmt.Errorf("%s: %w", path, disk.ErrIrregular)
	}
	text, err := os.ReadFile(path) // beside the user's store, where nobody else writes
	if err != nil {
		return r, err
	}
	// Not by encoding/json: each hook asks, and the first use of a type costs a tenth of a
	// millisecond.
	valid, err := jsontext.Compact(nil, bytes.ToValidUTF8(text, []byte("?")))
	if err != nil {
		return r, fmt.Errorf("%s: %w", RepositoryFile, err)
	}
	if utf8.Valid(text) {
		text = valid // else it is compact, as it was written
	}
	for name, value := range jsontext.Members(text) {
		if i := slices.Index(members[:], name); i >= 0 && value[0] == '"' {
			*r.values()[i] = jsontext.Unquote(value)
		}
		if name == pastMember {
			for id := range jsontext.Elements(value) {
				r.past = withPast(r.past, jsontext.Unquote(id))
			}
		}
	}
	return r, nil
}
