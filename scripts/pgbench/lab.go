package main

import (
	"context"
	"errors"
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
	opt    options
	now    string // the current database
	dir    string // on the disk
	server *pgtest.Server
	pool   *pgxpool.Pool // of the current database, as its owner
	files  string        // root of the memory in files
	mem    string
	memd   string

	rounds    int           // of the writes
	round     time.Duration // of each side in one
	reps      int           // of reads
	agents    time.Duration // how long they ask
	textsMade bool
}

func newLab(ctx context.Context, opt options) (_ *lab, err error) {
	l := &lab{opt: opt, rounds: 5, round: 3 * time.Second, reps: 100, agents: 30 * time.Second}
	if opt.quick {
		l.rounds, l.round, l.reps, l.agents = 2, time.Second, 20, 5*time.Second
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.mem, err = filepath.Abs(opt.mem); err != nil {
		return nil, err
	}
	l.memd = filepath.Join(filepath.Dir(l.mem), "memd")
	if l.dir, err = os.MkdirTemp(opt.dir, "mem-bench-"); err != nil {
		return nil, err
	}
	l.files = filepath.Join(l.dir, "files")
	settings := []string{"max_connections=700"}
	if opt.profile != "" {
		settings = append(settings, "shared_preload_libraries=pg_stat_statements",
			"pg_stat_statements.track_planning=on")
	}
	if l.server, err = pgtest.StartIn(opt.dir, settings...); err != nil {
		return nil, err
	}
	if err := l.newDatabase(ctx, reading); err != nil {
		return nil, err
	}
	return l, l.fill(ctx)
}

// newDatabase makes a database with the tables of mem, which is then the current one.
func (l *lab) newDatabase(ctx context.Context, name string) (err error) {
	if l.pool != nil {
		l.pool.Close()
	}
	first, err := pgxpool.New(ctx, l.server.URL("postgres"))
	if err != nil {
		return err
	}
	defer first.Close()
	if _, err := first.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	l.now = name
	if l.pool, err = pgxpool.New(ctx, l.url()); err != nil {
		return err
	}
	if l.opt.profile != "" {
		if err := l.sql(ctx, "CREATE EXTENSION pg_stat_statements"); err != nil {
			return err
		}
	}
	_, err = pgstore.Migrate(ctx, l.url())
	return err
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
func (l *lab) sql(ctx context.Context, text string) error {
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := conn.Conn().PgConn().Exec(ctx, text).Close(); err != nil {
		return fmt.Errorf("%.60s: %w", text, err)
	}
	return nil
}

// ask returns one number.
func (l *lab) ask(ctx context.Context, text string, args ...any) (n int64, err error) {
	err = l.pool.QueryRow(ctx, text, args...).Scan(&n)
	return n, err
}

// space makes a space with a role of its own, as memd space add does.
func (l *lab) space(ctx context.Context, name string) error {
	_, err := pgstore.AddSpace(ctx, l.url(), name,
		&pgstore.Login{Role: roleOf(name), Password: pgstore.NewPassword()})
	return err
}

func roleOf(space string) string { return "bench_" + space }

// place returns where a space is, for its role.
func (l *lab) place(name string) (*pgstore.Address, error) {
	p, err := pgstore.ParseURL(l.url())
	if err != nil {
		return nil, err
	}
	return p.As(roleOf(name), name), nil
}

// open opens a space as its role. Its copy is below a directory of the lab.
func (l *lab) open(name, cache string) (*mem.Store, *pgstore.Store, error) {
	place, err := l.place(name)
	if err != nil {
		return nil, nil, err
	}
	back, err := pgstore.Open(place, pgstore.Options{CacheDir: l.path(cache)})
	if err != nil {
		return nil, nil, err
	}
	return mem.New(back, mem.Options{}), back, nil
}

// fill makes the memory in files, and a copy of it on the server.
func (l *lab) fill(ctx context.Context) error {
	if err := l.space(ctx, memory); err != nil {
		return err
	}
	place, err := l.place(memory)
	if err != nil {
		return err
	}
	begin := time.Now()
	err = errors.Join(
		l.feed(ctx, "events.jsonl", writeEvents, "event", "-", "-q", "--root", l.files),
		l.feed(ctx, "others.jsonl", writeOthers, "set", "-", "--yes", "-q", "--root", l.files),
		l.call(ctx, l.mem, nil, "compact", "--lock-timeout", "10m", "--root", l.files),
		l.call(ctx, l.memd, nil, "copy", l.files, place.String(), "-q"),
		l.sql(ctx, "VACUUM ANALYZE"), l.sql(ctx, "CHECKPOINT"))
	fmt.Fprintf(os.Stderr, "pgbench: filled in %s\n", harness.Duration(time.Since(begin)))
	return err
}

// feed runs mem with a file as its standard input.
func (l *lab) feed(ctx context.Context, name string, write func(io.Writer, int) error,
	args ...string) error {
	f, err := os.Create(l.path(name))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f, l.opt.events); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return l.call(ctx, l.mem, f, args...)
}

// call runs mem or memd to its end.
func (l *lab) call(ctx context.Context, program string, stdin *os.File, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(cleanEnv(), "XDG_CACHE_HOME="+l.path("cli-cache"))
	if stdin != nil {
		cmd.Stdin = stdin
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %.400s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

// cleanEnv leaves out what would change the behaviour of mem from outside.
func cleanEnv() (list []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MEM_") && !strings.HasPrefix(v, "XDG_") &&
			!strings.HasPrefix(v, "PG") {
			list = append(list, v)
		}
	}
	return list
}
