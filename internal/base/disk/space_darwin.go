package disk

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

func spaceOf(f *os.File) (Space, error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return Space{}, &fs.PathError{Op: "statfs", Path: f.Name(), Err: err}
	}
	return Space{
		Kind:    unix.ByteSliceToString(st.Fstypename[:]),
		Network: st.Flags&unix.MNT_LOCAL == 0,
		Free:    int64(st.Bavail) * int64(st.Bsize),
		Files:   int64(st.Ffree),
	}, nil
}
