package mem

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/internal/store/upkeep"
	"github.com/set-memory/mem/keypath"
)

// Open opens the store below path, or at a URL. One of files need not exist: it then reads as
// empty, and the first write makes it.
func Open(path string, o Options) (*Store, error) {
	s := &Store{opts: o.Complete()}
	if site.IsRemote(path) {
		return s.connect(path)
	}
	files := upkeep.Options{Progress: s.opts.Progress, Options: filestore.Options{
		Now: s.opts.Now, LockWait: s.opts.LockWait, Create: s.opts.fill, Debug: s.opts.Debug,
		Warn: s.opts.Warn, Program: s.opts.Program, Shared: s.opts.Shared,
		Log: s.opts.Log, Clock: s.opts.clock,
	}}
	files.Config = func(ctx context.Context) error { _, err := s.Config(ctx); return err }
	if s.opts.OnCompactionDue != nil {
		files.Due = s.onDue
	}
	kept, err := upkeep.Open(path, files)
	if err != nil {
		return nil, err
	}
	s.backend = kept
	return s, nil
}

func (s *Store) connect(url string) (*Store, error) {
	if s.opts.Connect == nil {
		return nil, fmt.Errorf("%w: a store on a server needs memd", ErrInput)
	}
	return s.opts.Connect(url, s.opts)
}

// New returns a store over a backend of another kind than files.
func New(b backend.Backend, o Options) *Store { return &Store{backend: b, opts: o.Complete()} }

// NewMemory returns a store that keeps its bytes in memory alone: for tests, and for programs that
// need no file. Nothing of it outlives the process.
func NewMemory() *Store {
	o := Options{}.Complete()
	return New(memstore.New(o.Now), o)
}

// For returns the store for one caller, with a clock and a place for warnings of their own, and
// Options.Belongs. Both share what they keep, and are closed once.
func (s *Store) For(now func() time.Time, warn func(msg string),
	belongs func(keypath.Key) error) *Store {
	o := s.opts
	o.Now, o.Warn, o.Belongs = now, warn, belongs
	conf, version := s.knownConfig()
	return &Store{backend: s.backend, opts: o.Complete(), members: s.members, conf: conf,
		version: version}
}

// onDue calls OnCompactionDue where the configuration lets compactions begin by themselves.
func (s *Store) onDue() {
	if conf, err := s.Config(context.Background()); err == nil && conf.AutoCompact {
		s.opts.OnCompactionDue()
	}
}

// fill writes the README of a new root, and which repository it is for, unless a record was there
// before. A crash leaves none or one of them, and perhaps a temporary file; the next write makes up
// for a missing README.
func (o Options) fill(dir *disk.Dir) error {
	if _, err := dir.Lstat(site.RepositoryFile); o.Repository != "" && err != nil {
		text := site.RepositoryText(o.Repository)
		if err := dir.WriteFile(site.RepositoryFile, text); err != nil {
			return err
		}
	}
	return dir.WriteBytesSync(filestore.ReadmeFile, []byte(readmeRoot))
}

// readmeRoot explains a root to a person that finds it. It is written once and never touched again.
//
//go:embed readme_root.md
var readmeRoot string

// Surrounds reports whether another store is this one, or lies in it, however both are named.
func (s *Store) Surrounds(ctx context.Context, o *Store) (bool, error) {
	mine, served := s.backend.(backend.Identified)
	its, both := o.backend.(backend.Identified)
	switch {
	case s == o:
		return true, nil
	case served && both:
		one, err := mine.Identity(ctx)
		if err != nil {
			return false, err
		}
		other, err := its.Identity(ctx)
		return one == other, err
	case s.rooted() == nil || o.rooted() == nil:
		return false, nil
	}
	return disk.IsWithin(s.Path(), o.Path())
}

// Exists reports whether the store was made; of several that are read together, any of them.
func (s *Store) Exists() bool {
	if s.members != nil {
		return anyExists(s.members)
	}
	r := s.rooted()
	return r == nil || r.Exists()
}

// anyExists reports whether one of the stores was made.
func anyExists(members []LayerMember) bool {
	return slices.ContainsFunc(members, func(m LayerMember) bool { return m.Store.Exists() })
}

// LogFault says that acknowledged lines of the log are gone, as far as the last read has met it, so
// that memories are missing; else "".
func (s *Store) LogFault() (fault string) {
	for _, m := range s.members {
		fault = cmp.Or(fault, m.Store.LogFault())
	}
	if r := s.rooted(); r != nil {
		fault = r.LogFault()
	}
	return fault
}

// Create makes the root, with the README that explains it, where absent. It reports whether
// it made it.
func (s *Store) Create() (bool, error) {
	if r := s.rooted(); r != nil {
		return r.Create()
	}
	return false, nil
}

// FilePath returns where a key's index file is, or would be; "" where the store keeps no files.
func (s *Store) FilePath(key keypath.Key) string {
	if r := s.rooted(); r != nil && !s.opts.Elsewhere {
		return r.FilePath(key)
	}
	return ""
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
