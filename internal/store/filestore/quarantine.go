package filestore

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// ClearLockPath moves a directory, link or fifo at the lock's path into quarantine/: nobody can
// hold a lock on it, so nobody could write.
func ClearLockPath(dir *disk.Dir, now time.Time) error {
	if fi, err := dir.Lstat(log.LockFile); err != nil || fi.Mode().IsRegular() {
		return disk.IgnoreNotExist(err)
	}
	return QuarantineFile(dir, log.LockFile, now)
}

// QuarantineFile moves a file, link or directory, if it is there, into quarantine/.
func QuarantineFile(dir *disk.Dir, name string, now time.Time) error {
	if err := MakeQuarantine(dir); err != nil {
		return err
	}
	sub, err := dir.Sub(log.QuarantineDir, false)
	if err != nil {
		return err
	}
	defer sub.Close()
	to, err := log.QuarantineName(sub, name, now)
	if err != nil {
		return err
	}
	fi, err := dir.Lstat(name)
	if err == nil && fi.Mode().IsRegular() {
		if err = moveByCopy(dir, name, sub, to); !errors.Is(err, fs.ErrPermission) {
			return disk.IgnoreNotExist(err)
		}
	}
	// Links, fifos and directories cannot be copied, nor can a file that nobody may read. A power
	// cut right here may lose both names on a disk that does not journal them.
	if err := dir.Rename(name, log.QuarantineDir+"/"+to); err != nil {
		return disk.IgnoreNotExist(err)
	}
	// A power cut before these syncs is the one described above.
	return errors.Join(sub.Sync(), dir.Sync())
}

// moveByCopy puts a synced copy into quarantine/ before it removes the file: a rename from one
// directory into another might be lost on both sides by a power cut.
func moveByCopy(dir *disk.Dir, name string, quarantine *disk.Dir, to string) error {
	src, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	// A crash within this leaves the file in its place, and perhaps a temporary file or a copy.
	if err := quarantine.WriteFileSync(to,
		func(w io.Writer) error { _, err := io.Copy(w, src); return err }); err != nil {
		return err
	}
	// A crash before this sync may lose a newly made quarantine/; the file is still in its place.
	if err := dir.Sync(); err != nil {
		return err
	}
	// A crash before this leaves the file in both places, and the next repair makes one more copy.
	return dir.Remove(name)
}

// MakeQuarantine makes quarantine/ if absent. Another entry of this name is renamed.
func MakeQuarantine(dir *disk.Dir) error {
	err := dir.Mkdir(log.QuarantineDir)
	if errors.Is(err, disk.ErrIrregular) {
		// A crash after this rename leaves no quarantine/, which the next repair makes.
		if err = dir.Rename(log.QuarantineDir, log.QuarantineDir+".irregular"); err == nil {
			err = dir.Mkdir(log.QuarantineDir)
		}
	}
	return err
}
