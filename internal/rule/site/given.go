package site

import (
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
)

// givenFile is a file in a shared .mem that git does not track: the highest number that a note got
// there. The log forgets it when git goes back to a branch without that note.
const givenFile = "given"

// LastNoteNumber returns the highest number of a note in this copy; 0 if not known.
func (s *Site) LastNoteNumber() int64 {
	dir, err := disk.Open(s.Root)
	if err != nil {
		return 0
	}
	defer dir.Close()
	text, err := dir.ReadFile(givenFile, 32) // no link, no fifo: git can make links
	if err != nil {
		return 0
	}
	n, ok := keypath.ParseNumber(strings.TrimSuffix(string(text), "\n"))
	if !ok {
		return 0
	}
	return n
}

// Give keeps a number as given. A crash before leaves the lower one: the number is given again only
// if git then takes its note away.
func (s *Site) Give(n int64) error {
	if n <= s.LastNoteNumber() {
		return nil
	}
	dir, err := disk.Open(s.Root)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.WriteFile(givenFile, []byte(strconv.FormatInt(n, 10)+"\n"))
}
