package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
)

// Server is a PostgreSQL for tests.
type Server struct {
	Dir  string // holds data/ and the socket
	bin  string // directory of the programs
	user string // whose process it is

	mu sync.Mutex
	n  int // databases so far
}

// The server of this test binary.
var (
	once   sync.Once
	shared *Server
	failed error
)

// Shared returns the server of this test binary, which Stop ends. Durability is off: what is tested
// with it is not the disk.
func Shared(t testing.TB) *Server {
	t.Helper()
	once.Do(func() { shared, failed = Start("fsync=off", "synchronous_commit=on") })
	testkit.Need(t, !errors.Is(failed, errMissing), fmt.Sprint(failed))
	if failed != nil {
		t.Fatal(failed)
	}
	return shared
}

// Stop ends the shared server, if it was started.
func Stop() {
	if shared != nil {
		shared.Remove()
	}
}

// Own returns a server for one test, with settings of its own.
func Own(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := Start(settings...)
	testkit.Need(t, !errors.Is(err, errMissing), fmt.Sprint(err))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Remove)
	return s
}

var errMissing = errors.New("PostgreSQL is not installed: apt-get install postgresql")

// programs returns the directory of the newest PostgreSQL here.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	all, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(all) == 0 {
		return "", errMissing
	}
	slices.Sort(all)
	return filepath.Dir(all[len(all)-1]), nil
}

// Start makes a server and starts it, in memory where that can be.
func Start(settings ...string) (*Server, error) {
	return StartIn(inMemory(), settings...)
}

// inMemory returns a directory in memory, whose path is short enough for sockets.
func inMemory() string {
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// StartIn makes a server in a directory of its own below another one, and starts it: what is
// measured needs a disk. PostgreSQL does not run as root: then its own user runs it, who must be
// able to get there. A setting stands in place of those that every server here has.
func StartIn(base string, settings ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(base, "mem-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, bin: bin}
	if me, err := user.Current(); err == nil {
		s.user = me.Username
	}
	if os.Geteuid() == 0 {
		if err := s.giveAway("postgres"); err != nil {
			return nil, err
		}
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8",
		"--locale=C", "--no-sync"); err != nil {
		return nil, err
	}
	return s, s.Up(settings...)
}

// giveAway makes the directory another user's.
func (s *Server) giveAway(name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return fmt.Errorf("%w, with its user %s", errMissing, name)
	}
	var uid, gid int
	if _, err := fmt.Sscan(u.Uid, &uid); err != nil {
		return err
	}
	if _, err := fmt.Sscan(u.Gid, &gid); err != nil {
		return err
	}
	s.user = name
	return errors.Join(os.Chown(s.Dir, uid, gid), os.Chmod(s.Dir, 0o755))
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// run runs a program of PostgreSQL to its end.
func (s *Server) run(name string, args ...string) error {
	cmd := s.command(name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	return s.as(filepath.Join(s.bin, name), args...)
}

// as returns a command that the server's user runs.
func (s *Server) as(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	if os.Geteuid() == 0 {
		cmd = exec.Command("setpriv", append([]string{"--reuid", s.user, "--regid", s.user,
			"--init-groups", path}, args...)...)
	}
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return cmd
}

// Up starts the server, and waits until it answers or ends. pg_ctl itself waits a minute only,
// which a recovery on a busy machine exceeds.
func (s *Server) Up(settings ...string) error {
	options := "-c listen_addresses= -c max_connections=300 -c unix_socket_directories=" + s.Dir
	for _, setting := range settings {
		options += " -c " + setting
	}
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "86400", "-l", filepath.Join(s.Dir, "log"),
		"-o", options, "start")
}

// Down ends the server; at once, as a crash does, where mode is "immediate".
func (s *Server) Down(mode string) error {
	return s.run("pg_ctl", "-D", s.data(), "-m", mode, "-w", "-t", "86400", "stop")
}

// Kill kills the server's first process with SIGKILL, and waits until all others have ended too.
func (s *Server) Kill() error {
	pids, err := s.pids()
	if err != nil || len(pids) == 0 {
		return errors.Join(err, errors.New("no server to kill"))
	}
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // a child may have ended by itself
		}
	}
	for _, pid := range pids {
		for isThere(pid) {
			time.Sleep(time.Millisecond)
		}
	}
	return os.Remove(filepath.Join(s.data(), "postmaster.pid"))
}

func isThere(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// pids returns the processes of the server, the first one first.
func (s *Server) pids() (list []int, err error) {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return nil, err
	}
	var first int
	if _, err := fmt.Sscan(string(text), &first); err != nil {
		return nil, err
	}
	out, _ := exec.Command("pgrep", "-P", fmt.Sprint(first)).Output() // none is no error
	list = append(list, first)
	for _, line := range strings.Fields(string(out)) {
		var pid int
		if _, err := fmt.Sscan(line, &pid); err == nil {
			list = append(list, pid)
		}
	}
	return list, nil
}

// Remove ends the server and removes all of it.
func (s *Server) Remove() {
	_ = s.Down("immediate") // it may be down
	os.RemoveAll(s.Dir)
}

// owner begins the URL of a database.
const owner = "postgres://postgres@/"

// URL returns the address of a database, as its owner.
func (s *Server) URL(database string) string {
	return owner + database + "?host=" + s.Dir
}

// Database makes an empty database and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	s.mu.Lock()
	s.n++
	name := fmt.Sprintf("test%d", s.n)
	s.mu.Unlock()
	if err := s.run("createdb", "-h", s.Dir, "-U", "postgres", name); err != nil {
		t.Fatal(err)
	}
	return s.URL(name)
}

// SQL runs statements in a database, and returns what psql prints.
func (s *Server) SQL(t testing.TB, database, text string) string {
	t.Helper()
	cmd := s.command("psql", "-h", s.Dir, "-U", "postgres", "-d", database, "-XAtq", "-v",
		"ON_ERROR_STOP=1")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v: %s", err, out)
	}
	return string(out)
}
