//go:build unix

package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/pgtest"
)

// Each command is a process of its own: it sees what the last one wrote, also where the replica
// stands still, and what it did not write it sees as the replica has it.
func TestCommandsReadReplica(t *testing.T) {
	server := pgtest.Own(t, "fsync=off")
	plain := newSpace(t, server)
	plain.must("set", "/k/1", `{"text":"a known fox"}`, "-s", "chat")
	standby := server.Standby(t)
	s := *plain
	s.url += "&read=" + url.QueryEscape(standby.Dir)
	if got := s.must("search", "fox"); !strings.Contains(got, "known fox") {
		t.Errorf("search: %s", got)
	}
	if got := s.mem("doctor").out; !strings.Contains(got, "has all that the primary has") {
		t.Errorf("doctor: %s", got)
	}
	standby.Pause(t)
	elsewhere(t, func() { plain.must("set", "/k/1", `{"text":"a new fox"}`, "-s", "chat") })
	if got := s.must("get", "/k/1") + s.must("search", "fox"); strings.Contains(got, "new") {
		t.Errorf("the replica is not asked: %s", got)
	}
	s.must("set", "/k/2", `{"text":"my own fox"}`, "-s", "chat")
	for _, args := range [][]string{{"get", "/k/2"}, {"search", "fox"}, {"ls", "/k"},
		{"history", "/k/2"}} {
		got := s.mem(args...)
		if got.code != 0 || got.stderr != "" || !strings.Contains(got.out, "own fox") &&
			!strings.Contains(got.out, "/k/2") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	s.must("forget", "/k/2", "--purge", "--reason", "test")
	if got := s.mem("get", "/k/2"); got.code != 1 {
		t.Errorf("after a purge: %+v", got)
	}
	s.must("fsck")
	if err := standby.Down("immediate"); err != nil {
		t.Fatal(err)
	}
	if got := s.mem("search", "fox"); got.code != 0 || !strings.Contains(got.out, "new fox") ||
		strings.Count(got.stderr, "\n") != 1 ||
		!strings.Contains(got.stderr, "warning: the replica cannot be asked, so the primary is") {
		t.Errorf("without the replica: %+v", got)
	}
}

// elsewhere runs something as another machine does, with copies of its own.
func elsewhere(t *testing.T, run func()) {
	t.Helper()
	own := os.Getenv("XDG_CACHE_HOME")
	os.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "elsewhere"))
	defer os.Setenv("XDG_CACHE_HOME", own)
	run()
}
