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
)

// server is a memd with two tenants: ada's is measured, and eve's floods.
type server struct {
	dir, address string
	ada, eve     string // tokens
	cmd          *exec.Cmd
	ended        chan error
}

func startServer(memd string) (s *server, err error) {
	memd, err = filepath.Abs(memd)
	if err != nil {
		return nil, err
	}
	s = &server{ended: make(chan error, 1)}
	if s.dir, err = os.MkdirTemp("", "mem-flood-"); err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.address = free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	root := filepath.Join(s.dir, "root")
	s.cmd = exec.Command(memd, "serve", "--root", root, "--listen", s.address,
		"--log-level", "error")
	s.cmd.Env = append(os.Environ(), "HOME="+s.dir)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	for range 100 {
		if res, err := http.Get(s.url("/healthz")); err == nil {
			return s, errors.Join(res.Body.Close(), s.fill(memd, root))
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.New("memd does not answer")
}

func (s *server) url(path string) string { return "http://" + s.address + path }

// fill makes the tokens and the memories.
func (s *server) fill(memd, root string) (err error) {
	token := func(tenant string) string {
		out, failed := exec.Command(memd, "token", "add", tenant, "--agent", "a", "--root", root,
			"--yes").Output()
		err = errors.Join(err, failed)
		return strings.TrimSpace(string(out))
	}
	s.ada, s.eve = token("t1"), token("t2")
	if err != nil {
		return err
	}
	if err := s.put(s.ada, "/api/v1/memories/k", `{"content":7,"source":"x"}`); err != nil {
		return err
	}
	var lines bytes.Buffer
	for i := range 15_000 {
		fmt.Fprintf(&lines, `{"key":"/p/%d","source":"x","content":{"text":"memory %d %s %d"}}`+"\n",
			i, i, strings.Repeat("lorem ipsum dolor sit amet ", 4), i*7919%9973)
	}
	set := exec.Command(memd, "set", "-", "-q", "--root", filepath.Join(root, "tenants", "t2"))
	set.Stdin = &lines
	if out, err := set.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (s *server) put(token, path, body string) error {
	req, err := http.NewRequest(http.MethodPut, s.url(path), strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
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
	_ = os.RemoveAll(s.dir)
}
