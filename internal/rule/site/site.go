package site

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
)

// The names of the layers.
const (
	User    = "user"
	Project = "project"
)

// DotDir is the name of a project's own store, which "mem init" makes.
const DotDir = ".mem"

// Site is where a store is or would be, and why it is used.
type Site struct {
	Layer  string // User or Project; "" for the one store of --root or MEM_ROOT
	Root   string // it need not exist
	Why    string // it is used, for people
	Dot    bool   // it is a .mem
	Remote string // the URL that a .mem names, where its memories are; "": it holds them itself
	// Elsewhere is that URL where --root or MEM_ROOT names the directory, which is then used alone.
	Elsewhere string
	// Repo is the repository that the store is for, or that a .mem lies in; nil without one.
	Repo *Repo
	// Grant is why a .mem is believed; nil for other stores, and for one that --root names and
	// nobody let in.
	Grant *Grant
	data  string // the data directory where --root or MEM_ROOT names the store
}

// InRepository reports whether the store came, or could have come, with a repository: whatever it
// says of itself, others may have written it.
func (s *Site) InRepository() bool { return s.Dot && s.Repo != nil }

// Tracked reports whether git tracks the store, so that other people get its records. Where
// that cannot be known it may be so.
func (s *Site) Tracked() bool {
	if !s.InRepository() {
		return false
	}
	tracked, err := s.Repo.Tracks(s.Root)
	return tracked || err != nil
}

// RootBeside returns the root of the repository's store beside the user's, which a .mem in the
// repository takes the place of; "" for other stores.
func (s *Sites) RootBeside() string {
	p := cmp.Or(s.Project, s.Served)
	if p == nil || !p.InRepository() || s.Projects == "" || p.Repo.Common == "" {
		return ""
	}
	return ownRoot(filepath.Dir(s.Projects), *p.Repo)
}

// Public reports whether other people get the records of the store: git tracks it, or will.
func (s *Site) Public() bool {
	return s.Remote != "" || s.Shared() && s.InRepository() || s.Tracked()
}

// Folder returns the directory whose files memories are about: the work tree of the repository, or
// the directory with the .mem; "" for a user's store.
func (s *Site) Folder() string {
	switch {
	case s.Repo != nil:
		return s.Repo.WorkTree
	case s.Dot:
		return filepath.Dir(s.Root)
	}
	return ""
}

// Folder returns that of the project or, where one store is all there is, the work tree of the
// repository of a directory; "" without one.
func (s *Sites) Folder(dir string) string {
	if project := cmp.Or(s.Project, s.Served); project != nil {
		return project.Folder()
	}
	if s.One != nil && s.One.Folder() != "" {
		return s.One.Folder()
	}
	if repo, ok, err := FindRepo(dir); ok && err == nil {
		return repo.WorkTree
	}
	return ""
}

// Name returns a name of the project for people and for sources: that of the directory with the
// .mem, or that of the repository with a part of its hash. It is "" for other stores.
func (s *Site) Name() string {
	switch {
	case s.Dot:
		return strings.ToValidUTF8(filepath.Base(filepath.Dir(s.Root)), "\ufffd")
	case s.Layer == Project:
		return filepath.Base(s.Root)
	}
	return ""
}

// HasForeignConfig reports whether the config.json of the .mem came, or could have come, with a
// repository. It could delete notes and refuse writes, and mem trust lists lines only, so it is not
// used.
func (s *Site) HasForeignConfig() bool {
	path := filepath.Join(s.Root, "config.json")
	if !s.InRepository() || s.Grant == nil || s.Grant.Whole {
		return false
	}
	if _, err := os.Lstat(path); err != nil && s.Repo.Common != "" {
		return false
	}
	tracked, err := s.Repo.Tracks(path)
	if err == nil && !tracked && s.Repo.WorkTree == s.Root { // the one around it may have it
		if r, ok, _ := FindRepo(filepath.Dir(s.Root)); ok {
			tracked, err = r.Tracks(path)
		}
	}
	return tracked || err != nil
}

// isLeftover reports whether git has taken its files out of the .mem, as with a branch that has
// none: writes there would then be new files to git, with all that it never tracks.
func (s *Site) isLeftover() bool {
	return s.InRepository() && !s.Grant.Whole && !isFile(filepath.Join(s.Root, ignoreFile)) &&
		!s.Tracked()
}

