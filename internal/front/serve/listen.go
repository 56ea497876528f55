package serve

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// SocketFile is the name of the unix socket, unless another is given.
const SocketFile = "memd.sock"

// Listeners are where a server takes connections from.
type Listeners struct {
	all    []net.Listener
	undo   []func() error // what closes them does not
	Socket string         // the path of the unix socket; "": none was made here
}

// Inherited returns the sockets that systemd has opened for this process; none: it has not.
func Inherited() (*Listeners, error) {
	all, err := activation.Listeners()
	l := &Listeners{}
	for _, one := range all {
		if one != nil {
			l.all = append(l.all, one)
		}
	}
	return l, err
}

// Empty reports whether there is none.
func (l *Listeners) Empty() bool { return len(l.all) == 0 }

// Addresses returns where they listen.
func (l *Listeners) Addresses() (list []string) {
	for _, one := range l.all {
		list = append(list, one.Addr().Network()+":"+one.Addr().String())
	}
	return list
}

// Close stops them all, and takes the socket out that was made here.
func (l *Listeners) Close() error {
	var failed []error
	for _, one := range l.all {
		if err := one.Close(); !errors.Is(err, net.ErrClosed) {
			failed = append(failed, err)
		}
	}
	for _, undo := range l.undo {
		failed = append(failed, undo())
	}
	l.all, l.undo = nil, nil
	return errors.Join(failed...)
}

// Listen adds a TCP address, as "localhost:8181".
func (l *Listeners) Listen(address string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return &inputError{"--listen " + address, "want HOST:PORT",
			advice.Shell("--listen localhost:8181")}
	}
	one, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	l.all = append(l.all, one)
	return nil
}

// ListenUnix adds a unix socket for this user alone. One that a dead process has left is replaced;
// where another process listens the error is a *log.LockedError that names it.
func (l *Listeners) ListenUnix(path string, now time.Time) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	dir, err := disk.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	// The lock is there as long as the directory is open.
	lock, err := log.NewLockerOf(dir, filepath.Base(path)+".lock").Acquire(context.Background(),
		"serve", now, 0)
	if err != nil {
		err = errors.Join(served(path, err), dir.Close())
		return err
	}
	undo := func() error { return errors.Join(removeSocket(dir, path), lock.Unlock(), dir.Close()) }
	if err := replaceSocket(dir, path); err != nil {
		return errors.Join(err, lock.Unlock(), dir.Close())
	}
	one, err := listenPrivate(path)
	if err != nil {
		return errors.Join(socketError(path, err), undo())
	}
	l.all, l.undo, l.Socket = append(l.all, one), append(l.undo, undo), path
	return nil
}

// served says of a lock that somebody has what they do.
func served(path string, err error) error {
	if locked := (*log.LockedError)(nil); errors.As(err, &locked) {
		return &servedError{path, locked}
	}
	return err
}

// servedError is returned where somebody listens already.
type servedError struct {
	path   string
	locked *log.LockedError
}

func (e *servedError) Error() string {
	who := "another process"
	if pid := e.locked.Holder.PID; pid != 0 {
		who = fmt.Sprintf("pid %d (since %s)", pid, e.locked.Holder.Since)
	}
	return e.path + ": already served by " + who
}

// Unwrap returns the error of the lock.
func (e *servedError) Unwrap() error { return e.locked }

// Advice returns what to do.
func (e *servedError) Advice() advice.List {
	return advice.Shell("stop that one, or serve on another --socket PATH")
}

// replaceSocket makes way for a socket, whose lock says that no memd listens there.
func replaceSocket(dir *disk.Dir, path string) error {
	fi, err := dir.Lstat(filepath.Base(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case fi.Mode().Type() != fs.ModeSocket:
		return &inputError{"--socket " + path, "there is something that is no socket",
			advice.Say("name a path where nothing is")}
	}
	if c, err := net.Dial("unix", path); err == nil {
		return errors.Join(&fault{mem.KindLocked, 0, path + ": another program listens there",
			advice.Shell("serve on another --socket PATH")}, c.Close())
	}
	return removeSocket(dir, path)
}

// removeSocket takes a socket out.
func removeSocket(dir *disk.Dir, path string) error {
	// A crash right here leaves a socket that nobody listens on, which the next server replaces.
	if err := dir.Remove(filepath.Base(path)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// maxSocketPath is what the kernels take, less the zero at its end (Linux; others some less).
const maxSocketPath = 107

func socketError(path string, err error) error {
	if len(path) > maxSocketPath {
		return &inputError{"--socket " + path,
			fmt.Sprintf("%d bytes are too many for a socket's path", len(path)),
			advice.Shell("--socket names a shorter one, like $XDG_RUNTIME_DIR/memd.sock")}
	}
	if errors.Is(err, os.ErrPermission) {
		return &fs.PathError{Op: "listen", Path: path, Err: fs.ErrPermission}
	}
	return fmt.Errorf("--socket: %w", err)
}

// listenSocket listens on a new socket, which the holder of its lock removes.
func listenSocket(path string) (net.Listener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	return l, nil
}

// MaxConns is how many connections may be open over TCP, and how many over the unix socket, where
// the process may have the descriptors.
const MaxConns = 1_024

// sparedFiles are descriptors for all that is no connection.
const sparedFiles = 256

// conns are the connections of one kind. Past their number those give way that have rested for
// longest: idle ones, and those that are not admitted yet. So a client that opens many, or sends
// half a request, keeps no other client out.
type conns struct {
	most int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // in waiting; nil: an admitted request runs
	waiting list.List
}

func newConns(most int) *conns { return &conns{most: most, open: map[net.Conn]*list.Element{}} }

// changed takes the states of connections from the server of net/http.
func (c *conns) changed(conn net.Conn, state http.ConnState) {
	if over := c.note(conn, state); over != nil {
		over.Close() // nothing was asked on it, or all was answered
	}
}

// note keeps the state of a connection, and returns one that is to give way.
func (c *conns) note(conn net.Conn, state http.ConnState) (over net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew, http.StateIdle:
		c.leave(conn)
		c.open[conn] = c.waiting.PushBack(conn)
	case http.StateHijacked, http.StateClosed:
		c.leave(conn)
		delete(c.open, conn)
	}
	if state != http.StateNew || len(c.open) <= c.most {
		return nil
	}
	// It may be the new one itself: where all others ask, they have come first.
	over = c.waiting.Front().Value.(net.Conn)
	c.leave(over)
	delete(c.open, over)
	return over
}

// admitted notes that a connection has an admitted request.
func (c *conns) admitted(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leave(conn) {
		c.open[conn] = nil
	}
}

// leave takes a connection out of those that wait, and reports whether it was there.
func (c *conns) leave(conn net.Conn) bool {
	at := c.open[conn]
	if at != nil {
		c.waiting.Remove(at)
	}
	return at != nil
}

// connsOf returns those of the kind of a connection.
func (s *Server) connsOf(conn net.Conn) *conns {
	if isUnix(conn) {
		return s.unix
	}
	return s.tcp
}

// isUnix reports whether a connection came over the unix socket.
func isUnix(conn net.Conn) bool {
	addr, ok := conn.LocalAddr().(*net.UnixAddr)
	return ok && addr.Net == "unix"
}
