package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
type repository struct{ common, origin, directory, identity, former, claim, link string }

// identify returns the repository of a common directory as it is now, and as its claim the identity
// that its origin gives. The error is about its configuration.
func identify(common string) (r repository, err error) {
	conf, err := readConfig(common)
	if errors.Is(err, syscall.ENOTDIR) {
		err = nil // a .git file that is an identity of its own
	}
	return repository{common: common, origin: normalOrigin(conf.origin),
		directory: disk.Identity(common), claim: identityOf(conf.origin)}, err
}

// isSameAs reports whether two descriptions are of one repository, perhaps in two places, or of two
// clones of one origin.
func (r repository) isSameAs(o repository) bool {
	return r.origin != "" && r.origin == o.origin ||
		r.directory != "" && r.directory == o.directory
}

// isReplaced reports whether another repository is at the path now: one that was born at another
// time, and has not the origin that is recorded. Where none is, a restored backup looks the same,
// so the path decides. Of an identity only the time counts, for some file systems number their
// files anew.
func (r repository) isReplaced() bool {
	is := disk.Identity(r.common)
	birth := is[max(0, strings.IndexByte(is, '-')):]
	if r.origin == "" || r.directory == "" || strings.HasSuffix(r.directory, birth) {
		return false
	}
	now, err := identify(r.common)
	return err == nil && r.origin != now.origin
}

// isFormerOf reports whether a description, not that of its own store, is of the repository here at
// a place where that is no more, or may be of it before it lost its origin, or was linked.
func (r repository) isFormerOf(here repository) bool {
	if r.common == here.common {
		return here.origin == "" || r.link != ""
	}
	if !r.isSameAs(here) {
		return false
	}
	real, err := realPath(r.common)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	return real == here.common || r.isReplaced()
}

// write writes the record into the directory of a store, which it makes. A crash leaves the old
// file or the new one.
func (r repository) write(root string) error {
	dir, err := disk.Create(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.WriteFileSync(RepositoryFile, func(w io.Writer) error {
		_, err := w.Write(r.text())
		return err
	})
}

// members are the names of the members of the file, in the order of their values.
var members = [...]string{"common_dir", "origin", "directory", "identity", "former_identity",
	"claim", "link"}

func (r *repository) values() [len(members)]*string {
	return [...]*string{&r.common, &r.origin, &r.directory, &r.identity, &r.former, &r.claim,
		&r.link}
}

func (r repository) text() []byte {
	var o jsontext.Object
	for i, value := range r.values() {
		o.TextUnlessEmpty(members[i], *value)
	}
	return append(o.Bytes(), '\n')
}

// RepositoryText returns the content of the file for a repository, before it has an identity. A
// path that is not UTF-8 stands in it byte by byte, though JSON has no such text.
func RepositoryText(common string) []byte {
	r, _ := identify(common) // without an origin where that cannot be read
	r.claim = ""
	return r.text()
}

// CompleteRepository is [Site.RecordRepository] for a write, which completes a record of an older
// build alone: the configuration of the repository is read when a session begins.
func (s *Site) CompleteRepository() {
	r, err := readRepository(s.Root)
	if err != nil || r.directory == "" || r.identity == "" && r.claim == "" {
		s.RecordRepository()
	}
}

// RecordRepository brings the file in the store of a repository beside the user's up to date: older
// builds recorded the path alone, and an origin changes. The store gets its identity, unless
// another one has it. Nothing is written where the file is as it should be, there is no store, or
// the store is of the repository that was here before, or of one elsewhere to which this one is
// linked. A failure is no reason for the write to fail: the next one tries again.
func (s *Site) RecordRepository() {
	if s.Dot || s.Layer != Project || s.Repo == nil {
		return
	}
	here, err := identify(s.Repo.Common)
	if _, gone := os.Stat(s.Root); err != nil || gone != nil {
		return
	}
	_ = here.update(s.Root, repository.decided)
}

// update makes the record of the store at root the description of a repository, with what fn makes
// of it, unless it is of another repository. A crash leaves the old file or the new one.
func (r repository) update(root string, fn func(repository, string) (repository, error)) error {
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
	}
	return r, nil
}

// Former returns the stores beside the user's that were the project's before the repository came to
// its place here: each records this repository, or another clone of its origin, at a path where it
// is no more, or this path. Nothing in them is read but this record. A path on a disk that is not
// mounted is gone too, so a store of this list is no more than a proposal.
func (s *Sites) Former() (list []*Site, err error) {
	if s.Project == nil || s.Project.Repo == nil || s.Project.Repo.Common == "" {
		return nil, nil
	}
	here, err := identify(s.Project.Repo.Common)
	if err != nil {
		return nil, err
	}
	all, err := s.Repositories()
	own := ownRoot(filepath.Dir(s.Projects), *s.Project.Repo)
	for _, one := range all {
		was, err := readRepository(one.Root) // an unreadable record names nobody
		if err == nil && one.Root != own && was.isFormerOf(here) {
			list = append(list, one)
		}
	}
	return list, err
}
