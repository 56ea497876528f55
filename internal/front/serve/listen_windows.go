package serve

import "net"

// listenPrivate listens on a new socket. The rights of its directory hold for it.
func listenPrivate(path string) (net.Listener, error) { return listenSocket(path) }
