package site

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// turnFile holds the turn of the last write of a person to any of their stores, as a time and a
// newline. It lies among the stores of their repositories. A journal notes the turn of a write that
// differs from its time. The file is not synced: after a power cut without it the clock counts.
const turnFile = ".turn"

// Turn returns a time for a write which is later than that of every write before it, in all stores
// of this person: its own time, unless the clock went back. It is its own also where the file of
// turns cannot be read or written: that is right as long as the clock is.
func (s *Sites) Turn(at log.Stamp) log.Stamp {
	if s.Projects == "" {
		return at // a store that was named is alone, and its journal has the order
	}
	isBeside := s.Project != nil || s.One != nil // another store may be there, or comes
	dir, err := disk.Open(s.Projects)
	if isBeside && errors.Is(err, fs.ErrNotExist) {
		dir, err = disk.Create(s.Projects)
	}
	if err != nil {
		return at
	}
	defer dir.Close()
	text, err := dir.ReadFile(turnFile, int64(len(log.StampLayout)+1))
	if err == nil {
		if last, err := log.ParseTime(strings.TrimSuffix(string(text), "\n")); err == nil {
			at = max(at, last+1)
		}
	}
	// After a crash before the rename the last turn is given again, to the next write.
	_ = dir.WriteFile(turnFile, []byte(at.String()+"\n"))
	return at
}
