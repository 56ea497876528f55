package mem

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Stat is a store in numbers.
type Stat struct {
	Root       string      `json:"root"`
	Live       int         `json:"live"`      // memories that a read may see
	Expired    int         `json:"expired"`   // live, but their time is over
	Untrusted  int         `json:"untrusted"` // kept apart, waiting for approve or reject
	LogLines   int         `json:"log_lines"` // of log.jsonl
	LogBytes   int64       `json:"log_bytes"` // likewise
	StateBytes int64       `json:"state_bytes"`
	Archives   int         `json:"archives"` // segments in archive/
	ArchBytes  int64       `json:"archive_bytes"`
	Oldest     string      `json:"oldest,omitempty"` // ts of the oldest live memory
	Newest     string      `json:"newest,omitempty"` // ts of the newest write
	Damaged    int         `json:"damaged"`          // lines that were left out
	Namespaces []Namespace `json:"namespaces"`       // the fullest first
}

// Namespace counts the live memories below one first segment.
type Namespace struct {
	Prefix string `json:"prefix"`
	Live   int    `json:"live"`
}

// topNamespaces is how many Stat lists.
const topNamespaces = 10

// Stat counts.
func (s *Store) Stat() (st Stat, err error) {
	st = Stat{Root: s.path, Namespaces: []Namespace{}}
	v, err := s.view()
	if err != nil {
		return st, err
	}
	defer v.Close()
	if err := st.count(v, s.stamp()); err != nil {
		return st, err
	}
	st.LogLines, st.LogBytes, st.Damaged = v.Lines, v.Size(), len(v.Damaged)
	return st, st.measure(s)
}

func (st *Stat) count(v *compact.View, now log.Stamp) error {
	spaces := map[string]int{}
	oldest, newest := log.MaxStamp, log.MinStamp
	for rec, err := range v.Live() {
		if err != nil {
			return err
		}
		switch {
		case content.Expired(rec.Content, now):
			st.Expired++
		case rec.Key.Untrusted():
			st.Untrusted++
		default:
			st.Live++
			oldest = min(oldest, rec.TS)
			spaces[firstSegment(rec.Key)]++
		}
		newest = max(newest, rec.TS)
	}
	if st.Live > 0 {
		st.Oldest = oldest.String()
	}
	if newest = max(newest, v.MaxTS); newest > log.MinStamp {
		st.Newest = newest.String()
	}
	for prefix, n := range spaces {
		st.Namespaces = append(st.Namespaces, Namespace{prefix, n})
	}
	slices.SortFunc(st.Namespaces, func(a, b Namespace) int {
		return cmp.Or(cmp.Compare(b.Live, a.Live), cmp.Compare(a.Prefix, b.Prefix))
	})
	st.Namespaces = st.Namespaces[:min(len(st.Namespaces), topNamespaces)]
	return nil
}

func firstSegment(key keypath.Key) string {
	first, _, _ := strings.Cut(key.String()[1:], "/")
	return "/" + first
}

func (st *Stat) measure(s *Store) error {
	if s.root() == nil {
		return nil
	}
	var err error
	if _, st.StateBytes, err = s.sizeOf(compact.StateFile); err != nil {
		return err
	}
	names, err := log.Archives(s.root())
	if err != nil {
		return err
	}
	for _, name := range names {
		found, size, err := s.sizeOf(name)
		if err != nil {
			return err
		}
		if found {
			st.Archives++
			st.ArchBytes += size
		}
	}
	return nil
}

// sizeOf gives the size of a file that need not be there.
func (s *Store) sizeOf(name string) (found bool, size int64, err error) {
	fi, err := s.root().Lstat(name)
	if err != nil {
		if absent(err) {
			err = nil
		}
		return false, 0, err
	}
	return true, fi.Size(), nil
}

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
