package site

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Repo is a repository as seen from one of its work trees. All paths are real ones, without
// symbolic links.
type Repo struct {
	WorkTree string // the directory that has .git
	GitDir   string // its git directory; of a linked worktree its own
	// Common is the directory that all worktrees share: the identity of the repository. It is
	// GitDir where there is only one, and the path of the .git itself where that leads to a
	// repository which does not know of it.
	Common string
}

// FindRepo returns the repository of a directory: that of the nearest .git upward from its real
// path, up to the border of the file system. ok is false if there is none. The error is about a
// directory that cannot be looked at.
func FindRepo(dir string) (r Repo, ok bool, err error) {
	tree, err := realPath(dir)
	for err == nil {
		r, ok, err = repoAt(tree)
		above := filepath.Dir(tree)
		if ok || err != nil || above == tree {
			break
		}
		if here, _ := os.Stat(tree); isBorder(here, above) {
			break
		}
		tree = above
	}
	return r, ok, err
}

// RepoAt returns the repository whose .git is in dir itself. ok is false if there is none.
func RepoAt(dir string) (r Repo, ok bool, err error) {
	tree, err := realPath(dir)
	if err != nil {
		return Repo{}, false, err
	}
	return repoAt(tree)
}

// repoAt is RepoAt for a real path.
func repoAt(tree string) (r Repo, ok bool, err error) {
	mark := filepath.Join(tree, ".git")
	fi, err := os.Lstat(mark)
	if err != nil {
		return Repo{}, false, ignoreAbsent(err)
	}
	own := Repo{WorkTree: tree, GitDir: mark, Common: mark}
	var to string
	switch fi.Mode().Type() {
	case fs.ModeDir:
		return own, hasHead(mark), nil
	case fs.ModeSymlink:
		to = mark
		if fi, err = os.Stat(mark); err != nil || fi.IsDir() && !hasHead(mark) {
			return Repo{}, false, nil
		}
	case 0:
		if to, ok = readGitFile(tree); !ok {
			return Repo{}, false, nil
		}
	default:
		return Repo{}, false, nil
	}
	if r, ok := follow(tree, to); ok {
		return r, true, nil
	}
	return own, true, nil
}

// otherMarks are the names by which other systems, and git directories without a work tree around
// them, are recognized.
var otherMarks = []string{".jj", ".sl", ".hg", ".svn", ".bzr", ".fslckout", "_FOSSIL_", "_darcs",
	".pijul", "objects/pack"}

// isInOther reports whether a real path is in a repository whose tracked files are not known: of
// another system, at the path or above it up to top, or where top is "" of a git directory
// elsewhere, which only the variables of git name.
func isInOther(path, top string) bool {
	if git := os.Getenv("GIT_DIR"); git != "" && top == "" {
		tree := os.Getenv("GIT_WORK_TREE")
		if conf, _ := readConfig(git); tree == "" && conf.worktree != "" {
			tree = join(git, conf.worktree)
		}
		if tree, err := realPath(tree); err != nil || isBelow(path, tree) {
			return true
		}
	}
	for ; ; path = filepath.Dir(path) {
		if slices.ContainsFunc(otherMarks, func(mark string) bool {
			_, err := os.Lstat(filepath.Join(path, mark))
			return err == nil
		}) {
			return true
		}
		if path == top || path == filepath.Dir(path) {
			return false
		}
	}
}

// ignoreAbsent returns nil for an error that says that nothing has this path or that this user may
// not look there, and any other as it is.
func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// hasHead reports whether a directory has what every git directory has. It may be a link that leads
// nowhere, as long as there is no commit.
func hasHead(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil
}
