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

// Remembered returns what [Sites.Matches] has found for the repository here on a day: the digits of
// the nearest store, or "". known is false where that was not asked yet, or where a record has
// changed since. shown is whether the person was shown one at a start, of that day.
func (s *Sites) Remembered(day string) (id string, shown, known bool) {
	dir, name := s.remembered()
	if name == "" {
		return "", false, false
	}
	d, err := disk.Open(dir)
	if err != nil {
		return "", false, false
	}
	defer d.Close()
	text, _ := d.ReadFile(name, maxRemembered) // what cannot be read is not known
	fields := strings.Split(strings.TrimSuffix(string(text), "\n"), " ")
	if len(fields) != 4 || fields[0] != day {
		return "", false, false
	}
	return fields[2], fields[3] == "shown", fields[1] == s.recordsStamp()
}

// Remember keeps what was found for the repository here on a day. Nothing is written where the
// state cannot be: then it is looked for again. A crash leaves the old file or the new one.
func (s *Sites) Remember(day, id string, shown bool) {
	dir, name := s.remembered()
	if name == "" || id == "" && s.isOnly() {
		return
	}
	d, err := disk.Create(dir)
	if err != nil {
		return
	}
	defer d.Close()
	word := "found"
	if shown {
		word = "shown"
	}
	_ = d.WriteFile(name, fmt.Appendf(nil, "%s %s %s %s\n", day, s.recordsStamp(), id, word))
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
