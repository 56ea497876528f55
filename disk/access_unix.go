//go:build unix

package disk

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// HasModes says whether permissions are told by mode bits.
const HasModes = true

// Writable tells why files cannot be made in d; nil where they can, as far as can be known without making one.
func (d *Dir) Writable() error {
	if err := call(OpStat, d.path); err != nil {
		return err
	}
	if err := unix.Access(d.path, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "access", Path: d.path, Err: err}
	}
	return nil
}
