package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// IsWithin reports whether a path is that of a directory or lies below it, whatever links or mounts
// lead there. Neither need exist.
func IsWithin(dir, path string) (bool, error) {
	dir, err := RealPath(dir)
	if err != nil {
		return false, err
	}
	if path, err = RealPath(path); err != nil {
		return false, err
	}
	rel, err := filepath.Rel(dir, path)
	if err == nil && filepath.IsLocal(rel) {
		return true, nil
	}
	top, err := os.Stat(dir)
	for err == nil { // a directory may have two paths, as by a mount
		if here, err := os.Stat(path); err == nil && os.SameFile(top, here) {
			return true, nil
		}
		if path == filepath.Dir(path) {
			break
		}
		path = filepath.Dir(path)
	}
	return false, nil
}

// RealPath follows the links of a path, as far as it exists.
func RealPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		above, err := RealPath(filepath.Dir(path))
		return filepath.Join(above, filepath.Base(path)), err
	}
	return real, err
}
