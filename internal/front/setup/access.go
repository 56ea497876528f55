package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/internal/base/disk"
)

// ErrProtected is wrapped if a file cannot be written. Nothing was changed then.
var ErrProtected = errors.New("cannot be written")

// CheckAccess returns nil if all changes can be made, as far as that shows without writing. Without
// it a client would be left with some of its files.
func CheckAccess(changes []Change) error {
	for _, c := range changes {
		if !c.Changed() {
			continue
		}
		if err := c.checkAccess(); err != nil {
			return fmt.Errorf("%s: %w: %w", c.Path, ErrProtected, err)
		}
	}
	return nil
}

func (c Change) checkAccess() error {
	if c.info != nil && c.info.Mode().Perm()&0o200 == 0 {
		return fs.ErrPermission // a rename would succeed, but somebody protected it on purpose
	}
	if c.info != nil && !mayKeepOwner(c.info) {
		return fmt.Errorf("it is another user's: %w", fs.ErrPermission)
	}
	return checkFolder(filepath.Dir(c.target))
}

// checkFolder checks that files can be made in a folder, or the nearest one above it.
func checkFolder(dir string) error {
	for dir != filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir = filepath.Dir(dir)
	}
	d, err := disk.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return disk.Writable(d)
}
