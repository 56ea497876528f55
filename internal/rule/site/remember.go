package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
)

// maxRemembered is far above what such a file has.
const maxRemembered = 1 << 10

// Nearest is the nearest of [Sites.Matches] as it was found for the repository here on a day.
type Nearest struct {
	ID    string // the digits of the store; "" for none
	Shown bool   // the person was shown one at a start of that day, which is enough
	Fewer bool   // the store in use here has fewer memories, so each start shows it
}

// word returns the last field of a file, which says that of a store.
func (n Nearest) word() string {
	switch {
	case n.Fewer:
		return "fewer"
	case n.Shown:
		return "shown"
	}
	return "found"
}

// Remembered returns the nearest store of a day. known is false where none was looked for yet, or
// where a record has changed since.
func (s *Sites) Remembered(day string) (n Nearest, known bool) {
	dir, name := s.remembered()
	if name == "" {
		return n, false
	}
	d, err := disk.Open(dir)
	if err != nil {
		return n, false
	}
	defer d.Close()
	text, _ := d.ReadFile(name, maxRemembered) // what cannot be read is not known
	fields := strings.Split(strings.TrimSuffix(string(text), "\n"), " ")
	if len(fields) != 4 || fields[0] != day {
		return n, false
	}
	n = Nearest{fields[2], fields[3] == "shown", fields[3] == "fewer"}
	return n, fields[1] == s.recordsStamp()
}

// Remember keeps which store was found for the repository here on a day. Nothing is written where
// the state cannot be: then it is looked for again. A crash leaves the old file or the new one.
func (s *Sites) Remember(day string, n Nearest) {
	dir, name := s.remembered()
	if name == "" || n.ID == "" && s.isOnly() {
		return
	}
	d, err := disk.Create(dir)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.WriteFile(name, fmt.Appendf(nil, "%s %s %s %s\n", day, s.recordsStamp(), n.ID, n.word()))
}

// isOnly reports whether no other project has a store: to look again costs nothing, so nothing is
// left of it either.
func (s *Sites) isOnly() bool {
	entries, err := os.ReadDir(s.Projects)
	stores := 0
	for _, e := range entries {
		if e.IsDir() {
			stores++
		}
	}
	return err == nil && stores <= 1
}

// remembered returns the directory and the name of the file of the repository here; "" for none.
func (s *Sites) remembered() (dir, name string) {
	p := s.Project
	if s.Book == nil || s.Book.state == "" || p == nil || p.Dot || p.Repo == nil {
		return "", ""
	}
	sum := sha256.Sum256([]byte(p.Repo.Common + "\x00" + p.Root))
	return filepath.Join(s.Book.state, "matches"), hex.EncodeToString(sum[:16])
}

// recordsStamp distinguishes the records of all stores beside the user's from earlier ones: whoever
// changes one takes their lock, and signs it.
func (s *Sites) recordsStamp() string {
	fi, err := os.Stat(filepath.Join(s.Projects, recordsLock))
	if err != nil {
		return "0"
	}
	return fmt.Sprint(fi.ModTime().UnixNano())
}
