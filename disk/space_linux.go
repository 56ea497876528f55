package disk

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// kind is what a file system's magic number says (statfs(2), linux/magic.h).
type kind struct {
	name            string
	network, memory bool
}

// kindOf does not know every local file system: whose number is not here passes for local.
func kindOf(magic uint32) kind {
	switch magic {
	case unix.EXT4_SUPER_MAGIC:
		return kind{name: "ext4"}
	case unix.XFS_SUPER_MAGIC:
		return kind{name: "xfs"}
	case unix.BTRFS_SUPER_MAGIC:
		return kind{name: "btrfs"}
	case 0x2FC12FC1:
		return kind{name: "zfs"}
	case unix.F2FS_SUPER_MAGIC:
		return kind{name: "f2fs"}
	case unix.OVERLAYFS_SUPER_MAGIC:
		return kind{name: "overlay"}
	case unix.MSDOS_SUPER_MAGIC:
		return kind{name: "fat"}
	case 0x2011BAB0:
		return kind{name: "exfat"}
	case 0x7366746E:
		return kind{name: "ntfs3"}
	case unix.TMPFS_MAGIC:
		return kind{name: "tmpfs", memory: true}
	case unix.RAMFS_MAGIC:
		return kind{name: "ramfs", memory: true}
	}
	return remoteKind(magic)
}

func remoteKind(magic uint32) kind {
	switch magic {
	case unix.NFS_SUPER_MAGIC:
		return kind{name: "nfs", network: true}
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return kind{name: "smb", network: true}
	case unix.FUSE_SUPER_MAGIC:
		return kind{name: "fuse", network: true}
	case unix.V9FS_MAGIC:
		return kind{name: "9p", network: true}
	case unix.CEPH_SUPER_MAGIC:
		return kind{name: "ceph", network: true}
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return kind{name: "afs", network: true}
	case unix.CODA_SUPER_MAGIC:
		return kind{name: "coda", network: true}
	case 0x0BD00BD0:
		return kind{name: "lustre", network: true}
	}
	return kind{name: fmt.Sprintf("0x%x", magic)}
}

func spaceOf(f *os.File) (Space, error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return Space{}, &fs.PathError{Op: "statfs", Path: f.Name(), Err: err}
	}
	k := kindOf(uint32(st.Type))
	s := Space{Kind: k.name, Network: k.network, Memory: k.memory, Free: int64(st.Bavail) * int64(st.Bsize), Files: int64(st.Ffree)}
	if st.Files == 0 {
		s.Files = -1 // btrfs makes them as they are needed
	}
	return s, nil
}
