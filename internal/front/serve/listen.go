package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/log"
)

// SocketFile is the name of the unix socket, unless another is given.
const SocketFile = "memd.sock"

// Listeners are where a server takes connections from.
type Listeners struct {
	all    []listener
	undo   []func() error // what closes them does not
	tls    *tls.Config    // of TCP; nil: it is not encrypted
	Socket string         // the path of the unix socket; "": none was made here
}

// listener is one of them; with tls nil it is not encrypted.
type listener struct {
	net.Listener
	tls  *tls.Config
	host string // as its caller named it; "": an address alone is known
}

// serving returns the listener of connections that end where a client takes too little.
func (l listener) serving(clock func() time.Time) net.Listener {
	patient := patience{l.Listener, clock}
	if l.tls == nil {
		return patient
	}
	return tls.NewListener(patient, l.tls)
}

// Inherited returns the sockets that systemd has opened for this process; none: it has not.
func Inherited() (*Listeners, error) {
	all, err := activation.Listeners()
	l := &Listeners{}
	for _, one := range all {
		if one != nil {
			l.all = append(l.all, listener{Listener: one})
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
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fault.Input("--listen "+address, "want HOST:PORT",
			advice.Shell("--listen localhost:8181"))
	}
	one, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	l.all = append(l.all, listener{one, l.tls, host})
	return nil
}

// Origin returns what the URLs of the first TCP address begin with, as a browser on this machine
// names it: with TLS by the name that it was given, which the certificate has. "" for no address.
func (l *Listeners) Origin() string {
	for _, one := range l.all {
		addr, is := one.Addr().(*net.TCPAddr)
		if !is {
			continue
		}
		scheme, host := "http", addr.IP.String()
		if addr.IP.IsUnspecified() {
			host = "localhost"
		}
		if one.tls != nil {
			scheme = "https"
			if net.ParseIP(one.host) == nil && one.host != "" {
				host = one.host
			}
		}
		return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(addr.Port))
	}
	return ""
}

// Encrypt lets the TCP addresses that are added later take TLS alone, with the certificates and the
// key of two files. They are read again when they were replaced.
func (l *Listeners) Encrypt(cert, key string) error {
	if cert == "" || key == "" {
		return fault.Input("--tls-cert", "it goes with --tls-key",
			advice.Shell("--tls-cert FILE --tls-key FILE"))
	}
	pair := &keyPair{cert: cert, key: key}
	if _, err := pair.get(nil); err != nil {
		return fault.Input("--tls-cert", mem.Message(err), nil)
	}
	l.tls = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.get}
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
	l.all, l.undo, l.Socket = append(l.all, listener{Listener: one}), append(l.undo, undo), path
	return nil
}

// served describes the process that listens at a path already, and so has its lock.
func served(path string, err error) error {
	locked := (*log.LockedError)(nil)
	if !errors.As(err, &locked) {
		return err
	}
	who := "another process"
	if pid := locked.Holder.PID; pid != 0 {
		who = fmt.Sprintf("pid %d (since %s)", pid, locked.Holder.Since)
	}
	return &fault.Fault{What: path, Why: "already served by " + who, Err: locked,
		Do: advice.Shell("stop that one, or serve on another --socket PATH")}
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
		return fault.Input("--socket "+path, "there is something that is no socket",
			advice.Say("name a path where nothing is"))
	}
	if c, err := net.Dial("unix", path); err == nil {
		return errors.Join(newFault(mem.KindLocked, 0, path+": another program listens there",
			advice.Shell("serve on another --socket PATH")), c.Close())
	}
	return removeSocket(dir, path)
}

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
		return fault.Input("--socket "+path,
			fmt.Sprintf("%d bytes are too many for a socket's path", len(path)),
			advice.Shell("--socket names a shorter one, like $XDG_RUNTIME_DIR/memd.sock"))
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
