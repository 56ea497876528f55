package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"

	"github.com/set-memory/mem/scripts/harness"
)

const (
	reading = "reads"  // the database that is read from
	writing = "writes" // and the one that is written to, which is empty before
	memory  = "memory" // the space that has all events
)

// lab is what every measurement needs: a server, the same memory in it and in files, and how long
// to measure.
type lab struct {
	opt     options
	now     string // the current database
	dir     string // on the disk
	server  *pgtest.Server
	pool    *pgxpool.Pool // of the current database, as its owner
	files   string        // root of the memory in files
	mem     string
	memd    string
	daemons []*daemon // that run

	rounds    int           // of the writes
	round     time.Duration // of each side in one
	reps      int           // of reads
	agents    time.Duration // how long they ask
	textsMade bool
}

// open starts the server and fills it, until close is called.
func (l *lab) open(ctx context.Context, opt options) {
	*l = lab{opt: opt, rounds: 5, round: 3 * time.Second, reps: 100, agents: 30 * time.Second}
	if opt.quick {
		l.rounds, l.round, l.reps, l.agents = 2, time.Second, 20, 5*time.Second
	}
	l.mem = harness.Must(filepath.Abs(opt.mem))
	l.memd = filepath.Join(filepath.Dir(l.mem), "memd")
	l.dir = harness.Must(os.MkdirTemp(opt.dir, "mem-bench-"))
	l.files = filepath.Join(l.dir, "files")
	settings := []string{"max_connections=700"}
	if opt.profile != "" {
		settings = append(settings, "shared_preload_libraries=pg_stat_statements",
			"pg_stat_statements.track_planning=on")
	}
	l.server = harness.Must(pgtest.StartIn(opt.dir, settings...))
	l.newDatabase(ctx, reading)
	l.fill(ctx)
}

// newDatabase makes a database with the tables of mem, which is then the current one.
func (l *lab) newDatabase(ctx context.Context, name string) {
	if l.pool != nil {
		l.pool.Close()
	}
	first := harness.Must(pgxpool.New(ctx, l.server.URL("postgres")))
	defer first.Close()
	harness.Must(first.Exec(ctx, "CREATE DATABASE "+name))
	l.now = name
	l.pool = harness.Must(pgxpool.New(ctx, l.url()))
	if l.opt.profile != "" {
		l.sql(ctx, "CREATE EXTENSION pg_stat_statements")
	}
	harness.Must(pgstore.Migrate(ctx, l.url()))
}

func (l *lab) close() {
	if l.pool != nil {
		l.pool.Close()
	}
	if l.server != nil {
		l.server.Remove()
	}
	if err := os.RemoveAll(l.dir); err != nil {
		fmt.Fprintln(os.Stderr, "pgbench: left behind:", err)
	}
}

func (l *lab) path(name string) string { return filepath.Join(l.dir, name) }

// url is that of the current database, as its owner.
func (l *lab) url() string { return l.server.URL(l.now) }

// sql runs statements without parameters.
func (l *lab) sql(ctx context.Context, text string) {
	conn := harness.Must(l.pool.Acquire(ctx))
	defer conn.Release()
	if err := conn.Conn().PgConn().Exec(ctx, text).Close(); err != nil {
		harness.Failf("%.60s: %w", text, err)
	}
}

// ask returns one number.
func (l *lab) ask(ctx context.Context, text string, args ...any) (n int64) {
	harness.Check(l.pool.QueryRow(ctx, text, args...).Scan(&n))
	return n
}

// space makes a space with a role of its own, as memd space add does.
func (l *lab) space(ctx context.Context, name string) {
	harness.Must(pgstore.AddSpace(ctx, l.url(), name,
		&pgstore.Login{Role: roleOf(name), Password: pgstore.NewPassword()}))
}

func roleOf(space string) string { return "bench_" + space }

// place returns where a space is, for its role.
func (l *lab) place(name string) *pgstore.Address {
	p := harness.Must(pgstore.ParseURL(l.url()))
	return p.As(roleOf(name), name)
}

// openStore opens a space as its role. Its copy is below a directory of the lab.
func (l *lab) openStore(name, cache string) (*mem.Store, *pgstore.Store) {
	place := l.place(name)
	back := harness.Must(pgstore.Open(place, pgstore.Options{CacheDir: l.path(cache)}))
	return mem.New(back, mem.Options{}), back
}

// fill makes the memory in files, and a copy of it on the server.
func (l *lab) fill(ctx context.Context) {
	l.space(ctx, memory)
	place := l.place(memory)
	begin := time.Now()
	l.feed(ctx, "events.jsonl", writeEvents, "event", "-", "-q", "--root", l.files)
	l.feed(ctx, "others.jsonl", writeOthers, "set", "-", "--yes", "-q", "--root", l.files)
	l.call(ctx, l.mem, nil, "compact", "--lock-timeout", "10m", "--root", l.files)
	l.call(ctx, l.memd, nil, "copy", l.files, place.String(), "-q")
	l.sql(ctx, "VACUUM ANALYZE")
	l.sql(ctx, "CHECKPOINT")
	fmt.Fprintf(os.Stderr, "pgbench: filled in %s\n", harness.Duration(time.Since(begin)))
}

// feed runs mem with a file as its standard input.
func (l *lab) feed(ctx context.Context, name string, write func(io.Writer, int),
	args ...string) {
	f := harness.Must(os.Create(l.path(name)))
	defer f.Close()
	write(f, l.opt.events)
	harness.Must(f.Seek(0, io.SeekStart))
	l.call(ctx, l.mem, f, args...)
}

// call runs mem or memd to its end.
func (l *lab) call(ctx context.Context, program string, stdin *os.File, args ...string) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(cleanEnv(), "XDG_CACHE_HOME="+l.path("cli-cache"))
	if stdin != nil {
		cmd.Stdin = stdin
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		harness.Failf("%s %s: %w: %.400s", program, strings.Join(args, " "), err, out)
	}
}

// cleanEnv leaves out what would change the behaviour of mem from outside.
func cleanEnv() []string { return harness.CleanEnv(os.Environ(), "MEM_", "XDG_", "PG") }