// Shared reports whether the store is one that "mem init --shared" made: git replaces its log when
// a branch is changed or merged.
func (s *Site) Shared() bool {
	return !IsRemote(s.Root) && filepath.Base(s.Root) == DotDir &&
		(isFile(filepath.Join(s.Root, SharedMark)) || isTaken(s.Root))
}

// isTaken reports whether git has taken a .mem away that was let in, with a branch that has none:
// what mem makes of it is there, for git ignores that, and nothing of what it is made from.
func isTaken(root string) bool {
	for _, name := range [...]string{SharedMark, ignoreFile, "README.md", "log.jsonl", "archive"} {
		if _, err := os.Lstat(filepath.Join(root, name)); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return isFile(filepath.Join(root, "watermark")) && isFile(filepath.Join(root, "id"))
}

// SharedMark is the file in a .mem by which git merges what several people wrote to it.
const SharedMark = ".gitattributes"

// ownRoot returns the root of a repository's store below the data directory: its own, or that to
// which a person has linked it.
func ownRoot(data string, r Repo) string {
	root, was := ownStore(data, r)
	for range maxLinks {
		linked := was.linkedBeside(root)
		if linked == "" {
			break
		}
		root = linked
		was, _ = readRepository(root) // an unreadable record leads nowhere
	}
	return root
}

// maxLinks is how many links lead on: the store to which a repository was linked may be left, too.
const maxLinks = 8

// linkedBeside returns the root of the store to which the record of a store leads; "" where a
// person linked it to none, or that was deleted.
func (r repository) linkedBeside(root string) string {
	if r.link == "" {
		return ""
	}
	linked := filepath.Join(filepath.Dir(root), filepath.Base(r.link))
	if _, err := os.Stat(linked); err != nil {
		return ""
	}
	return linked
}

// ownStore returns the root of the store that the path of a repository gives, and its record: with
// eight digits of the hash of the path, or where another repository has or had that name one with
// more of them.
func ownStore(data string, r Repo) (root string, was repository) {
	sum := sha256.Sum256([]byte(r.Common))
	name := filepath.Join(projectsDir(data), r.Name()+"-")
	for root = name + hex.EncodeToString(sum[:4]); ; sum = sha256.Sum256(sum[:]) {
		was, err := readRepository(root)
		if err != nil || was.common == "" && was.identity == "" ||
			was.common == r.Common && !was.isReplaced() {
			return root, was
		}
		root = name + hex.EncodeToString(sum[:])
	}
}

func projectsDir(data string) string { return filepath.Join(data, "mem-projects") }

// Skipped is a .mem on the way that is not used.
type Skipped struct {
	Root      string
	Why       string
	Untrusted bool // only because nobody let it in
	// Marked is why nothing opens the store; nil for others.
	Marked *content.MarkedError
}

// Sites are the stores of one call. One is nil, or the others are.
type Sites struct {
	One     *Site // of --root or MEM_ROOT, or the chosen layer
	User    *Site // nil without a home directory
	Project *Site // nil outside of every project
	// Served is in the place of Project where its memories are behind a server, over HTTP: nothing
	// on this machine opens them. At the server One has them, and Served the project's name.
	Served  *Site
	Skipped []Skipped
	// Aside is the layer that a mem marked beside its log, where there is another one: nothing
	// opens it. As Project it stays, for what belongs there goes nowhere else; as User it does not.
	Aside *Site
	Book  *Book
	// Home is the user's store, in use or not; "" without a home directory.
	Home string
	// Projects is the directory of the repositories' stores; "" without a home directory.
	Projects string
}

// Name returns the name of the project, as Site.Name does; "" without one.
func (s *Sites) Name() string {
	for _, site := range append(s.List(), s.Served, s.Aside) {
		if site != nil && site.Name() != "" {
			return site.Name()
		}
	}
	return ""
}

// RecordedAs returns the name under which the user's store records what conversations were given
// from another store; "" where it has no record of it.
func (s *Sites) RecordedAs(one *Site) string {
	if one.Layer == Project || s.Home == "" {
		return one.Name()
	}
	if IsRemote(one.Root) {
		others, _ := s.OtherStores() // what cannot be listed is not known
		i := slices.IndexFunc(others, func(o *Site) bool { return o.Remote == one.Root })
		if i < 0 {
			return ""
		}
		return others[i].Name()
	}
	switch root := realDir(one.Root); {
	case filepath.Base(root) == DotDir:
		return (&Site{Root: root, Dot: true}).Name()
	case filepath.Dir(root) == realDir(projectsDir(filepath.Dir(s.Home))):
		return filepath.Base(root)
	}
	return ""
}

// SiteAt returns a .mem as the project's store that it would be, if it were let in.
func (s *Sites) SiteAt(root string) *Site {
	site := &Site{Layer: Project, Root: root, Dot: true, Why: "a .mem"}
	site.findRepo()
	site.Remote, _ = readRemote(root) // what cannot be read is not used
	return site
}

// findRepo finds the repository that a .mem lies in, or is itself. Where that is another system's,
// or cannot be looked at, the one found has no path, and may track anything.
func (s *Site) findRepo() {
	r, ok, err := RepoAt(s.Root)
	if !ok {
		r, ok, err = FindRepo(filepath.Dir(s.Root))
	}
	if isInOther(s.Root, r.WorkTree) {
		s.Repo = &Repo{}
	} else if ok || err != nil {
		s.Repo = &r
	}
}

// OnlyLayer returns the sites with one layer chosen: it is read alone, and everything is written to
// it. ok is false where there is no such layer.
func (s Sites) OnlyLayer(name string) (only Sites, ok bool) {
	for _, site := range append(s.List(), s.Served, s.Aside) {
		if site != nil && site.Layer == name {
			s.One, s.Project, s.User, s.Served, s.Aside = site, nil, nil, nil, nil
			return s, true
		}
	}
	return s, false
}

// List returns the stores that are read, that of the project first.
func (s *Sites) List() (list []*Site) {
	for _, site := range []*Site{s.One, s.Project, s.User} {
		if site != nil && site != s.Aside {
			list = append(list, site)
		}
	}
	return list
}

// setAside leaves a layer that was marked beside its log to the other one.
func (s *Sites) setAside() {
	if s.User == nil || s.Project == nil {
		return
	}
	for _, one := range s.List() {
		if _, err := os.Lstat(filepath.Join(one.Root, content.MarksFile)); err != nil {
			continue
		}
		if s.Aside = one; one == s.User {
			s.User = nil
		}
		marked := &content.MarkedError{Root: one.Root}
		s.Skipped = append(s.Skipped, Skipped{Root: one.Root, Why: marked.Why(), Marked: marked})
		return
	}
}

// Repositories returns the stores of all repositories beside the user's, by name.
func (s *Sites) Repositories() (list []*Site, err error) {
	entries, err := os.ReadDir(s.Projects)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if entry.IsDir() && entry.Name()[0] != '.' {
			root := filepath.Join(s.Projects, entry.Name())
			list = append(list, &Site{Layer: Project, Root: root})
		}
	}
	return list, err
}

