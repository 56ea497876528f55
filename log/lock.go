package log

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/set-memory/mem/internal/base/disk"
)

// LockFile is the name of the flock target below the root. It is never renamed or removed: a lock
// on a file that was replaced excludes nobody (gofrs/flock locks an inode, not a name).
const LockFile = "lock"

// Lock is the exclusive right to change a store, held by one process.
type Lock struct {
	flock  *flock.Flock
	locker *Locker // nil: it was released
	record []byte  // content of the lock file
}

// check returns disk.ErrMoved where the lock is not on the file that stands below the directory:
// the library opens it by its path, and another directory may have taken the place of this one.
func (l *Lock) check() error {
	have, err := l.flock.Stat()
	if err != nil {
		return err
	}
	want, err := l.locker.dir.Lstat(l.locker.name)
	switch {
	case err == nil && !os.SameFile(have, want), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", l.locker.dir.Path(), disk.ErrMoved)
	}
	return err
}

// Holder describes the process that holds the lock. It is shown to people; no decision depends on
// it.
type Holder struct {
	PID   int    `json:"pid"`
	Op    string `json:"op"`
	Since string `json:"since"`
}

// LockedError is returned by Acquire when the wait was in vain; errors.Is(err, ErrLocked) holds.
type LockedError struct {
	Wait   time.Duration
	Holder Holder // zero if no running process has signed
}

func (e *LockedError) Error() string {
	who := "an unknown process"
	if e.Holder.PID != 0 {
		who = fmt.Sprintf("pid %d (%s since %s)", e.Holder.PID, e.Holder.Op, e.Holder.Since)
	}
	return fmt.Sprintf("lock: held by %s, waited %s", who, e.Wait)
}

// Is makes every LockedError an ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// Locker takes the lock of one directory for the calls of a process, one at a time. However many of
// them give up, at most one wait stays in the kernel's queue.
type Locker struct {
	dir  *disk.Dir
	name string        // of the lock file
	turn chan struct{} // its holder may ask the kernel

	mu      sync.Mutex
	pending *waiter // still in the kernel's queue, from a call that gave up
}

// NewLocker returns the locker of a store's one lock.
func NewLocker(dir *disk.Dir) *Locker { return NewLockerOf(dir, LockFile) }

// NewLockerOf returns the locker of a lock file with another name, for what only one process is to
// do at a time, but which does not change the store.
func NewLockerOf(dir *disk.Dir, name string) *Locker {
	return &Locker{dir: dir, name: name, turn: make(chan struct{}, 1)}
}

// Acquire takes the lock of a directory once; see [Locker.Acquire].
func Acquire(dir *disk.Dir, op string, since time.Time, wait time.Duration) (*Lock, error) {
	return NewLocker(dir).Acquire(context.Background(), op, since, wait)
}

// Acquire takes the lock and writes op and since into the lock file. It waits for the holder at
// most wait, and at most until ctx ends. The error is a *LockedError, wraps ErrNoLock,
// disk.ErrMoved or the error of ctx, or is that of the file system.
func (l *Locker) Acquire(ctx context.Context, op string, since time.Time,
	wait time.Duration) (*Lock, error) {
	if fi, err := l.dir.Lstat(l.name); err == nil && !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "lock", Path: l.dir.Join(l.name), Err: disk.ErrIrregular}
	}
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	locked := &LockedError{Wait: max(wait, 0)}
	select {
	case l.turn <- struct{}{}:
	default:
		select {
		case l.turn <- struct{}{}:
		case <-timer.C:
			locked.Holder = l.living()
			return nil, locked
		case <-ctx.Done():
			return nil, fmt.Errorf("lock: %w", context.Cause(ctx))
		}
	}
	fl, err := l.flock(ctx, timer.C, wait > 0)
	switch {
	case err != nil:
	case fl == nil:
		locked.Holder = l.living()
		err = locked
	default:
		lock := &Lock{flock: fl, locker: l}
		if err = lock.check(); err == nil {
			lock.sign(Holder{PID: os.Getpid(), Op: op, Since: StampOf(since).String()})
			return lock, nil
		}
		_ = fl.Unlock() // of a file that nobody else takes for this lock
	}
	<-l.turn
	return nil, err
}

