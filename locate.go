package mem

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/disk"
)

// DotDir is the root that "mem init" makes in a project, found from anywhere below it.
const DotDir = ".mem"

// Location is where the root is.
type Location struct {
	Root string
	// Ignored is the nearest .mem upward that was found and is not used, "" if there is none.
	Ignored string
	Why     string // it is not used
}

// Locate finds the root: explicit, else $MEM_ROOT, else the nearest .mem upward from dir that may
// be used, else $XDG_DATA_HOME/mem, whose default is ~/.local/share/mem. An empty dir is the
// working directory. The root need not exist.
//
// What explicit or $MEM_ROOT name is trusted. A .mem that is only found is used if it is no
// symbolic link and belongs to this user or to root: in a directory that others may write to,
// anybody could have made it, to be read by this user's agents and to be written to by them. The
// search ends at the home directory and at the border of the file system, after looking there.
func Locate(explicit, dir string, getenv func(string) string) (at Location, err error) {
	if explicit != "" {
		return Location{Root: explicit}, nil
	}
	if root := getenv("MEM_ROOT"); root != "" {
		return Location{Root: root}, nil
	}
	if dir == "" {
		// A directory that is gone has no .mem either.
		dir, _ = os.Getwd()
	}
	home, err := os.UserHomeDir()
	if filepath.IsAbs(dir) {
		at = nearest(filepath.Clean(dir), home, owners(getenv))
	}
	if at.Root != "" {
		return at, nil
	}
	if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		at.Root = filepath.Join(data, "mem")
		return at, nil
	}
	at.Root = filepath.Join(home, ".local", "share", "mem")
	return at, err
}

// owners returns the function that reports whether what a user owns is believed: this user and
// root, and under sudo the user who called it, as with git.
func owners(getenv func(string) string) func(uid int) bool {
	me, caller := os.Geteuid(), getenv("SUDO_UID")
	return func(uid int) bool {
		return uid == me || uid == 0 || me == 0 && caller == fmt.Sprint(uid)
	}
}

// nearest looks for a .mem directory in dir and above it.
func nearest(dir, home string, believed func(uid int) bool) (at Location) {
	end, _ := os.Stat(home) // without a home only the file system ends the search
	here, err := os.Stat(dir)
	for ; ; here, err = os.Stat(dir) {
		root := filepath.Join(dir, DotDir)
		switch why, found := fault(root, believed); {
		case found && why == "":
			at.Root = root
			return at
		case found && at.Ignored == "":
			at.Ignored, at.Why = root, why
		}
		parent := filepath.Dir(dir)
		if parent == dir || err == nil && os.SameFile(here, end) || isBorder(here, parent) {
			return at
		}
		dir = parent
	}
}

// fault returns why a .mem is not used, and whether there is one at all: a directory, or a link to
// one.
func fault(root string, believed func(uid int) bool) (why string, found bool) {
	fi, err := os.Lstat(root)
	if err != nil {
		return "", false
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Stat(root)
		return "it is a symbolic link", err == nil && to.IsDir()
	}
	if uid, ok := disk.Owner(fi); ok && fi.IsDir() && !believed(uid) {
		return fmt.Sprintf("it belongs to another user, of uid %d", uid), true
	}
	return "", fi.IsDir()
}

// isBorder reports whether a directory and the one above it are on different file systems.
func isBorder(here fs.FileInfo, parent string) bool {
	above, err := os.Stat(parent)
	return here != nil && err == nil && disk.Device(here) != disk.Device(above)
}