// OtherStores returns the stores of this person that may be read besides those in use: of
// repositories, and each .mem that was let in, but for those behind a server over HTTP. Some may be
// in use all the same.
func (s *Sites) OtherStores() (list []*Site, err error) {
	if list, err = s.Repositories(); err != nil {
		return nil, err
	}
	granted, err := s.Book.List()
	for _, entry := range granted {
		if entry.Err != nil {
			continue // an untrusted store is not read
		}
		site := s.SiteAt(entry.Path)
		if grant, ok, err := s.Book.Look(entry.Path); ok && err == nil && !IsServed(site.Remote) {
			site.Grant = &grant
			list = append(list, site)
		}
	}
	return list, err
}

// PathWithin returns the path of a file relative to a folder, which is a real path; ok is false for
// one outside of it. The file need not exist, and its path may lead through symbolic links.
func PathWithin(folder, file string) (name string, ok bool) {
	name, err := filepath.Rel(folder, file)
	if err == nil && filepath.IsLocal(name) {
		return name, true
	}
	dir, rest := filepath.Dir(file), filepath.Base(file)
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			name, err = filepath.Rel(folder, filepath.Join(real, rest))
			return name, err == nil && filepath.IsLocal(name)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", false
		}
		dir, rest = above, filepath.Join(filepath.Base(dir), rest)
	}
}
