package inbox

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
)

// Scrub removes the lines and proposals with a string that drop selects, and counts them.
func (b *Inbox) Scrub(drop func(text string) bool) (n int, err error) {
	for _, sub := range [...]string{"sessions", "proposals"} {
		err := b.each(sub, func(dir *disk.Dir, name string) error {
			text, err := dir.ReadFile(name, 2*maxJournal)
			if err != nil {
				return err
			}
			var rest []byte
			for line := range strings.Lines(string(text)) {
				if !json.Valid([]byte(line)) { // torn, and of no use
					continue
				}
				if Holds([]byte(line), drop) {
					n++
				} else {
					rest = append(rest, line...)
				}
			}
			switch {
			case len(rest) == len(text):
				return nil
			case len(rest) == 0 || isHeaderless(rest):
				// After a crash the file is there, and the purge is not reported as done.
				return disk.IgnoreNotExist(dir.Remove(name))
			}
			return dir.WriteFile(name, rest)
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// isHeaderless reports whether the first line of a journal is gone.
func isHeaderless(text []byte) bool {
	_, ok := parseJournal(text)
	return !ok
}

// Holds reports whether a string in a line is selected.
func Holds(line []byte, selects func(text string) bool) bool {
	var value any
	return json.Unmarshal(line, &value) == nil && holds(value, selects)
}

func holds(value any, selects func(text string) bool) bool {
	switch v := value.(type) {
	case string:
		return selects(v)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return holds(e, selects) })
	case map[string]any:
		for _, e := range v {
			if holds(e, selects) {
				return true
			}
		}
	}
	return false
}

// Each calls fn with the path of each file and its lines.
func (b *Inbox) Each(fn func(path string, line []byte)) error {
	for _, sub := range [...]string{"sessions", "proposals"} {
		err := b.each(sub, func(dir *disk.Dir, name string) error {
			text, err := dir.ReadFile(name, 2*maxJournal)
			for line := range strings.Lines(string(text)) {
				fn(dir.Join(name), []byte(line))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls fn with each file of a directory; one that another process has removed is no error,
// nor one that no inbox made.
func (b *Inbox) each(sub string, fn func(dir *disk.Dir, name string) error) error {
	dir, err := b.open(sub, false)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	names, err := dir.Names(".")
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		err := disk.IgnoreNotExist(fn(dir, name))
		if errors.Is(err, disk.ErrLarger) { // no process of mem made it so large
			err = disk.IgnoreNotExist(dir.Remove(name))
		}
		if err != nil && !errors.Is(err, disk.ErrIrregular) {
			return err
		}
	}
	return nil
}
