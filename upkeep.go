package mem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

type (
	// CompactOptions are the options of a compaction.
	CompactOptions = backend.CompactOptions
	// CompactReport is what a compaction did or, in a dry run, would do.
	CompactReport = backend.CompactReport
	// FsckOptions say how findings are repaired.
	FsckOptions = backend.CheckOptions
	// FsckReport has the findings, and those that remain after a repair.
	FsckReport = backend.CheckReport
	// Loss is what a history has lost with an archive that no backup has.
	Loss = backend.Loss
)

// Compact folds the log into state.jsonl and moves a long log away to archive/.
// Readers and writers go on meanwhile. A store on a server folds this machine's copy of it.
func (s *Store) Compact(ctx context.Context, c Caller, o CompactOptions) (
	rep CompactReport, err error) {
	u, ok := s.backend.(backend.Upkeep)
	if !ok {
		return CompactReport{Why: "there is no store yet"}, nil
	}
	conf, err := s.Config(ctx)
	if err != nil {
		return rep, err
	}
	op := s.newOperation(c, policy.Compact)
	c.Now, o.Limits = s.opts.stamp(c), conf.Rotate
	rep, err = u.Compact(ctx, c, o)
	if !o.DryRun {
		newest := readRecord{rep.Newest.Key.String(), rep.Newest.TS, rep.Newest.Source,
			!rep.Newest.Valid()}
		op.read(rep.Keys, newest, err)
	}
	return rep, err
}

// IsCold reports whether a store has a long history and nothing to answer from but that: a
// compaction makes every read faster then, and there is no hurry else.
func (s *Store) IsCold() bool {
	r := s.rooted()
	return r != nil && r.IsCold()
}

// CatchUp makes index and watermark follow the log, as the next write would.
func (s *Store) CatchUp(ctx context.Context, c Caller) error {
	if !s.Exists() {
		return nil
	}
	return s.backend.Update(ctx, c, "settle", func(backend.Tx) error { return nil })
}

// Fsck checks the invariants of the store; see fsck.Checks. Without options it changes nothing. It
// checks without the lock first, and then checks with it what seems wrong, so writers can continue
// and are never mistaken for damage.
func (s *Store) Fsck(ctx context.Context, c Caller, o FsckOptions) (rep FsckReport, err error) {
	if u, ok := s.backend.(backend.Upkeep); ok {
		op, failed := s.Begin(c, checkVerb(o))
		if failed != nil {
			return rep, failed
		}
		if o.AcceptLoss != "" && s.rooted() == nil {
			return rep, fmt.Errorf("%s: %w: this store keeps no files", o.AcceptLoss,
				fsck.ErrNoLoss)
		}
		c.Now = s.opts.stamp(c)
		o.Take = func(e backend.Edit) (bool, error) { return op.take(ctx, e) }
		rep, err = u.Check(ctx, c, o)
		op.Done(len(rep.Found), err)
	}
	rep.Found, rep.Left = mask(rep.Found), mask(rep.Left)
	rep.Adopted = append([]string{}, rep.Adopted...)
	return rep, err
}

func checkVerb(o FsckOptions) policy.Verb {
	switch {
	case o.AcceptLoss != "":
		return policy.GiveUp
	case o.Adopt: // which asks more of its caller than the others do
		return policy.Adopt
	case o.TrustClock:
		return policy.Redate
	case o.Repair:
		return policy.Repair
	}
	return policy.Fsck
}

// mask returns findings without the secrets that they quote from damaged lines.
func mask(found []backend.Finding) []backend.Finding {
	masked := append([]backend.Finding{}, found...)
	for i := range masked {
		masked[i].Detail = MaskSecrets(masked[i].Detail)
	}
	return masked
}

// take stores a hand edit as a write whose source is a user with an editor, and reports
// whether it did: an edit that the rules refuse gets a warning.
func (op *Operation) take(ctx context.Context, e backend.Edit) (bool, error) {
	source := op.Source("user", "editor", "file", e.File)
	p, err := op.Check(ctx, Write{Key: e.Key, Content: e.Content, Source: source}, false)
	if err != nil && !disk.Failed(err) {
		op.store.opts.Warn(fmt.Sprintf("%s: cannot be adopted: %s", e.File, err))
		return false, nil
	}
	if err == nil {
		_, err = op.update(ctx, func(t *Tx) error { return t.Put(p) })
	}
	return err == nil, err
}

// Blob has the bytes of one SHA-256.
type Blob = backend.Blob

// PutBlob keeps the bytes that r has, whatever they are, for an artifact whose record is written
// afterwards. Within that write the view asks [Store.OpenBlob] whether they are still there, and
// puts them again if not: a purge may have taken them away in between. Neither takes a lock. The
// error wraps ErrInput where the store keeps no files, backend.ErrTooLarge for more than limit
// bytes, and union.ErrReadOnly for several stores that are read together.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, limit int64) (Blob, error) {
	if s.members != nil {
		return Blob{}, fmt.Errorf("artifact: %w", union.ErrReadOnly)
	}
	b, err := s.blobs()
	if err != nil {
		return Blob{}, err
	}
	return b.PutBlob(ctx, r, limit)
}

// OpenBlob returns the bytes of a SHA-256, from the first of several stores that are read together
// which has them. The error wraps ErrInput for a text that is not a SHA-256 or where the store
// keeps no files, fs.ErrNotExist where there are no such bytes, and backend.ErrDamaged where what
// is kept under the name are others: these are never returned.
func (s *Store) OpenBlob(ctx context.Context, sum string) (io.ReadSeekCloser, error) {
	if s.members != nil {
		return openFirst(ctx, s.members, sum)
	}
	b, err := s.blobs()
	if err != nil {
		return nil, err
	}
	f, err := b.OpenBlob(ctx, sum)
	if errors.Is(err, backend.ErrSum) {
		err = fmt.Errorf("%w: %w", ErrInput, err)
	}
	return f, err
}

// openFirst asks each of several stores. A fault in one of them matters only where no other has the
// bytes.
func openFirst(ctx context.Context, members []LayerMember, sum string) (
	io.ReadSeekCloser, error) {
	var err error
	for _, m := range members {
		f, failed := m.Store.OpenBlob(ctx, sum)
		if failed == nil {
			return f, nil
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = failed
		}
	}
	return nil, err
}

func (s *Store) blobs() (backend.Blobs, error) {
	if b, ok := s.backend.(backend.Blobs); ok {
		return b, nil
	}
	return nil, fmt.Errorf("%w: this store keeps no files of artifacts", ErrInput)
}

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
		case !policy.Visible(c, rec.Key, content.Fields{}):
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

// Mark returns a text that is another one after each write to a store of files, and after each
// compaction: earlier counts may be stale. It is "" where that is not known.
func (s *Store) Mark() (string, error) {
	if r := s.rooted(); r != nil {
		return r.Mark()
	}
	return "", nil
}
