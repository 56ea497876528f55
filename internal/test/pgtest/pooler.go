package pgtest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// Pooled returns the URL of a database through a PgBouncer of its own, which has so many sessions
// and gives them out in a mode: "transaction" gives each transaction any of them, "session" a
// client one for as long as it is connected.
func (s *Server) Pooled(t testing.TB, url, mode string, sessions int) string {
	t.Helper()
	database, _, _ := strings.Cut(strings.TrimPrefix(url, owner), "?")
	path := testkit.Program(t, "pgbouncer")
	dir, err := os.MkdirTemp(inMemory(), "mem-bounce-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { // it does not run as root
		t.Fatal(err)
	}
	const port = 6432
	config := filepath.Join(dir, "config")
	if err := os.WriteFile(config, fmt.Appendf(nil, `[databases]
%s = host=%s dbname=%[1]s user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = %[3]s
listen_port = %d
auth_type = any
pool_mode = %s
default_pool_size = %d
max_client_conn = 500
`, database, s.Dir, dir, port, mode, sessions), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := s.as(path, "-q", config)
	var told strings.Builder
	cmd.Stdout, cmd.Stderr = &told, &told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()
	})
	testkit.WaitFor(t, "pgbouncer", func() bool {
		conn, err := net.Dial("unix", filepath.Join(dir, fmt.Sprintf(".s.PGSQL.%d", port)))
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	return fmt.Sprintf("%s%s?host=%s&port=%d", owner, database, dir, port)
}
