package pgstore_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// Through PgBouncer, which gives each transaction any session, all is as elsewhere.
func TestThroughPgBouncer(t *testing.T) {
	path, err := exec.LookPath("pgbouncer")
	testkit.Need(t, err == nil, "pgbouncer is not installed")
	direct := database(t)
	through := bounced(t, path, pgtest.Shared(t), nameOf(t, direct))
	suiteOn(t, func(t testing.TB) *pgstore.Address {
		place, err := pgstore.ParseURL(through + "&space=" + newPlace(t, direct).Space)
		must(t, err)
		return place
	})
	// Other clients of the pooler get sessions with the settings of the server.
	for range 8 {
		if n := number(t, through+"&default_query_exec_mode=simple_protocol",
			"SELECT (current_setting('enable_sort') = 'on')::int"); n != 1 {
			t.Fatal("the settings of a session are those of prepared statements")
		}
	}
}

// A plan that is made while the table is small does not sort the rows of a space for its head.
func TestPlansOfSmallTables(t *testing.T) {
	url := pgtest.Shared(t).Database(t)
	_, err := pgstore.Migrate(ctx, url)
	must(t, err)
	f := follow(t, newRole(t, url), t.TempDir())
	through := pgstore.Through{Store: f.Store}
	for try := 0; ; try++ { // the first connection finds out that none lies between
		var plan string
		must(t, through.QueryRow(ctx, "EXPLAIN (FORMAT JSON) "+pgstore.HeadSQL, "none").Scan(&plan))
		if !strings.Contains(plan, "Sort") {
			return
		}
		if try == 40 {
			t.Fatal(plan)
		}
	}
}

// bounced returns the URL of a database through a PgBouncer of its own, with few sessions. It does
// not run as root.
func bounced(t testing.TB, path string, server *pgtest.Server, database string) string {
	t.Helper()
	dir, err := os.MkdirTemp(socketsIn(), "mem-bounce-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o777))
	const port = 6432
	config := filepath.Join(dir, "config")
	must(t, os.WriteFile(config, fmt.Appendf(nil, `[databases]
%s = host=%s dbname=%[1]s user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = %[3]s
listen_port = %d
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
`, database, server.Dir, dir, port), 0o644))
	args := []string{"-q", config}
	if os.Geteuid() == 0 {
		args = append([]string{"--reuid", "postgres", "--regid", "postgres", "--init-groups", path},
			args...)
		path = testkit.Program(t, "setpriv")
	}
	cmd := exec.Command(path, args...)
	var told strings.Builder
	cmd.Stdout, cmd.Stderr = &told, &told
	must(t, cmd.Start())
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
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", database, dir, port)
}

// socketsIn is where sockets are made: their paths may not be long.
func socketsIn() string {
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		return "/dev/shm"
	}
	return ""
}
