package disk

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

func spaceOf(f *os.File) (Space, error) {
	path, err := filepath.Abs(f.Name())
	if err != nil {
		return Space{}, err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return Space{}, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return Space{}, &fs.PathError{Op: "GetDiskFreeSpaceEx", Path: path, Err: err}
	}
	volume, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return Space{}, err
	}
	network := windows.GetDriveType(volume) == windows.DRIVE_REMOTE
	return Space{Network: network, Free: int64(free), Files: -1}, nil
}
