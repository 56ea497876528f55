package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// IsWithin reports whether a path is that of a directory or lies below it, whatever links lead
// there. Neither need exist.
func IsWithin(dir, path string) (bool, error) {
	dir, err := realPath(dir)
	if err != nil {
		return false, err
	}
	if path, err = realPath(path); err != nil {
		return false, err
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel), nil
}

// realPath follows the links of a path, as far as it exists.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		above, err := realPath(filepath.Dir(path))
		return filepath.Join(above, filepath.Base(path)), err
	}
	return real, err
}
