//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/pgtest"
)

// With --from-copy the verbs that read answer while the server is down, and say as of when; what a
// copy does not have they refuse in one line. mem hands the flag over.
func TestFromCopyWithoutServer(t *testing.T) {
	server := pgtest.Own(t, "fsync=off")
	s := newSpace(t, server)
	s.must("set", "/k/1", `{"text":"a known fox"}`, "-s", "chat")
	if got := s.mem("get", "/k/1", "--from-copy"); got.code != 2 ||
		!strings.Contains(got.stderr, "mem: one: there is no copy on this machine\n") {
		t.Errorf("without a copy: %+v", got)
	}
	s.must("search", "fox")
	if err := server.Down("fast"); err != nil {
		t.Fatal(err)
	}
	if got := s.mem("get", "/k/1"); got.code != 6 ||
		!strings.Contains(got.stderr, "--from-copy answers from this machine's copy") {
		t.Errorf("without the flag: %+v", got)
	}
	for _, args := range [][]string{{"get", "/k/1"}, {"search", "fox"}, {"read"}, {"ls", "/k"},
		{"query", "."}} {
		got := s.mem(append([]string{"--from-copy"}, args...)...)
		if got.code != 0 || strings.Count(got.stderr, "\n") != 1 || got.out == "" ||
			!strings.Contains(got.stderr, "mem: warning: answered from this machine's copy, which "+
				"is as of 2") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	for _, args := range [][]string{{"history", "/k/1"}, {"log"}, {"set", "/k/2", "1", "-s", "x"},
		{"note", "x"}, {"rm", "/k/1", "-s", "x"}, {"compact"}, {"fsck"}, {"stat"},
		{"query", "--history", "."}} {
		got := s.mem(append([]string{"--from-copy"}, args...)...)
		if got.code != 2 || !strings.Contains(got.stderr, "\nmem: hint: leave ") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := run(t, exec.Command(filepath.Join(s.bin, "memd"), "serve", "--from-copy", "--root",
		s.url)); got.code != 2 {
		t.Errorf("serve: %+v", got)
	}
}

// Only a memory in PostgreSQL has a copy.
func TestFromCopyOfFiles(t *testing.T) {
	bin := programs(t)
	for _, program := range []string{"mem", "memd"} {
		cmd := exec.Command(filepath.Join(bin, program), "read", "--from-copy", "--root",
			t.TempDir())
		got := run(t, cmd)
		want := program + ": --from-copy: only a memory in PostgreSQL has a copy on this " +
			"machine\n" + program + ": hint: leave it out, or name one with --root " +
			"postgres://HOST/DATABASE?space=NAME\n"
		if got.code != 2 || got.out != "" || got.stderr != want {
			t.Errorf("%s: %+v", program, got)
		}
	}
}
