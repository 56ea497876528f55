//go:build unix

package log_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// irregular is what can stand in the place of a file and must not be opened. Each plants itself at
// path.
var irregular = map[string]func(path, target string) error{
	"link":          func(path, target string) error { return os.Symlink(target, path) },
	"dangling link": func(path, _ string) error { return os.Symlink("nothing", path) },
	"link to a fifo": func(path, _ string) error {
		return linkTo(path, syscall.Mkfifo(path+".fifo", 0o600), ".fifo")
	},
	"fifo":      func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	"directory": func(path, _ string) error { return os.Mkdir(path, 0o700) },
}

func linkTo(path string, err error, suffix string) error {
	if err != nil {
		return err
	}
	return os.Symlink(path+suffix, path)
}

func TestLockRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	for name, plant := range irregular {
		dir := openDir(t)
		put(t, dir, "target", []byte("kept"))
		must(t, plant(dir.Join(log.LockFile), "target"))
		if _, err := log.Acquire(dir, "set", now, long); !errors.Is(err, disk.ErrIrregular) ||
			errors.Is(err, log.ErrLocked) {
			t.Errorf("%s: %v", name, err)
		}
		if got := log.ReadHolder(dir); got != (log.Holder{}) {
			t.Errorf("%s: holder %+v", name, got)
		}
		if got := read(t, dir, "target"); string(got) != "kept" {
			t.Errorf("%s: wrote through: %q", name, got)
		}
	}
}

func TestFilesRefuseWhatIsNoFile(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*disk.Dir) error{
		log.File: func(d *disk.Dir) error {
			_, err := log.OpenAppender(d)
			return err
		},
		"./" + log.File: func(d *disk.Dir) error {
			_, err := log.OpenSegment(d)
			return err
		},
		log.WatermarkFile: func(d *disk.Dir) error {
			_, err := log.ReadWatermark(d)
			return err
		},
		"./" + log.WatermarkFile: func(d *disk.Dir) error {
			_,
				_, _, err := log.OpenWatermark(d)
			return err
		},
	} {
		for kind, plant := range irregular {
			dir := openDir(t)
			put(t, dir, "target", []byte("kept"))
			must(t, plant(dir.Join(name), "target"))
			if err := open(dir); !errors.Is(err, disk.ErrIrregular) {
				t.Errorf("%s as %s: %v", name, kind, err)
			}
			if got := read(t, dir, "target"); string(got) != "kept" {
				t.Errorf("%s as %s: wrote through: %q", name, kind, got)
			}
		}
	}
}

// Anybody who may read the store may see who has the lock; the directory around it keeps others
// out.
func TestLockModeWithoutUmask(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := openDir(t)
	lock, err := log.Acquire(dir, "set", now, 0)
	must(t, err)
	must(t, lock.Unlock())
	if fi := stat(t, dir, log.LockFile); fi.Mode() != disk.LockMode {
		t.Error(fi.Mode())
	}
}
