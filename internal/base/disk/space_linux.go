package disk

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// kinds has the kind of a file system by its magic number (statfs(2), linux/magic.h). One whose
// number is missing here passes for local.
var kinds = [...]struct {
	magic           int64
	name            string
	network, memory bool
}{
	{magic: unix.EXT4_SUPER_MAGIC, name: "ext4"},
	{magic: unix.XFS_SUPER_MAGIC, name: "xfs"},
	{magic: unix.BTRFS_SUPER_MAGIC, name: "btrfs"},
	{magic: 0x2FC12FC1, name: "zfs"},
	{magic: unix.F2FS_SUPER_MAGIC, name: "f2fs"},
	{magic: unix.OVERLAYFS_SUPER_MAGIC, name: "overlay"},
	{magic: unix.MSDOS_SUPER_MAGIC, name: "fat"},
	{magic: 0x2011BAB0, name: "exfat"},
	{magic: 0x7366746E, name: "ntfs3"},
	{magic: unix.TMPFS_MAGIC, name: "tmpfs", memory: true},
	{magic: unix.RAMFS_MAGIC, name: "ramfs", memory: true},
	{magic: unix.NFS_SUPER_MAGIC, name: "nfs", network: true},
	{magic: unix.SMB_SUPER_MAGIC, name: "smb", network: true},
	{magic: unix.SMB2_SUPER_MAGIC, name: "smb", network: true},
	{magic: unix.CIFS_SUPER_MAGIC, name: "smb", network: true},
	{magic: unix.FUSE_SUPER_MAGIC, name: "fuse", network: true},
	{magic: unix.V9FS_MAGIC, name: "9p", network: true},
	{magic: unix.CEPH_SUPER_MAGIC, name: "ceph", network: true},
	{magic: unix.AFS_SUPER_MAGIC, name: "afs", network: true},
	{magic: unix.AFS_FS_MAGIC, name: "afs", network: true},
	{magic: unix.CODA_SUPER_MAGIC, name: "coda", network: true},
	{magic: 0x0BD00BD0, name: "lustre", network: true},
}

func spaceOf(f *os.File) (Space, error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return Space{}, &fs.PathError{Op: "statfs", Path: f.Name(), Err: err}
	}
	s := kindOf(uint32(st.Type))
	s.Free, s.Files = int64(st.Bavail)*int64(st.Bsize), int64(st.Ffree)
	if st.Files == 0 {
		s.Files = -1 // btrfs makes them as they are needed
	}
	return s, nil
}

func kindOf(magic uint32) Space {
	for _, k := range kinds {
		if uint32(k.magic) == magic {
			return Space{Kind: k.name, Network: k.network, Memory: k.memory}
		}
	}
	return Space{Kind: fmt.Sprintf("0x%x", magic)}
}
