package pgstore

import (
	"net"
	"syscall"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not name.
const tcpUserTimeout = 18

// limitUnacknowledged makes the kernel end a connection where nothing that was sent arrives.
func limitUnacknowledged(tcp *net.TCPConn) {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return // without it the kernel tries for a quarter of an hour
	}
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout,
			int(silence.Milliseconds()))
	})
}
