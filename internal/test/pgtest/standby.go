package pgtest

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Standby makes a hot standby of the server, which follows it until the test ends. It ends with
// its test, and the server does not wait for it.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(s.Dir), "mem-pg-")
	if err != nil {
		t.Fatal(err)
	}
	standby := &Server{Dir: dir, bin: s.bin, user: s.user}
	t.Cleanup(standby.Remove)
	if os.Geteuid() == 0 {
		err = standby.giveAway(s.user)
	}
	if err == nil {
		err = standby.run("pg_basebackup", "-D", standby.data(), "-h", s.Dir, "-U", "postgres",
			"-R", "-X", "stream", "-c", "fast", "--no-sync")
	}
	if err == nil {
		err = standby.Up("fsync=off")
	}
	if err != nil {
		t.Fatal(err)
	}
	return standby
}

// Pause lets a standby replay nothing more: what it answers grows old.
func (s *Server) Pause(t testing.TB) {
	t.Helper()
	s.SQL(t, "postgres", "SELECT pg_wal_replay_pause()")
	for s.SQL(t, "postgres", "SELECT pg_get_wal_replay_pause_state()") != "paused\n" {
		time.Sleep(time.Millisecond)
	}
}

// Resume lets a standby go on after Pause.
func (s *Server) Resume(t testing.TB) {
	t.Helper()
	s.SQL(t, "postgres", "SELECT pg_wal_replay_resume()")
}
