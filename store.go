package mem

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Options are what a front-end decides for a store. The zero value is good.
type Options struct {
	Now      func() time.Time                   // the clock; nil is the system's
	Clock    func() time.Time                   // measures durations for ops.jsonl; nil leaves them 0
	Due      func()                             // told after a write that a compaction is due (M-53); must not take long; may be nil
	LockWait time.Duration                      // how long to wait for the lock; 0 is DefaultLockWait, negative not at all
	Warn     func(msg string)                   // told of what was left out or mended, one line each; may be nil
	Debug    func(msg string)                   // told of decisions that change only the speed; may be nil
	Progress func(what string, done, total int) // told now and then of long work; may be nil
}

// DefaultLockWait is how long a writer waits for another (S-20).
const DefaultLockWait = 5 * time.Second

// Store is one memory root. It may be used by several goroutines, and by any number of processes beside it.
type Store struct {
	path string
	opts Options
	now  func() time.Time
	boot string
	dir  atomic.Pointer[disk.Dir] // nil: the root does not exist yet

	commits commits

	mu   sync.Mutex
	conf *Config // nil: not read yet
}

// Open opens the store below path. It need not exist: it then reads as empty, and the first write makes it.
func Open(path string, o Options) (*Store, error) {
	s := &Store{path: filepath.Clean(path), opts: o, now: o.Now, boot: disk.BootID()}
	if s.now == nil {
		s.now = time.Now
	}
	if s.opts.LockWait == 0 {
		s.opts.LockWait = DefaultLockWait
	}
	dir, err := disk.Open(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		s.dir.Store(dir)
	}
	return s, nil
}

// root is the open root; nil where there is none yet.
func (s *Store) root() *disk.Dir { return s.dir.Load() }

// Close lets the store go. What was acknowledged is on disk already.
func (s *Store) Close() error {
	if s.root() == nil {
		return nil
	}
	return s.root().Close()
}

// Path is the root.
func (s *Store) Path() string { return s.path }

// Exists reports whether the root is there.
func (s *Store) Exists() bool { return s.root() != nil }

// Now is the store's clock, in UTC.
func (s *Store) Now() time.Time { return s.now().UTC() }

func (s *Store) stamp() log.Stamp { return log.StampOf(s.now()) }

// Create makes the root, with the README that explains it, where absent (M-33). It reports whether it made it.
func (s *Store) Create() (bool, error) {
	if s.root() == nil {
		dir, err := disk.Create(s.path)
		if err != nil {
			return false, err
		}
		if !s.dir.CompareAndSwap(nil, dir) {
			dir.Close()
		}
	}
	if _, err := s.root().Lstat(ReadmeFile); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, s.writeReadme()
}

// lock takes the store's lock for op.
func (s *Store) lock(op string) (func() error, error) {
	l, err := log.Acquire(s.root(), op, s.now(), s.opts.LockWait)
	if err != nil {
		return nil, err
	}
	return l.Unlock, nil
}

// update runs fn on the healed store, under the lock.
func (s *Store) update(op string, fn func(*compact.Writer) error) (err error) {
	if s.root() == nil {
		if _, err := s.Create(); err != nil {
			return err
		}
	}
	unlock, err := s.lock(op)
	if err != nil {
		return err
	}
	var before, after int64
	defer func() {
		err = errors.Join(err, unlock())
		s.checkDue(before, after)
	}()
	wr, err := compact.OpenWriter(s.root(), s.now(), s.boot)
	if err != nil {
		return err
	}
	defer wr.Close()
	if wr.Fresh() {
		if _, err := s.Create(); err != nil {
			return err
		}
	}
	before = wr.Live.Size()
	err = fn(wr)
	after = wr.Live.Size()
	return err
}

// dueEvery is how many bytes the log grows between two looks at whether a compaction is due: a look costs as much as a file read.
const dueEvery = 1 << 20

// checkDue tells Options.Due when the log has grown past another multiple of dueEvery and there is enough behind the checkpoint.
func (s *Store) checkDue(before, after int64) {
	if s.opts.Due == nil || before/dueEvery == after/dueEvery {
		return
	}
	if conf, err := s.Config(); err == nil && conf.AutoCompact && compact.Tail(s.root(), after) >= 2*dueEvery {
		s.opts.Due()
	}
}

// view gives one consistent sight of all live memories.
func (s *Store) view() (*compact.View, error) {
	if s.root() == nil {
		return compact.Empty(), nil
	}
	return compact.Load(s.root(), s.boot)
}

// warnDamaged tells of lines that a view left out.
func (s *Store) warnDamaged(damaged []*log.Damage) {
	for _, d := range damaged {
		s.warn(d.Error() + ": left out, mem fsck tells more")
	}
}

// debug tells of what only a person looking for a cause wants to know.
func (s *Store) debug(msg string) {
	if s.opts.Debug != nil {
		s.opts.Debug(msg)
	}
}

func (s *Store) warn(msg string) {
	if s.opts.Warn != nil {
		s.opts.Warn(msg)
	}
}

// FilePath is where a key's index file is, or would be.
func (s *Store) FilePath(key keypath.Key) string {
	return filepath.Join(s.path, index.DirName, filepath.FromSlash(string(key.Path())))
}
