package serve

import "net"

// listenPrivate listens on a new socket. Who may open it, its directory says.
func listenPrivate(path string) (net.Listener, error) { return listenSocket(path) }
