package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/set-memory/mem/internal/test/pgtest"
)

// server is a memd with three tenants: ada's is measured, and eve's and that of rich, which has 30
// MB, flood.
type server struct {
	dir, address   string
	memd, root     string
	ada, eve, rich string         // tokens
	pg             *pgtest.Server // nil: the memories are files
	cmd            *exec.Cmd
	ended          chan error
}

func startServer(memd string, postgres bool) (s *server, err error) {
	memd, err = filepath.Abs(memd)
	if err != nil {
		return nil, err
	}
	s = &server{memd: memd, ended: make(chan error, 1)}
	if s.dir, err = os.MkdirTemp("", "mem-flood-"); err != nil {
		return nil, err
	}
	s.root = filepath.Join(s.dir, "root")
	if postgres {
		if err := s.startPostgres(); err != nil {
			return nil, err
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.address = free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	s.cmd = s.command("serve", "--listen", s.address, "--log-level", "error",
		"--socket", filepath.Join(s.dir, "socket"))
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	for range 100 {
		if res, err := http.Get(s.url("/healthz")); err == nil {
			return s, errors.Join(res.Body.Close(), s.fill())
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.New("memd does not answer")
}

func (s *server) url(path string) string { return "http://" + s.address + path }

// startPostgres starts a PostgreSQL with a space for each tenant.
func (s *server) startPostgres() (err error) {
	if err := os.Chmod(s.dir, 0o755); err != nil { // it does not run as root
		return err
	}
	if s.pg, err = pgtest.StartIn(s.dir); err != nil {
		return err
	}
	s.root = s.pg.URL("postgres")
	for _, args := range [][]string{{"migrate"}, {"space", "add", "t1"}, {"space", "add", "t2"},
		{"space", "add", "t3"}} {
		if out, err := s.command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", args, err, out)
		}
	}
	return nil
}

// command returns a verb of memd on its root.
func (s *server) command(verb string, args ...string) *exec.Cmd {
	cmd := exec.Command(s.memd, append([]string{verb, "--root", s.root}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "XDG_CACHE_HOME="+s.dir)
	return cmd
}

// of returns a verb on the memory of a tenant.
func (s *server) of(tenant, verb string, args ...string) *exec.Cmd {
	own := *s
	if own.root += "&space=" + tenant; s.pg == nil {
		own.root = filepath.Join(s.root, "tenants", tenant)
	}
	return own.command(verb, args...)
}

// fill makes the tokens and the memories.
func (s *server) fill() (err error) {
	token := func(tenant string) string {
		out, failed := s.command("token", "add", tenant, "--agent", "a", "--yes").Output()
		err = errors.Join(err, failed)
		return strings.TrimSpace(string(out))
	}
	s.ada, s.eve, s.rich = token("t1"), token("t2"), token("t3")
	if err != nil {
		return err
	}
	return errors.Join(s.put(s.ada, "/api/v1/memories/k", `{"content":7,"source":"x"}`),
		s.memories("t2", 15_000, 4), s.memories("t3", 15_000, 75), s.get(s.eve, "/p/7"),
		s.get(s.rich, "/p/7"))
}

// memories stores so many memories of a tenant, each with as many sentences.
func (s *server) memories(tenant string, count, sentences int) error {
	var lines bytes.Buffer
	for i := range count {
		fmt.Fprintf(&lines, `{"key":"/p/%d","source":"x","content":{"text":"memory %d %s %d"}}`+"\n",
			i, i, strings.Repeat("lorem ipsum dolor sit amet ", sentences), i*7919%9973)
	}
	set := s.of(tenant, "set", "-", "-q")
	set.Stdin = &lines
	if out, err := set.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (s *server) put(token, path, body string) error {
	return s.ask(http.DefaultClient, http.MethodPut, token, path, body)
}

func (s *server) get(token, key string) error {
	return s.ask(http.DefaultClient, http.MethodGet, token, "/api/v1/memories"+key, "")
}

func (s *server) ask(client *http.Client, method, token, path, body string) error {
	req, err := http.NewRequest(method, s.url(path), strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(res.Body)
	return errors.Join(err, res.Body.Close(), statusError(res, text))
}

// peak returns the most memory that memd had since the last call, in MiB.
func (s *server) peak() int {
	proc := fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid)
	text, _ := os.ReadFile(proc + "status")
	_ = os.WriteFile(proc+"clear_refs", []byte("5"), 0)
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return kb >> 10
}

// used returns the processor time that memd has used.
func (s *server) used() time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	fields := strings.Fields(string(text))
	if len(fields) < 15 {
		return 0
	}
	user, _ := strconv.Atoi(fields[13])
	system, _ := strconv.Atoi(fields[14])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// gone reports whether memd has ended.
func (s *server) gone() bool {
	select {
	case err := <-s.ended:
		s.ended <- err
		return true
	default:
		return false
	}
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGKILL)
	<-s.ended
	if s.pg != nil {
		s.pg.Remove()
	}
	_ = os.RemoveAll(s.dir)
}
