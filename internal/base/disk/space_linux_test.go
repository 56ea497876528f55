package disk

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// What stat(1) says of a disk is what Space says.
func TestSpaceIsThatOfStat(t *testing.T) {
	for _, path := range []string{".", "/dev/shm", "/proc"} {
		out, err := exec.Command("stat", "-f", "-c", "%T %a %S %t", path).Output()
		testkit.Need(t, err == nil, "there is no stat of coreutils")
		fields := strings.Fields(strings.Replace(string(out), "ext2/ext3", "ext4", 1))
		d, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		space, err := SpaceOf(d)
		if err != nil {
			t.Fatal(err)
		}
		kind := fields[0]
		if path == "/proc" {
			kind = "0x" + fields[3]
		} else if kind == "overlayfs" {
			kind = "overlay"
		}
		if space.Kind != kind || space.Memory != (kind == "tmpfs") || space.Network {
			t.Errorf("%s: %+v, want %s", path, space, out)
		}
		if (fields[1] == "0") != (space.Free == 0) {
			t.Errorf("%s: %+v, want %s", path, space, out)
		}
	}
}

func TestKindsOfDisks(t *testing.T) {
	for magic, want := range map[uint32]Space{0x6969: {Kind: "nfs", Network: true},
		0xFF534D42: {Kind: "smb", Network: true}, 0xFE534D42: {Kind: "smb", Network: true},
		0x65735546: {Kind: "fuse", Network: true}, 0x01021997: {Kind: "9p", Network: true},
		0xEF53: {Kind: "ext4"}, 0x01021994: {Kind: "tmpfs", Memory: true}, 1: {Kind: "0x1"}} {
		if got := kindOf(magic); got != want {
			t.Errorf("%x: %+v, want %+v", magic, got, want)
		}
	}
}

// A directory that may not be written says so, and so does a disk that may not.
func TestWritable(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := Writable(d); err != nil {
		t.Error(err)
	}
	bind := func(flags uintptr) {
		err := syscall.Mount(d.path, d.path, "", syscall.MS_BIND|flags, "")
		testkit.NeedInFull(t, err == nil, fmt.Sprintf("nothing can be mounted here: %v", err))
	}
	bind(0)
	defer syscall.Unmount(d.path, 0)
	bind(syscall.MS_REMOUNT | syscall.MS_RDONLY)
	if err := Writable(d); err == nil {
		t.Error("a read-only disk passes for writable")
	}
}
