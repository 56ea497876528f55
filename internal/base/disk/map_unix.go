//go:build unix

package disk

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Map returns a plain file's bytes without reading them: pages come in as they are touched, which
// is done within [Guard] only. What replaces the file by rename does not change them.
func (d *Dir) Map(name string) (data []byte, unmap func() error, err error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return nil, func() error { return nil }, err
	}
	data, err = unix.Mmap(int(f.file.Fd()), 0, int(fi.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, &fs.PathError{Op: "mmap", Path: f.Path(), Err: err}
	}
	unmap = func() error { return unix.Munmap(data) }
	if err := call(OpRead, f.Path()); err != nil {
		return nil, nil, errors.Join(err, unmap())
	}
	return data, unmap, nil
}
