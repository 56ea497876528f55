package site

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/internal/base/disk"
)

// The ignore files of a .mem.
const (
	ignoreFile = ".gitignore"

	// ignoreAll makes git ignore the whole directory, this file too.
	ignoreAll = "# These memories belong to one machine; mem init --shared shares them.\n*\n"

	// ignoreDerived ignores derived files and those that would show the users of this store.
	ignoreDerived = `# Tracked: what others need. All else here is made from it, or is of this machine alone.
*
!.gitignore
!.gitattributes
!README.md
!log.jsonl
!archive/
!archive/*.jsonl
`
	// mergeLines lets git take the lines of both sides: the order of lines does not matter to mem.
	mergeLines = `log.jsonl -text merge=union
archive/*.jsonl -text merge=union
README.md merge=union
`
)

// InitialFiles returns the names of what mem init puts into a .mem before there is a store.
func InitialFiles() []string { return []string{SharedMark, ignoreFile, "id"} }

// IsBare reports whether a .mem holds no store: it was made, and then something failed.
func IsBare(root string) bool {
	for _, name := range []string{"log.jsonl", "state.jsonl", "archive", "index",
		"artifacts"} {
		if _, err := os.Lstat(filepath.Join(root, name)); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// Ignore makes git ignore a .mem that has no .gitignore and in which git tracks nothing, as an
// earlier build left it.
func (s *Site) Ignore() error {
	if !s.InRepository() || s.Repo.Common == "" || isFile(filepath.Join(s.Root, ignoreFile)) {
		return nil
	}
	switch tracked, err := s.Repo.Tracks(s.Root); {
	case errors.Is(err, ErrDisowned):
		return nil // no repository that git would know here has an index
	case tracked || err != nil:
		return err
	}
	return WriteGitFiles(s.Root, false)
}

// WriteGitFiles writes into a .mem what git is to do with it: to ignore it, or with shared to track
// its log and to merge what several people wrote. A crash leaves the old files or the new ones, or
// with shared the old .gitignore beside the new .gitattributes: then git ignores it still.
func WriteGitFiles(root string, shared bool) error {
	dir, err := disk.Open(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if shared {
		if err := dir.WriteFile(SharedMark, []byte(mergeLines)); err != nil {
			return err
		}
		return dir.WriteFile(ignoreFile, []byte(ignoreDerived))
	}
	if err := dir.WriteFile(ignoreFile, []byte(ignoreAll)); err != nil {
		return err
	}
	// A crash before this leaves rules for a merge that nothing comes to.
	return disk.IgnoreNotExist(dir.Remove(SharedMark))
}
