package serve

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsent returns how many bytes of a connection the kernel holds that its reader has not taken; 0
// where that is not known.
func unsent(conn net.Conn) (n int) {
	of, is := conn.(syscall.Conn)
	if !is {
		return 0
	}
	raw, err := of.SyscallConn()
	if err != nil {
		return 0
	}
	err = raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	if err != nil {
		return 0
	}
	return n
}
