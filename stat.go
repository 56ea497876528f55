package mem

import (
	"cmp"
	"context"
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
	Oldest     string      `json:"oldest,omitempty"` // time of the oldest live memory
	Newest     string      `json:"newest,omitempty"` // ts of the newest write
	Damaged    int         `json:"damaged"`          // lines that were left out
	Namespaces []Namespace `json:"namespaces"`       // the fullest first

	Folded bool `json:"-"` // there is a state, and there are archives
}

// Namespace counts the live memories below one first segment.
type Namespace struct {
	Prefix string `json:"prefix"`
	Live   int    `json:"live"`
}

// topNamespaces is how many Stat lists.
const topNamespaces = 10

// Stat counts.
func (s *Store) Stat(ctx context.Context, c Caller) (st Stat, err error) {
	st = Stat{Root: s.Path(), Namespaces: []Namespace{}}
	v, err := s.backend.Snapshot(ctx) // Damaged says what a warning would
	if err != nil {
		return st, err
	}
	defer v.Close()
	if err := st.count(ctx, v, c, s.opts.stamp(c)); err != nil {
		return st, err
	}
	st.Damaged = len(v.Damaged())
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
	spaces := map[string]int{}
	oldest, newest := log.MaxStamp, log.MinStamp
	for rec, err := range v.Below(ctx, keypath.Prefix{}) {
		if err != nil {
			return err
		}
		switch {
		case content.Expired(rec.Content, now):
			st.Expired++
		case !policy.Permits(c, rec.Key):
			st.Private++
		case !policy.Visible(c, rec.Key, content.Fields{}):
			st.Untrusted++
		default:
			st.Live++
			oldest = min(oldest, content.TimeOf(rec.Content, rec.TS))
			spaces[firstSegment(rec.Key)]++
		}
		newest = max(newest, rec.TS)
	}
	if st.Live > 0 {
		st.Oldest = oldest.String()
	}
	if newest = max(newest, v.Newest()); newest > log.MinStamp {
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

// Examine returns how the store is, as far as milliseconds tell.
func (s *Store) Examine(ctx context.Context) []backend.Remark {
	if u, ok := s.backend.(backend.Upkeep); ok {
		return u.Examine(ctx)
	}
	return nil
}

// Mark returns a text that is another one after each write to a store of files, and after each
// compaction: what was counted before may have changed. It is "" where that is not known.
func (s *Store) Mark() (string, error) {
	if r := s.rooted(); r != nil {
		return r.Mark()
	}
	return "", nil
}
