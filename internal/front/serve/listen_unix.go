//go:build unix

package serve

import (
	"net"
	"syscall"
)

// listenPrivate listens on a new socket that only this user can open, from its first moment on. The
// process makes no other file meanwhile.
func listenPrivate(path string) (net.Listener, error) {
	defer syscall.Umask(syscall.Umask(0o177))
	return listenSocket(path)
}
