package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Options are the options of a store of files. Now must not be nil.
type Options struct {
	Now      func() time.Time          // what stamps are taken from
	LockWait time.Duration             // for the lock; 0 or less: not at all
	Create   func(dir *disk.Dir) error // called after a root was made, to fill it; may be nil
	Grown    func(before, after int64) // called with the log's size around an update; may be nil
	Debug    func(msg string)          // called with why a sidecar is not used; may be nil
	Warn     func(msg string)          // called with each repair, a line each; may be nil
	Program  string                    // how warnings name mem, like "mem --root DIR"; "": mem
	Log      *slog.Logger              // takes what happens; nil: nothing does
	Clock    func() time.Time          // measures waits, for Log; nil: they are 0
	Shared   bool                      // git replaces the log: see Git in the package comment
}

// Store is a memory in files, below one root. It is a backend.Backend, and may be used by several
// goroutines and by any number of processes.
type Store struct {
	path string // as it was given, for messages
	abs  string // the same wherever the process goes
	o    Options
	boot string

	mu     sync.Mutex
	opened *root // nil: it does not exist yet

	commits backend.Queue
	views   views
	fault   atomic.Value // of the log, a string, as the last read has met it
	many    manyCache
	counts  counts
	tallies tallies
}

var (
	_ backend.Backend    = (*Store)(nil)
	_ backend.Configurer = (*Store)(nil)
)

// root is an open directory, with the locker of its lock.
type root struct {
	*disk.Dir
	locker *log.Locker
	info   fs.FileInfo // of the directory, when it was opened
}

