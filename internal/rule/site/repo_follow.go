package site

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
)

// maxLink is what a file that holds a path may have.
const maxLink = 64 << 10

// readGitFile returns the absolute path in the .git file of a work tree, if git wrote it.
func readGitFile(tree string) (path string, ok bool) {
	text, err := readText(tree, ".git", maxLink)
	path, ok = strings.CutPrefix(text, "gitdir: ")
	if err != nil || !ok || path == "" {
		return "", false
	}
	return join(tree, path), true
}

// readText returns the content of a small plain file, without the line ends that close it. It
// refuses NUL, which no path has.
func readText(dir, name string, limit int64) (string, error) {
	d, err := disk.Open(dir)
	if err != nil {
		return "", err
	}
	defer d.Close()
	text, err := d.ReadFile(name, limit)
	if err == nil && bytes.IndexByte(text, 0) >= 0 {
		err = &fs.PathError{Op: "read", Path: d.Join(name), Err: errors.New("NUL in a text")}
	}
	return strings.TrimRight(string(text), "\r\n"), err
}

// join returns a path as git writes it, which is absolute or begins at dir.
func join(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	// Not joined: the kernel is to follow a link before it goes up.
	return dir + string(filepath.Separator) + path
}

// follow returns the repository to whose git directory the .git of a work tree leads. ok is false
// if that is none, or one that does not know of the work tree.
func follow(tree, to string) (r Repo, ok bool) {
	git, err := realPath(to)
	if err != nil || !hasHead(git) {
		return Repo{}, false
	}
	shared, err := readText(git, "commondir", maxLink)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Repo{WorkTree: tree, GitDir: git, Common: git}, belongs(git, tree)
	case err != nil:
		return Repo{}, false
	}
	common, err := realPath(join(git, shared))
	if err != nil || !hasHead(common) || filepath.Dir(git) != filepath.Join(common, "worktrees") {
		return Repo{}, false
	}
	return Repo{WorkTree: tree, GitDir: git, Common: common}, pointsBack(git, tree)
}

// pointsBack reports whether the git directory of a linked worktree names the .git of this one.
// Only the path above the .git may have links: the .git itself could be one to that of the
// worktree.
func pointsBack(git, tree string) bool {
	text, err := readText(git, "gitdir", maxLink)
	back := join(git, text)
	if err != nil || filepath.Base(back) != ".git" {
		return false
	}
	to, err := realPath(filepath.Dir(back))
	return err == nil && to == tree
}

// belongs reports whether a git directory that is no linked worktree's can be that of a work tree
// which it is not in. See the package comment for what it is to say.
func belongs(git, tree string) bool {
	conf, err := readConfig(git)
	if err != nil {
		return false
	}
	if conf.worktree != "" {
		to, err := realPath(join(git, conf.worktree))
		return err == nil && to == tree
	}
	names := strings.Split(filepath.ToSlash(git), "/")
	return !slices.Contains(names, ".git") && (!conf.bare || isBelow(git, tree))
}

// isBelow reports whether a path is below a directory; both are clean.
func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}
