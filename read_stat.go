package mem

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Stat is a store in numbers.
type Stat struct {
	Root       string      `json:"root"`
	Live       int         `json:"live"`              // memories that a read may see
	Expired    int         `json:"expired"`           // live, but past their time
	Untrusted  int         `json:"untrusted"`         // quarantined, waiting for approve or reject
	Private    int         `json:"private,omitempty"` // live, but kept by other agents for themselves
	LogLines   int         `json:"log_lines"`         // of log.jsonl, or of all there is on a server
	LogBytes   int64       `json:"log_bytes"`         // likewise
	StateBytes int64       `json:"state_bytes"`
	Archives   int         `json:"archives"` // segments in archive/
	ArchBytes  int64       `json:"archive_bytes"`
	Artifacts  int         `json:"artifacts,omitempty"` // files in artifacts/
	BlobBytes  int64       `json:"artifact_bytes,omitempty"`
	Oldest     string      `json:"oldest,omitempty"`    // time of the oldest live memory
	Newest     string      `json:"newest,omitempty"`    // ts of the newest write
	Damaged    int         `json:"damaged"`             // lines that were left out
	LogFault   string      `json:"log_fault,omitempty"` // see [Store.LogFault]
	Namespaces []Namespace `json:"namespaces"`          // the fullest first
	Authors    []Author    `json:"authors"`             // likewise

	Folded bool `json:"-"` // there is a state, and there are archives
}

// Namespace counts the live memories below one first segment.
type Namespace struct {
	Prefix string `json:"prefix"`
	Live   int    `json:"live"`
}

// Author counts the live memories of one author: you, the name of an agent, or another kind of
// source.
type Author struct {
	Name string `json:"name"`
	Live int    `json:"live"`
}

// maxGroups is how many namespaces, and authors, Stat lists.
const maxGroups = 10

// Stat counts.
func (s *Store) Stat(ctx context.Context, c Caller) (st Stat, err error) {
	st = Stat{Root: s.Path(), Namespaces: []Namespace{}}
	v, err := s.snapshot(ctx)
	if err != nil {
		return st, err
	}
	defer v.Close()
	if err := st.count(ctx, v, c, s.opts.stamp(c)); err != nil {
		return st, err
	}
	st.Damaged, st.LogFault = len(v.Damaged()), s.LogFault()
	u, ok := s.backend.(backend.Upkeep)
	if !ok {
		return st, nil
	}
	z, err := u.Sizes(ctx)
	st.LogLines, st.LogBytes, st.StateBytes = z.LogLines, z.LogBytes, z.StateBytes
	st.Archives, st.ArchBytes, st.Folded = z.Archives, z.ArchiveBytes, z.Folded
	st.Artifacts, st.BlobBytes = z.Blobs, z.BlobBytes
	return st, err
}

func (st *Stat) count(ctx context.Context, v backend.Snapshot, c Caller, now log.Stamp) error {
	st.Authors = []Author{}
	spaces, authors := map[string]int{}, map[string]int{}
	oldest, newest := log.MaxStamp, log.MinStamp
	for rec, err := range v.ScanBelow(ctx, keypath.Prefix{}) {
		if err != nil {
			return err
		}
		switch {
		case content.Expired(rec.Content, now):
			st.Expired++
		case !policy.Permits(c, rec.Key):
			st.Private++
		case !policy.Visible(c, rec.Key):
			st.Untrusted++
		default:
			st.Live++
			oldest = min(oldest, content.TimeOf(rec.Content, rec.TS))
			spaces[firstSegment(rec.Key)]++
			authors[content.AuthorName(rec.Source)]++
		}
		newest = max(newest, rec.TS)
	}
	if st.Live > 0 {
		st.Oldest = oldest.String()
	}
	if newest = max(newest, v.Newest()); newest > log.MinStamp {
		st.Newest = newest.String()
	}
	for _, prefix := range fullest(spaces) {
		st.Namespaces = append(st.Namespaces, Namespace{prefix, spaces[prefix]})
	}
	for _, name := range fullest(authors) {
		st.Authors = append(st.Authors, Author{name, authors[name]})
	}
	return nil
}

// fullest returns the names with the highest counts, the highest first.
func fullest(counts map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return names[:min(len(names), maxGroups)]
}

func firstSegment(key keypath.Key) string {
	first, _, _ := strings.Cut(key.String()[1:], "/")
	return "/" + first
}

// Examine returns how the store is, as far as milliseconds tell.
func (s *Store) Examine(ctx context.Context) []backend.Remark {
	if u, ok := s.backend.(backend.Upkeep); ok {
		return u.Examine(ctx)
	}
	return nil
}

// IsCold reports whether a store has a long history and nothing to answer from but that: a
// compaction makes every read faster then, and there is no hurry else.
func (s *Store) IsCold() bool {
	r := s.rooted()
	return r != nil && r.IsCold()
}

// Mark returns a text that is another one after each write to a store of files, and after each
// compaction: earlier counts may be stale. It is "" where that is not known.
func (s *Store) Mark() (string, error) {
	if r := s.rooted(); r != nil {
		return r.Mark()
	}
	return "", nil
}
