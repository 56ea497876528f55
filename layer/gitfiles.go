package layer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// What git is told about a .mem.
const (
	ignoreFile = ".gitignore"

	// ignoreAll makes git ignore the whole directory, this file too.
	ignoreAll = "# The memories here are of one machine; mem init --shared shares them.\n*\n"

	// ignoreDerived leaves git what cannot be made anew, and nothing that tells who wrote here.
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

// WriteGitFiles writes into a .mem what git is to do with it: to ignore it, or with shared to track
// its log and to merge what several people wrote. A crash leaves the old files or the new ones, or
// with shared the old .gitignore beside the new .gitattributes: then git ignores it still.
func WriteGitFiles(root string, shared bool) error {
	if !shared {
		err := replace(filepath.Join(root, ignoreFile), ignoreAll)
		if rerr := os.Remove(filepath.Join(root, SharedMark)); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr) // a crash before leaves rules that nothing needs
		}
		return err
	}
	if err := replace(filepath.Join(root, SharedMark), mergeLines); err != nil {
		return err
	}
	return replace(filepath.Join(root, ignoreFile), ignoreDerived)
}

// replace writes a small file that takes the place of the old one. A crash before the rename leaves
// the old one and a hidden draft.
func replace(path, text string) error {
	draft, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = draft.WriteString(text)
	err = errors.Join(err, draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		os.Remove(draft.Name())
	}
	return err
}
