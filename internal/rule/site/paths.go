package site

import (
	"os"
	"path/filepath"
	"strings"
)

// WholePath returns the whole path of a root, as far as it can be known.
func WholePath(root string) string {
	if path, err := Absolute(root); err == nil {
		return path
	}
	return root
}

// Worktree returns the directory that people know a repository by.
func Worktree(common string) string {
	return strings.TrimSuffix(common, string(filepath.Separator)+".git")
}

// IsGone reports whether nothing is at a path.
func IsGone(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}
