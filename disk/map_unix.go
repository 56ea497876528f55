//go:build unix

package disk

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// Map returns a plain file's bytes without reading them: pages come in as they are touched. The
// file must be one that is replaced by rename and never truncated, or reading a page that is gone
// would end the process.
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
	return data, func() error { return unix.Munmap(data) }, nil
}