// flock asks the kernel for the lock. It returns nil without an error when the time is over.
func (l *Locker) flock(ctx context.Context, over <-chan time.Time, mayWait bool) (
	*flock.Flock, error) {
	name := l.dir.Join(l.name)
	mode := disk.FileMode
	if l.name == LockFile {
		mode = disk.LockMode
	}
	fl := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(mode))
	ok, err := fl.TryLock()
	switch {
	case err != nil && errors.As(err, new(*fs.PathError)):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", ErrNoLock, name, err)
	case ok:
		return fl, nil
	case !mayWait:
		return nil, nil
	}
	w := l.waiter(fl)
	select {
	case err = <-w.got:
	case <-over:
		if !l.giveUp(w) {
			return nil, nil
		}
		err = <-w.got
	case <-ctx.Done():
		if !l.giveUp(w) {
			return nil, fmt.Errorf("lock: %w", context.Cause(ctx))
		}
		err = <-w.got
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNoLock, name, err)
	}
	return w.flock, nil
}

// waiter is one wait in the kernel's queue: polling would be unfair under many writers.
type waiter struct {
	flock  *flock.Flock
	wanted bool       // somebody waits for it; guarded by the locker
	got    chan error // of one element: how the wait ended
}

// waiter returns the wait that is in the kernel's queue already, or begins one with fl.
func (l *Locker) waiter(fl *flock.Flock) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil {
		l.pending.wanted = true
		return l.pending
	}
	w := &waiter{flock: fl, wanted: true, got: make(chan error, 1)}
	l.pending = w
	go func() {
		err := fl.Lock()
		for errors.Is(err, syscall.EINTR) {
			err = fl.Lock()
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.pending = nil
		if w.wanted {
			w.got <- err
		} else if err == nil {
			fl.Unlock()
		}
	}()
	return w
}

// giveUp marks a wait as unwanted. It reports whether the wait has just ended instead.
func (l *Locker) giveUp(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(w.got) > 0 {
		return true
	}
	w.wanted = false
	return false
}

// sign writes the holder into the file, padded so that it covers a longer earlier record. A crash
// in this write leaves a record that cannot be parsed, which reads as no holder.
func (l *Lock) sign(h Holder) {
	l.record = fmt.Appendf(nil, "%-127s\n",
		fmt.Sprintf(`{"pid":%d,"op":%q,"since":%q}`, h.PID, h.Op, h.Since))
	l.write(l.record)
}

// blank clears the record while the lock is still held, because the next holder may be a program
// that does not sign. A crash before this leaves the record of a process that is dead.
func (l *Lock) blank() {
	l.write(fmt.Appendf(nil, "%*s\n", len(l.record)-1, ""))
}

// write writes a record. It is best effort, for only people read it. Opening and closing a second
// descriptor does not release the lock, which belongs to the first.
func (l *Lock) write(record []byte) {
	if f, err := l.locker.dir.Edit(l.locker.name); err == nil {
		_, _ = f.WriteAt(record, 0)
		f.Close()
	}
}

// Held reports whether a process holds the lock right now, and returns the holder. If the lock is
// free, Held takes it, shared, for an instant. It creates no file, so it works on a store that
// cannot be written.
func Held(dir *disk.Dir) (bool, Holder, error) {
	switch fi, err := dir.Lstat(LockFile); {
	case errors.Is(err, fs.ErrNotExist):
		return false, Holder{}, nil
	case err != nil:
		return false, Holder{}, err
	case !fi.Mode().IsRegular():
		return false, Holder{}, &fs.PathError{Op: "lock", Path: dir.Join(LockFile),
			Err: disk.ErrIrregular}
	}
	fl := flock.New(dir.Join(LockFile), flock.SetFlag(os.O_RDONLY))
	free, err := fl.TryRLock()
	if err != nil && errors.As(err, new(*fs.PathError)) {
		return false, Holder{}, err
	}
	if err != nil {
		return false, Holder{}, fmt.Errorf("%w: %s: %w", ErrNoLock, dir.Join(LockFile), err)
	}
	if free {
		return false, Holder{}, fl.Unlock()
	}
	return true, NewLocker(dir).living(), nil
}

// living returns the holder that signed the lock file, or zero if that process has ended: it was
// killed with the lock, and another process has it now.
func (l *Locker) living() Holder {
	h := readHolder(l.dir, l.name)
	if h.PID == 0 || !isRunning(h.PID) {
		return Holder{}
	}
	return h
}

// readHolder returns the holder that signed a lock file, whether it still runs or not. Bytes after
// the record are ignored.
func readHolder(dir *disk.Dir, name string) (h Holder) {
	data, err := dir.ReadFile(name, 4096)
	if err != nil || json.NewDecoder(bytes.NewReader(data)).Decode(&h) != nil {
		return Holder{}
	}
	return h
}

// Unlock releases the lock. The file stays. Another call of it does nothing.
func (l *Lock) Unlock() error {
	if l.locker == nil {
		return nil
	}
	l.blank()
	err := l.flock.Unlock()
	<-l.locker.turn
	l.locker = nil
	if err != nil {
		return &fs.PathError{Op: "unlock", Path: l.flock.Path(), Err: err}
	}
	return nil
}
