package log

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
)

// Archives lists the older segments below the root, oldest first.
func Archives(dir *disk.Dir) ([]string, error) {
	entries, err := dir.ReadDir(ArchiveDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl") && !disk.IsTemp(e.Name()) {
			names = append(names, ArchiveDir+"/"+e.Name())
		}
	}
	slices.SortFunc(names, CompareFiles)
	return names, nil
}

// CompareFiles orders the files of a history by age: archives by their time, and those of the same
// second by the number behind it, before the live log.
func CompareFiles(a, b string) int {
	stemA, numberA := cutNumber(a)
	stemB, numberB := cutNumber(b)
	return cmp.Or(strings.Compare(stemA, stemB), cmp.Compare(numberA, numberB),
		strings.Compare(a, b))
}

// cutNumber takes off the name of an archive what ArchiveName has added to its time.
func cutNumber(name string) (stem string, number int) {
	stem = strings.TrimSuffix(name, ".jsonl")
	if i := strings.LastIndexByte(stem, '-'); i >= 0 {
		if n, err := strconv.Atoi(stem[i+1:]); err == nil {
			return stem[:i], n
		}
	}
	return stem, 1
}

const archiveTime = "20060102T150405Z" // in the names of archives

// ArchivedAt returns when an archive was made, by its name; MinStamp where that does not say.
func ArchivedAt(name string) Stamp {
	stem, found := strings.CutPrefix(name, ArchiveDir+"/log_")
	if !found || len(stem) < len(archiveTime) {
		return MinStamp
	}
	t, err := time.Parse(archiveTime, stem[:len(archiveTime)])
	if err != nil {
		return MinStamp
	}
	return StampOf(t)
}

// ArchiveName returns a free name for a segment that is archived at t: a second one in the same
// second gets a number. The name of an archive that is not at hand is not free: taken knows them.
func ArchiveName(dir *disk.Dir, t time.Time, taken func(name string) bool) (string, error) {
	stem := t.UTC().Format(archiveTime)
	return freeName(dir, func(n int) string {
		for ; ; n++ {
			name := ArchiveDir + "/log_" + stem + numbered(n) + ".jsonl"
			if !taken(name) {
				return name
			}
		}
	})
}
