package site

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/internal/base/disk"
)

// ErrNoHome is wrapped where no store can be named: there is no home directory, and nothing else
// says where the memory is.
var ErrNoHome = errors.New("there is no home directory")

// Find returns the stores for a working directory; "" is that of this process. root is the one that
// was named, or "".
func Find(root, dir string, getenv func(string) string) (Sites, error) {
	home, homeless := os.UserHomeDir()
	s, data := Sites{Book: OpenBook(getenv, home)}, DataHome(home, getenv)
	if data != "" {
		s.Home = filepath.Join(data, "mem")
	}
	switch named := getenv("MEM_ROOT"); {
	case root != "":
		s.One = s.Named(root, "--root")
		return s, nil
	case named != "":
		s.One = s.Named(named, "MEM_ROOT")
		return s, nil
	}
	if data != "" {
		s.User = &Site{Layer: User, Root: s.Home, Why: "the user's own"}
		s.Projects = projectsDir(data)
	}
	if real := realDir(dir); real != "" {
		if err := s.findProject(real, home, data, owners(getenv)); err != nil {
			return s, err
		}
	}
	s.setAside()
	if len(s.List()) == 0 {
		if homeless == nil {
			return s, fmt.Errorf("%w: HOME is no absolute path", ErrNoHome)
		}
		return s, fmt.Errorf("%w: %w", ErrNoHome, homeless)
	}
	return s, nil
}

// Named returns a store that is named, as by --root or MEM_ROOT. If it is a trusted .mem, lines
// written to it through its name are known to be this person's.
func (s *Sites) Named(root, why string) *Site {
	site := &Site{Root: root, Why: why}
	if s.Home != "" {
		site.data = resolved(filepath.Dir(s.Home))
	}
	if IsRemote(root) {
		return site
	}
	abs, err := filepath.Abs(root)
	if err != nil || filepath.Base(abs) != DotDir {
		return site
	}
	if grant, ok, err := s.Book.Look(abs); ok && err == nil {
		site.Grant = &grant
	}
	site.Elsewhere, _ = readRemote(abs) // for a warning alone
	return site
}

// DataHome returns the directory for what programs keep; "" if there is none.
func DataHome(home string, getenv func(string) string) string {
	if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return data
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "share")
}

// realDir returns the real path of a directory; "" if it is gone.
func realDir(dir string) string {
	if dir == "" {
		dir, _ = os.Getwd() // a directory that is gone has no project either
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return real
}

// findProject finds the project's store for a real directory. The error is one of the disk: what
// belongs into a .mem must not go elsewhere because the record of it could not be read.
func (s *Sites) findProject(dir, home, data string, believed func(uid int) bool) error {
	r, inRepo, err := FindRepo(dir)
	if inRepo = inRepo && err == nil; inRepo && isHome(r.WorkTree, home) {
		inRepo = false // a home directory in git, as for dotfiles, is no project
	}
	if s.Project, err = s.nearest(dir, home, believed); s.Project != nil || err != nil {
		if s.Project != nil && IsServed(s.Project.Remote) {
			s.Served, s.Project = s.Project, nil
		}
		return err
	}
	if inRepo && data != "" {
		s.Project = &Site{Layer: Project, Root: ownRoot(data, r), Repo: &r,
			Why: "of the repository " + r.WorkTree}
	}
	return nil
}

// nearest returns the nearest .mem upward that may be used, and notes the others.
func (s *Sites) nearest(dir, home string, believed func(uid int) bool) (*Site, error) {
	end, _ := os.Stat(home) // without a home only the file system ends the search
	here, err := os.Stat(dir)
	for ; ; here, err = os.Stat(dir) {
		site, err2 := s.consider(filepath.Join(dir, DotDir), believed)
		if site != nil || err2 != nil {
			return site, err2
		}
		parent := filepath.Dir(dir)
		if parent == dir || err == nil && os.SameFile(here, end) || isBorder(here, parent) {
			return nil, nil
		}
		dir = parent
	}
}

// consider returns a .mem as the project's store if it is there and may be used. A .mem of
// MEM_TRUST is used whatever its owner: in a container that is often another user.
func (s *Sites) consider(root string, believed func(uid int) bool) (*Site, error) {
	fi, err := os.Lstat(root)
	if err != nil {
		return nil, nil
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		if to, err := os.Stat(root); err == nil && to.IsDir() {
			s.Skipped = append(s.Skipped, Skipped{Root: root, Why: "it is a symbolic link"})
		}
		return nil, nil
	}
	if !fi.IsDir() || isTaken(root) {
		return nil, nil
	}
	grant, ok, err := s.Book.Look(root)
	if err != nil {
		return nil, err
	}
	uid, owned := disk.Owner(fi)
	switch {
	case owned && !believed(uid) && !grant.Whole:
		s.Skipped = append(s.Skipped, Skipped{Root: root,
			Why: fmt.Sprintf("it belongs to another user, of uid %d", uid)})
		return nil, nil
	case !ok:
		s.Skipped = append(s.Skipped, Skipped{Root: root,
			Why: "it is not trusted", Untrusted: true})
		return nil, nil
	}
	site := &Site{Layer: Project, Root: root, Dot: true, Grant: &grant,
		Why: "the nearest " + DotDir + " that is trusted"}
	site.findRepo()
	if skipped, err := s.useRemote(site); skipped != nil || err != nil {
		s.skip(skipped)
		return nil, err
	}
	if site.isLeftover() {
		s.Skipped = append(s.Skipped, Skipped{Root: root, Why: "git neither tracks nor ignores " +
			"it, as when a branch without a .mem leaves files behind"})
		return nil, nil
	}
	return site, nil
}

// skip notes a store that is not used.
func (s *Sites) skip(skipped *Skipped) {
	if skipped != nil {
		s.Skipped = append(s.Skipped, *skipped)
	}
}

// owners returns the function that reports whether files of a user are trusted: those of this user
// and root, and under sudo of the calling user, as with git.
func owners(getenv func(string) string) func(uid int) bool {
	me, caller := os.Geteuid(), getenv("SUDO_UID")
	return func(uid int) bool {
		return uid == me || uid == 0 || me == 0 && caller == fmt.Sprint(uid)
	}
}

// isBorder reports whether a directory and the one above it are on different file systems.
func isBorder(here fs.FileInfo, parent string) bool {
	above, err := os.Stat(parent)
	return here != nil && err == nil && disk.Device(here) != disk.Device(above)
}

func isHome(dir, home string) bool {
	a, err1 := os.Stat(dir)
	b, err2 := os.Stat(home)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

func isFile(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.Mode().IsRegular()
}
