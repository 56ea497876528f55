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

// A space may have any name: the one of which mem_NAME is taken by the group of all roles has a
// role of its own too, and no space gets the group.
func TestSpaceCalledSpace(t *testing.T) {
	server := pgtest.Own(t, "fsync=off")
	bin, url := programs(t), server.Database(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	mem := func(args ...string) ran {
		return run(t, exec.Command(filepath.Join(bin, "mem"), args...))
	}
	for _, args := range [][]string{{"migrate"}, {"space", "add", "space"}, {"space", "add", "a"}} {
		if got := mem(append(args, "--root", url)...); got.code != 0 {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	own := strings.Replace(url, "postgres@", "mem-space@", 1)
	if got := mem("note", "a fox", "--root", own+"&space=space"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	if got := mem("note", "a fox", "--root", own+"&space=a"); got.code == 0 {
		t.Errorf("another space: %+v", got)
	}
	got := mem("space", "add", "b", "--role", "mem_space", "--root", url)
	if got.code != 2 || !strings.Contains(got.stderr, "mem_space: the roles of all spaces are") {
		t.Errorf("%+v", got)
	}
}

// A project that was to be on a server which does not answer stores nothing on this machine.
func TestNothingIsLocalAfterInitRemoteFailed(t *testing.T) {
	bin, home := programs(t), t.TempDir()
	project := filepath.Join(home, "p")
	if out, err := exec.Command("git", "init", "-q", project).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	mem := func(args ...string) ran {
		cmd := exec.Command(filepath.Join(bin, "mem"), args...)
		cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		return run(t, cmd)
	}
	got := mem("init", "--yes", "--remote", "postgres://127.0.0.1:1/db?space=s")
	if got.code != 6 || got.out != "" || !strings.Contains(got.stderr, "cannot be reached") {
		t.Errorf("init: %+v", got)
	}
	for _, args := range [][]string{{"note", "a fox"}, {"decide", "a fox"},
		{"set", "/k/1", "1", "-s", "x"}} {
		if got := mem(args...); got.code != 6 {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := mem("notes", "--layer", "user"); strings.Contains(got.out, "fox") {
		t.Errorf("%+v", got)
	}
}
