//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/pgtest"
)

// space is a space of a database, which mem is called with.
type space struct {
	t        *testing.T
	server   *pgtest.Server
	bin      string
	url      string // of the space
	database string
}

// newSpace makes a database with one space.
func newSpace(t *testing.T, server *pgtest.Server) *space {
	t.Helper()
	url := server.Database(t)
	_, name, _ := strings.Cut(url, "@/")
	name, _, _ = strings.Cut(name, "?")
	s := &space{t, server, programs(t), url + "&space=one", name}
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

// said records an event, and returns the id of its first chunk.
func (s *space) said(text string) string {
	s.t.Helper()
	return s.must("event", "--session", "s1", "--kind", "message", "--actor", "human:ada",
		"--text", text, "--jq", ".chunk_ids[0]")
}

// table returns the ids and texts of the table of chunks.
func (s *space) table() string {
	s.t.Helper()
	return s.server.SQL(s.t, s.database,
		"SELECT chunk_id || ' ' || text FROM mem.chunks ORDER BY ts, chunk_id")
}

// The upkeep fills the table of chunks with what "mem get" has of them, where the configuration
// says so: what is new each time, and nothing of what was purged.
func TestUpkeepFillsChunks(t *testing.T) {
	s := newSpace(t, pgtest.Shared(t))
	first := s.said("the first")
	s.must("compact")
	if got := s.table(); got != "" {
		t.Fatalf("nobody asked for chunks: %s", got)
	}
	s.must("config", "set", "postgres.chunks", "true")
	long := strings.TrimSpace(strings.Repeat("a word and another one. ", 200))
	s.said(long)
	if got := s.must("compact", "--if-needed", "--jq", ".chunks"); got == "1" || got == "null" {
		t.Errorf("chunks: %s", got)
	}
	rows := strings.Split(strings.TrimSpace(s.table()), "\n")
	if len(rows) < 3 || rows[0] != first+" the first" {
		t.Fatalf("%q", rows)
	}
	for _, row := range rows {
		id, text, _ := strings.Cut(row, " ")
		if got := s.must("get", id); got != text {
			t.Errorf("%s: %q in the table, and %q", id, text, got)
		}
	}
	second := s.said("the second")
	if got := s.must("compact", "--jq", ".chunks"); got != "1" {
		t.Errorf("chunks that are new: %s", got)
	}
	if got := s.must("compact", "--jq", ".chunks"); got != "null" {
		t.Errorf("chunks that are stored again: %s", got)
	}
	if got := s.mem("doctor").out; !strings.Contains(got, "is filled up to envelope 3 of 3") {
		t.Errorf("doctor: %s", got)
	}
	key := fmt.Sprintf("/event/s1/evt_%s", second[4:len(second)-3])
	s.must("forget", key, "--purge", "--reason", "test")
	if got := s.table(); strings.Contains(got, "second") {
		t.Errorf("after a purge: %s", got)
	}
	s.must("compact")
	if got := s.table(); strings.Contains(got, "second") || !strings.Contains(got, "the first") {
		t.Errorf("after a purge, and a fill: %s", got)
	}
	s.must("config", "set", "postgres.chunks", "false")
	s.must("compact")
	if got := s.table(); got != "" {
		t.Errorf("chunks that nobody wants: %s", got)
	}
}
