package mem

import (
	"os"
	"path/filepath"
)

// DotDir is the root that "mem init" makes in a project, found from anywhere below it.
const DotDir = ".mem"

// Locate finds the root: explicit, else $MEM_ROOT, else the nearest .mem upward from dir, else
// $XDG_DATA_HOME/mem, whose default is ~/.local/share/mem. An empty dir is the working directory.
// The root need not exist.
func Locate(explicit, dir string, getenv func(string) string) (string, error) {
	if explicit != "" {
		return explicit, nil
	}
	if root := getenv("MEM_ROOT"); root != "" {
		return root, nil
	}
	if dir == "" {
		// A directory that is gone has no .mem either.
		dir, _ = os.Getwd()
	}
	if root := nearest(dir); filepath.IsAbs(dir) && root != "" {
		return root, nil
	}
	if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "mem"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share", "mem"), err
}

// nearest looks for a .mem directory in dir and above it.
func nearest(dir string) string {
	for {
		root := filepath.Join(dir, DotDir)
		if fi, err := os.Stat(root); err == nil && fi.IsDir() {
			return root
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
