//go:build unix

package disk

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// HasModes reports whether mode bits decide the access to a file.
const HasModes = true

// Writable returns why no files can be made in d, as far as that shows without making one.
func Writable(d *Dir) error {
	if err := call(OpStat, d.path); err != nil {
		return err
	}
	if err := unix.Access(d.path, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "access", Path: d.path, Err: err}
	}
	return nil
}
