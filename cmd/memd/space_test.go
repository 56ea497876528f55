//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/pgtest"
)

// space is a space of a database, which mem is called with.
type space struct {
	t   *testing.T
	bin string
	url string // of the space
}

// newSpace makes a database with one space.
func newSpace(t *testing.T, server *pgtest.Server) *space {
	t.Helper()
	url := server.Database(t)
	s := &space{t, programs(t), url + "&space=one"}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, args := range [][]string{{"migrate"}, {"space", "add", "one", "--no-role"}} {
		cmd := exec.Command(filepath.Join(s.bin, "mem"), append(args, "--root", url)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return s
}

// mem runs mem on the space.
func (s *space) mem(args ...string) ran {
	s.t.Helper()
	return run(s.t, exec.Command(filepath.Join(s.bin, "mem"), append(args, "--root", s.url)...))
}

// must is mem where it has to succeed; it returns the answer.
func (s *space) must(args ...string) string {
	s.t.Helper()
	got := s.mem(args...)
	if got.code != 0 {
		s.t.Fatalf("%v: %+v", args, got)
	}
	return strings.TrimSpace(got.out)
}