// Open opens the store below path. It need not exist: it then reads as empty, and the first update
// makes it.
func Open(path string, o Options) (*Store, error) {
	s := &Store{path: filepath.Clean(path), o: o, boot: disk.BootID()}
	if s.o.Log == nil {
		s.o.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	if s.abs, err = filepath.Abs(s.path); err != nil {
		s.abs = s.path
	}
	dir, err := disk.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		_, err = s.setRoot(dir)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// setRoot takes an open directory as the root.
func (s *Store) setRoot(dir *disk.Dir) (*root, error) {
	info, err := dir.Lstat(".")
	if err == nil {
		err = checkServed(dir)
	}
	if err == nil {
		err = checkUnmarked(dir)
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	s.opened = &root{Dir: dir, locker: log.NewLocker(dir), info: info}
	return s.opened, nil
}

// Close releases the store. Acknowledged writes are on disk already.
func (s *Store) Close() error {
	s.views.drop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened == nil {
		return nil
	}
	return s.opened.Close()
}

// Location returns the path of the root.
func (s *Store) Location() string { return s.path }

// Boot returns the boot id that the store uses.
func (s *Store) Boot() string { return s.boot }

func filesOf(s *Store, r *root) Files {
	return Files{Dir: r.Dir, Boot: s.boot, Shared: s.o.Shared, Program: s.o.Program,
		Now:    log.StampOf(s.o.Now()),
		faulty: func(fault string) { s.onFault(r.Dir, fault) }}
}

// onFault warns of a new fault of the log. What git has taken away is no fault.
func (s *Store) onFault(dir *disk.Dir, fault string) {
	if s.o.Shared {
		return
	}
	before, _ := s.fault.Swap(fault).(string)
	if fault != "" && fault != before && s.o.Warn != nil {
		s.o.Warn(dir.Path() + ": " + fault + ", so memories may be missing: " +
			cmp.Or(s.o.Program, "mem") + " doctor has the remedy")
	}
}

// LogFault says that acknowledged lines of the log are gone, as far as the last read has met it.
func (s *Store) LogFault() string {
	fault, _ := s.fault.Load().(string)
	return fault
}

// Exists reports whether the root is there.
func (s *Store) Exists() bool {
	r, err := s.root()
	return r != nil && err == nil
}

// Dir returns the open root; nil where there is none yet. It is the caller's until Close.
func (s *Store) Dir() (*disk.Dir, error) {
	r, err := s.root()
	if r == nil || err != nil {
		return nil, err
	}
	return r.Dir, nil
}

// root returns the root that is at the path now; nil where there is none.
func (s *Store) root() (*root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		now, err := os.Stat(s.abs)
		// Where the path cannot be examined, the open directory is as good as any: an update
		// looks again before it appends.
		if err != nil && !disk.IsNotExist(err) || err == nil && os.SameFile(now, s.opened.info) {
			return s.opened, nil
		}
		// Readers and updates that have opened the old directory continue with it.
		s.opened = nil
		s.views.drop()
	}
	dir, err := disk.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.setRoot(dir)
}

// ErrServed is returned for what holds the memories of a server's tenants.
var ErrServed = errors.New("it holds the memories of tenants, and is not a store itself")

// checkServed refuses the root of a server (package serve).
func checkServed(dir *disk.Dir) error {
	fi, err := dir.Lstat("tenants")
	if err != nil || !fi.IsDir() {
		return disk.IgnoreNotExist(err)
	}
	for _, name := range [...]string{"tokens.lock", "memd.sock.lock"} {
		switch _, err := dir.Lstat(name); {
		case err == nil:
			return fmt.Errorf("%s: %w", dir.Path(), ErrServed)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// checkUnmarked refuses the root of a mem that marked lines beside the log.
func checkUnmarked(dir *disk.Dir) error {
	_, err := dir.Lstat(content.MarksFile)
	if err == nil {
		return &content.MarkedError{Root: dir.Path()}
	}
	return disk.IgnoreNotExist(err)
}

// Create makes the root, or its README, where absent, and reports whether it made one of them. A
// crash in it leaves no root, or one without the README, which the next call writes.
func (s *Store) Create() (bool, error) {
	r, err := s.root()
	if err != nil {
		return false, err
	}
	if r == nil {
		if r, err = s.makeRoot(); err != nil {
			return false, err
		}
	}
	if _, err := r.Lstat(ReadmeFile); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if s.o.Create != nil {
		err = s.o.Create(r.Dir)
	}
	return true, err
}

// rootOrNew returns the root that is at the path now, and makes it where there is none.
func rootOrNew(s *Store) (*root, error) {
	r, err := s.root()
	if err == nil && r == nil {
		if _, err = s.Create(); err == nil {
			r, err = s.root()
		}
	}
	if err == nil && r == nil {
		err = &fs.PathError{Op: "open", Path: s.path, Err: fs.ErrNotExist}
	}
	return r, err
}

func (s *Store) makeRoot() (*root, error) {
	dir, err := disk.Create(s.path)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		dir.Close()
		return s.opened, nil
	}
	return s.setRoot(dir)
}

// Lock takes the store's lock for op, for jobs on the files themselves: below dir, which Dir has
// returned. The error wraps disk.ErrMoved where that is the root no longer.
func (s *Store) Lock(ctx context.Context, dir *disk.Dir, op string) (
	unlock func() error, err error) {
	r, err := s.root()
	if err != nil {
		return nil, err
	}
	if r == nil || r.Dir != dir {
		return nil, fmt.Errorf("%s: %w", s.path, disk.ErrMoved)
	}
	return takeLock(ctx, s, r, op)
}

// FilePath returns where a key's index file is, or would be; "" for a key that has none.
func (s *Store) FilePath(key keypath.Key) string {
	if !key.Class().Mirrored() {
		return ""
	}
	return filepath.Join(s.path, index.DirName, filepath.FromSlash(string(key.Path())))
}

// Get returns the newest live record of a key, expired or not, without a view where that can be.
func (s *Store) Get(_ context.Context, key keypath.Key) (log.Record, bool, error) {
	r, err := s.root()
	if r == nil || err != nil {
		return log.Record{}, false, err
	}
	rec, found, damaged, err := filesOf(s, r).Lookup(key)
	for _, d := range damaged {
		if found { // where nothing is found, the caller looks at all lines
			backend.ReportDamage(s.o.Log, s.o.Warn, s.o.Program, d)
		}
	}
	return rec, found, err
}
