package log

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/set-memory/mem/disk"
)

// LockFile is the name of the flock target below the root. It is never renamed or removed: a lock on a file that was replaced excludes
// nobody (gofrs/flock locks an inode, not a name).
const LockFile = "lock"

// Lock is the exclusive right to change a store, held by one process (C-24).
type Lock struct {
	flock  *flock.Flock
	holder Holder
}

// Holder says who has the lock, for people; nothing is decided by it (S-21).
type Holder struct {
	PID   int    `json:"pid"`
	Op    string `json:"op"`
	Since string `json:"since"`
}

// LockedError is returned by Acquire when the wait was in vain; errors.Is(err, ErrLocked) holds.
type LockedError struct {
	Wait   time.Duration
	Holder Holder // zero if it could not be read
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.Holder.PID != 0 {
		who = fmt.Sprintf("pid %d (%s since %s)", e.Holder.PID, e.Holder.Op, e.Holder.Since)
	}
	return fmt.Sprintf("lock: held by %s, waited %s", who, e.Wait)
}

// Is makes every LockedError an ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// Acquire takes the lock, waiting at most wait for whoever has it, and writes op and since into the lock file.
// The error is a *LockedError, wraps ErrNoLock, or is that of the file system.
func Acquire(dir *disk.Dir, op string, since time.Time, wait time.Duration) (*Lock, error) {
	if fi, err := dir.Lstat(LockFile); err == nil && !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "lock", Path: dir.Join(LockFile), Err: disk.ErrIrregular}
	}
	fl := flock.New(dir.Join(LockFile), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(disk.LockMode))
	ok, err := fl.TryLock()
	if err == nil && !ok {
		ok, err = waitFor(fl, wait)
	}
	switch {
	case err != nil && errors.As(err, new(*fs.PathError)):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", ErrNoLock, dir.Join(LockFile), err)
	case !ok:
		return nil, &LockedError{Wait: max(wait, 0), Holder: ReadHolder(dir)}
	}
	l := &Lock{flock: fl, holder: Holder{PID: os.Getpid(), Op: op, Since: StampOf(since).String()}}
	l.sign(dir)
	return l, nil
}

// waitFor lets the kernel queue this process: polling would be unfair under many writers. When the wait is over before the lock comes,
// the goroutine left behind gives it back the moment it does.
func waitFor(fl *flock.Flock, wait time.Duration) (bool, error) {
	if wait <= 0 {
		return false, nil
	}
	got := make(chan error) // unbuffered: handed over, or not at all
	abandoned := make(chan struct{})
	go func() {
		err := fl.Lock()
		for errors.Is(err, syscall.EINTR) {
			err = fl.Lock()
		}
		select {
		case got <- err:
		case <-abandoned:
			fl.Unlock()
		}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case err := <-got:
		return err == nil, err
	case <-timer.C:
		close(abandoned)
		return false, nil
	}
}

// sign writes the holder into the file, padded so that a longer earlier record leaves nothing behind. Best effort: people read it. A second
// descriptor is harmless to flock, whose lock belongs to the first.
func (l *Lock) sign(dir *disk.Dir) {
	rec := fmt.Appendf(nil, `{"pid":%d,"op":%q,"since":%q}`, l.holder.PID, l.holder.Op, l.holder.Since)
	if f, err := dir.Edit(LockFile); err == nil {
		f.WriteAt(fmt.Appendf(nil, "%-127s\n", rec), 0)
		f.Close()
	}
}

// Held reports whether somebody has the lock right now, and who signed for it. It takes the lock for an instant where it is free, shared, and makes
// nothing: a store that cannot be written can be asked too.
func Held(dir *disk.Dir) (bool, Holder, error) {
	switch fi, err := dir.Lstat(LockFile); {
	case errors.Is(err, fs.ErrNotExist):
		return false, Holder{}, nil
	case err != nil:
		return false, Holder{}, err
	case !fi.Mode().IsRegular():
		return false, Holder{}, &fs.PathError{Op: "lock", Path: dir.Join(LockFile), Err: disk.ErrIrregular}
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
	return true, ReadHolder(dir), nil
}

// ReadHolder reads who signed the lock file last. What may stand behind the record does not matter.
func ReadHolder(dir *disk.Dir) (h Holder) {
	data, err := dir.ReadFile(LockFile, 4096)
	if err != nil || json.NewDecoder(bytes.NewReader(data)).Decode(&h) != nil {
		return Holder{}
	}
	return h
}

// Unlock gives the lock back. The file stays.
func (l *Lock) Unlock() error {
	if err := l.flock.Unlock(); err != nil {
		return &fs.PathError{Op: "unlock", Path: l.flock.Path(), Err: err}
	}
	return nil
}
