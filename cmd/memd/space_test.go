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

// A server has one list of roles: a space has a role of its own in each database, which sees no
// space of another, and is the same when the space is there. --role names a role to be shared.
func TestRolesOfSpaces(t *testing.T) {
	server := pgtest.Own(t, "fsync=off")
	bin, one, two := programs(t), server.Database(t), server.Database(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	mem := func(url string, args ...string) ran {
		return run(t, exec.Command(filepath.Join(bin, "mem"), append(args, "--root", url)...))
	}
	add := func(url string, args ...string) (at, said string) {
		t.Helper()
		got := mem(url, append([]string{"space", "add"}, args...)...)
		if got.code != 0 {
			t.Fatalf("%v: %+v", args, got)
		}
		return strings.TrimSpace(got.out), got.stderr
	}
	longest := strings.Repeat("n", 48)
	for _, space := range []string{"team", "space", "a_b", longest} {
		var places [2]string
		for i, url := range []string{one, two} {
			if got := mem(url, "migrate"); got.code != 0 {
				t.Fatalf("%+v", got)
			}
			var said string
			places[i], said = add(url, space)
			if !strings.Contains(said, "~/.pgpass") {
				t.Errorf("%s: no password: %s", space, said)
			}
			if got := mem(places[i], "note", "a fox"); got.code != 0 {
				t.Errorf("%s: %+v", places[i], got)
			}
			if again, _ := add(url, space); again != places[i] {
				t.Errorf("%s, and again %s", places[i], again)
			}
		}
		// The role of the first database, in the second.
		user, _, _ := strings.Cut(places[0], "@")
		_, rest, _ := strings.Cut(places[1], "@")
		if got := mem(user+"@"+rest, "notes"); got.code == 0 {
			t.Errorf("%s sees the second database: %+v", user, got)
		}
	}
	// Of a build that called it mem_team, and of one that was left where the space was removed.
	server.SQL(t, "test1", "CREATE ROLE mem_old LOGIN IN ROLE mem_space; "+
		"INSERT INTO mem.spaces (name, role) VALUES ('old', 'mem_old')")
	old, _ := add(one, "old")
	if !strings.Contains(old, "//mem_old@") || mem(old, "note", "a fox").code != 0 {
		t.Errorf("an old role: %s", old)
	}
	if other, _ := add(two, "old"); strings.Contains(other, "//mem_old@") {
		t.Errorf("the role of another database: %s", other)
	}
	server.SQL(t, "test1", "DELETE FROM mem.spaces WHERE name = 'a_b'")
	got := mem(one, "space", "add", "a_b")
	if got.code != 2 || !strings.Contains(got.stderr, "exists already, and no space of this") {
		t.Errorf("a role that was left: %+v", got)
	}
	_, said := add(two, "b", "--role", "mem_old")
	if !strings.Contains(said, "keeps its password") {
		t.Errorf("a role that was named: %s", said)
	}
	got = mem(one, "space", "add", "b", "--role", "mem_space")
	if got.code != 2 || !strings.Contains(got.stderr, "role mem_space: mem has it for all spaces") {
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
