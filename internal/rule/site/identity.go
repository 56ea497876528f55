package site

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// ErrIdentity is wrapped for a text that is no identity of a project.
var ErrIdentity = errors.New("want 64 hex digits")

const (
	// idFile is the file in a common directory with the random id of a repository without an
	// origin: 64 hex digits and a newline.
	idFile = "mem-id"
	// recordsLock is the lock of the records, beside the stores.
	recordsLock = ".lock"
	// lockWait is far above what a record takes. One that is not written now is written later.
	lockWait = 5 * time.Second
)

// IsIdentity reports whether a text is the identity of a project.
func IsIdentity(text string) bool {
	return len(text) == sha256.Size*2 && strings.Trim(text, "0123456789abcdef") == ""
}

// identityOf returns the identity that an origin gives; "" for one on this machine.
func identityOf(origin string) string {
	host, port, path := parseOrigin(origin)
	if path == "" || host == "" || host == "localhost" || host == "::1" ||
		strings.HasPrefix(host, "127.") || strings.HasPrefix(origin, "file:") {
		return ""
	}
	return sumOf(host + port + "/" + path)
}

func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// identityByID returns the identity that the random id of a repository gives; "" without one, and
// for anything else in its place, as an archive may bring. It is a hash, so that an identity that
// somebody has seen, or that of an origin, cannot be put there.
func identityByID(common string) string {
	id, err := readText(common, idFile, 2*sha256.Size+1)
	if err != nil || !IsIdentity(id) {
		return ""
	}
	return sumOf("mem-id:" + id)
}

// makeID writes a random id for a repository. It fails where its directory takes no file, and
// leaves another one of this name as it is. A crash leaves no id, or one that the next record has.
func makeID(common string) {
	dir, err := disk.Open(common)
	if err != nil {
		return // a .git file that is an identity of its own
	}
	defer dir.Close()
	if _, err := dir.Lstat(idFile); errors.Is(err, fs.ErrNotExist) {
		var random [sha256.Size]byte
		rand.Read(random[:]) // it cannot fail
		_ = dir.WriteFileSync(idFile, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%x\n", random)
			return err
		})
	}
}

// Identity returns the identity that is recorded for a repository's store beside the user's; ""
// for none, and for other stores.
func (s *Site) Identity() string {
	r, _ := readRepository(s.Root) // an unreadable record has none
	return r.identity
}

// StoresByIdentity returns the roots of the stores beside the user's in a data directory, by their
// identities. A store that had a random id before its repository got an origin has both.
func StoresByIdentity(data string) (map[string]string, error) {
	stores, err := (&Sites{Projects: projectsDir(data)}).Repositories()
	ids := map[string]string{}
	for _, one := range stores {
		r, _ := readRepository(one.Root) // an unreadable record has none
		for _, id := range []string{r.identity, r.former} {
			ids[id] = cmp.Or(ids[id], one.Root)
		}
	}
	delete(ids, "") // of those without
	return ids, err
}

// Apart is a repository whose memories are apart from those in another store, which is of it, too.
type Apart struct {
	Common string // its common directory
	ID     string // names the other store
}

// Apart returns the repositories on this machine whose present identity another store has: one that
// another machine brought, or of another clone.
func (s *Sites) Apart() (list []Apart, err error) {
	stores, err := s.Repositories()
	records := make([]repository, len(stores))
	for i, one := range stores {
		records[i], _ = readRepository(one.Root) // an unreadable record has none
	}
	for i, was := range records {
		if _, gone := os.Stat(was.common); gone != nil || was.linkedBeside(stores[i].Root) != "" {
			continue
		}
		for k, other := range records {
			isOther := k != i && other.linkedBeside(stores[k].Root) == ""
			if now := was.present(); now != "" && isOther && (other.identity == now ||
				other.common == "" && other.present() == now ||
				was.identity == "" && other.identity != "" && other.present() == now) {
				list = append(list, Apart{was.common, other.id(stores[k].Root)})
				break
			}
		}
	}
	return list, err
}

// Unplaced returns the stores that another machine brought and no repository on this machine uses:
// each has no path of one, and nobody linked one to it.
func (s *Sites) Unplaced() (list []*Site, err error) {
	stores, err := s.Repositories()
	used := map[string]bool{}
	for _, one := range stores {
		r, unread := readRepository(one.Root)
		used[one.Root] = used[one.Root] || unread != nil || r.common != ""
		used[r.linkedBeside(one.Root)] = true
	}
	return slices.DeleteFunc(stores, func(one *Site) bool { return used[one.Root] }), err
}

