package fsck

import (
	"io/fs"
	"path"
	"runtime"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// checkFiles checks the entries of the root and of the flat directories below it (F13 to F15). The
// index is checked by indexCheck.
func (c *Checker) checkFiles() error {
	if !c.Shared {
		c.mode(Finding{File: "."}, 0o022, disk.DirMode) // a person may have made it
	}
	if err := c.files("."); err != nil {
		return err
	}
	for _, dir := range [...]string{log.ArchiveDir, log.QuarantineDir, filestore.ArtifactsDir,
		state.CacheDir} {
		if fi, err := c.Dir.Lstat(dir); err != nil || !fi.IsDir() {
			continue
		}
		if err := c.files(dir); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checker) files(dir string) error {
	entries, err := c.Dir.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		c.file(dir, e)
	}
	return nil
}

// file checks one entry. Files in quarantine/ stay as they are, and so do a person's files among
// the store's own.
func (c *Checker) file(dir string, e fs.DirEntry) {
	at := Finding{File: path.Join(dir, e.Name())}
	place, ours := filestore.PlaceOf(at.File)
	switch {
	case e.IsDir() && c.Shared && at.File == log.ArchiveDir: // git has made it
	case e.IsDir() && ours && place.Dir:
		c.mode(at, 0o077, disk.DirMode)
	case e.IsDir() && ours:
		c.find(checkIrregular, at, "a directory where a file belongs")
	case e.IsDir():
	case ours && place.Dir:
		c.find(checkIrregular, at, "a file where a directory belongs")
	case !e.Type().IsRegular():
		if ours || dir != "." && dir != log.QuarantineDir {
			c.find(checkIrregular, at, "a %s", kindName(e.Type()))
		}
	case filestore.IsLogCopy(at.File):
		c.find(checkCopy, at, "nothing reads it")
	case disk.IsTemp(e.Name()):
		c.findTemp(at)
	case at.File == log.LockFile:
		c.mode(at, 0o022, disk.LockMode)
	case ours && !place.Mine && !c.Shared:
		c.mode(at, 0o077, disk.FileMode)
	}
}

// mode finds permissions for group or others that must not be. Windows has none.
func (c *Checker) mode(at Finding, forbidden, want fs.FileMode) {
	fi, err := c.Dir.Lstat(at.File)
	if err != nil || runtime.GOOS == "windows" {
		return
	}
	if perm := fi.Mode().Perm(); perm&forbidden != 0 {
		c.find(checkMode, at, "mode %04o, want %04o", perm, want)
	}
}

func (c *Checker) findTemp(at Finding) {
	fi, err := c.Dir.Lstat(at.File)
	if err == nil && c.Now.Sub(fi.ModTime()) > filestore.DraftAge {
		c.find(checkTemp, at, "left behind by a crash")
	}
}

func kindName(t fs.FileMode) string {
	switch {
	case t&fs.ModeSymlink != 0:
		return "symbolic link"
	case t&fs.ModeNamedPipe != 0:
		return "fifo"
	case t&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}
