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

// A URL that names replicas is warned of once, by a command and by a server.
func TestReadInURLIsWarnedOf(t *testing.T) {
	s := newSpace(t, pgtest.Shared(t))
	s.must("set", "/k/1", `{"text":"a fox"}`, "-s", "chat")
	whole, _, _ := strings.Cut(s.url, "&space=")
	s.url += "&read=near.example:5433"
	tokens := exec.Command(filepath.Join(s.bin, "memd"), "token", "list", "--root",
		whole+"&read=near.example")
	for name, got := range map[string]ran{"search": s.mem("search", "fox"),
		"token": run(t, tokens)} {
		if got.code != 0 || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, "warning: read= in the URL has no effect any more") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
