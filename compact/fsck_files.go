package compact

import (
	"io/fs"
	"path"
	"runtime"
	"time"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/log"
)

// tempAge is how old a temporary file must be to count as left behind: a younger one may be somebody's work in hand.
const tempAge = 10 * time.Minute

// checkFiles looks at what stands in the root and in the flat directories below it (F13 to F15). The index is walked by itself.
func (a *Audit) checkFiles() error {
	if err := a.files("."); err != nil {
		return err
	}
	for _, dir := range [...]string{log.ArchiveDir, log.QuarantineDir, "cache"} {
		if fi, err := a.Dir.Lstat(dir); err != nil || !fi.IsDir() {
			continue
		}
		if err := a.files(dir); err != nil {
			return err
		}
	}
	return nil
}

func (a *Audit) files(dir string) error {
	entries, err := a.Dir.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		at := Finding{File: name}
		switch {
		case e.IsDir() && ownedDir(name):
			a.mode(at, 0o077, disk.DirMode)
		case e.IsDir() && (owned(name) || name == log.LockFile):
			a.find(checkIrregular, at, "a directory where a file belongs")
		case e.IsDir():
		case ownedDir(name):
			a.find(checkIrregular, at, "a file where a directory belongs")
		case !e.Type().IsRegular():
			// What was set aside stays as it is, and so does what a person put beside the store's own files.
			if dir != log.QuarantineDir && (dir != "." || owned(name) || ownedDir(name) || name == log.LockFile) {
				a.find(checkIrregular, at, "a %s", kindName(e.Type()))
			}
		case disk.IsTemp(e.Name()):
			a.findTemp(at)
		case name == log.LockFile:
			a.mode(at, 0o022, disk.LockMode)
		case owned(name) && name != "config.json":
			a.mode(at, 0o077, disk.FileMode)
		}
	}
	return nil
}

// owned reports whether mem wrote the file: what a person put beside it is the person's.
func owned(name string) bool {
	switch name {
	case log.File, StateFile, CheckpointFile, log.WatermarkFile, "ops.jsonl", "injections.jsonl", "config.json", "README.md":
		return true
	}
	return path.Dir(name) == log.ArchiveDir || path.Dir(name) == "cache"
}

func ownedDir(name string) bool {
	return name == index.DirName || name == log.ArchiveDir || name == log.QuarantineDir || name == "cache"
}

// mode finds permissions for group or others that must not be. Windows has none.
func (a *Audit) mode(at Finding, forbidden, want fs.FileMode) {
	fi, err := a.Dir.Lstat(at.File)
	if err != nil || runtime.GOOS == "windows" {
		return
	}
	if perm := fi.Mode().Perm(); perm&forbidden != 0 {
		a.find(checkMode, at, "mode %04o, want %04o", perm, want)
	}
}

func (a *Audit) findTemp(at Finding) {
	fi, err := a.Dir.Lstat(at.File)
	if err == nil && a.Now.Sub(fi.ModTime()) > tempAge {
		a.find(checkTemp, at, "left behind by a crash")
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