// RecordAll brings the records of all repositories on this machine up to date, as
// [Site.RecordRepository] does for one.
func (s *Sites) RecordAll() error {
	stores, err := s.Repositories()
	for _, one := range stores {
		was, unread := readRepository(one.Root)
		_, gone := os.Stat(was.common)
		if unread != nil || gone != nil || was.isCurrent(was.common) {
			continue
		}
		decided := repository.decided
		if was.link != "" {
			decided = func(now repository, _ string) (repository, error) { return now, nil }
		}
		if here, unread := identify(was.common); unread == nil {
			_ = here.update(one.Root, decided) // the next call tries again
		}
	}
	return err
}

// MakeFor returns the root of the store with an identity in a data directory, and makes one that
// has no path where there is none: a repository uses it after [Sites.Link]. name is what people
// call the project. The error wraps ErrIdentity, or is of the disk. A crash leaves an empty
// directory at most, which the next call takes.
func MakeFor(data, identity, name string) (root string, err error) {
	if !IsIdentity(identity) {
		return "", fmt.Errorf("identity %.80q: %w", identity, ErrIdentity)
	}
	err = withRecords(projectsDir(data), func() error {
		ids, err := StoresByIdentity(data)
		if root = ids[identity]; root != "" || err != nil {
			return err
		}
		root = filepath.Join(projectsDir(data), safeName(name)+"-"+identity[:8])
		if names, err := os.ReadDir(root); len(names) > 0 || disk.IgnoreNotExist(err) != nil {
			root += identity[8:] // a store of another project
		}
		return repository{identity: identity}.write(root)
	})
	return root, err
}

// withRecords calls fn while no other process changes a record in a directory of stores, which it
// makes: of two that take one identity at once the second sees the first.
func withRecords(projects string, fn func() error) error {
	dir, err := disk.Create(projects)
	if err != nil {
		return err
	}
	defer dir.Close()
	lock, err := log.NewLockerOf(dir, recordsLock).Acquire(context.Background(), "project",
		log.MinStamp.Time(), lockWait)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return fn()
}

// over returns a description of a repository as it is now with what was decided about the store at
// its place, and as claim the identity that it asks for, if that is another one. ok is false where
// the record is of another repository, and stays as it is.
func (r repository) over(was repository) (now repository, ok bool) {
	if was.common != "" && was.common != r.common || was.isReplaced() {
		return was, false
	}
	id := identityByID(r.common)
	r.identity, r.former, r.link = was.identity, was.former, was.link
	r.claim = cmp.Or(r.claim, id)
	r.past = withPresent(was.allPast(), r.claim)
	if r.claim == was.identity || was.identity != "" && was.identity != id {
		r.claim = ""
	}
	return r, true
}

// decided returns the record of the store at root with the identity that it asks for, if no other
// store has that: then it remains a claim, until a person decides.
func (r repository) decided(root string) (repository, error) {
	if r.identity == "" && r.claim == "" {
		makeID(r.common)
		r.claim = identityByID(r.common)
		r.past = withPresent(r.past, r.claim)
	}
	if r.claim == "" {
		return r, nil
	}
	held, err := holderOf(filepath.Dir(root), r.claim, root)
	if err == nil && held == "" {
		r.former, r.identity, r.claim = r.identity, r.claim, ""
	}
	return r, err
}

// holderOf returns the root of a store, but for one, that has an identity or whose repository has
// it now; "" for none. The folder of an archive that claims the new origin of a repository does not
// get it.
func holderOf(projects, identity, but string) (root string, err error) {
	ids, err := StoresByIdentity(filepath.Dir(projects))
	if root := ids[identity]; root != "" && root != but || err != nil {
		return root, err
	}
	stores, err := (&Sites{Projects: projects}).Repositories()
	for _, one := range stores {
		r, _ := readRepository(one.Root) // an unreadable record has none
		if one.Root != but && r.linkedBeside(one.Root) == "" &&
			(r.identity != "" || r.common == "") && r.present() == identity {
			return one.Root, err
		}
	}
	return "", err
}

// Claimed returns the identity that the repository here asks for, while its store has not got it,
// and the root of the store that has; "" where none has. It reads the record of every repository of
// this person.
func (s *Sites) Claimed() (identity, root string) {
	p := s.Project
	if p == nil || p.Dot || p.Repo == nil {
		return "", ""
	}
	here, err := identify(p.Repo.Common)
	was, unread := readRepository(p.Root)
	now, ok := here.over(was)
	if err != nil || unread != nil || !ok || now.claim == "" {
		return "", "" // what cannot be read claims nothing
	}
	root, _ = holderOf(s.Projects, now.claim, p.Root)
	return now.claim, root
}
