package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
)

// tableSQL makes a table like that of the envelopes.
const tableSQL = `CREATE SCHEMA bench;
CREATE SEQUENCE bench.seq;
CREATE TABLE bench.rows (LIKE mem.envelopes INCLUDING DEFAULTS);
ALTER TABLE bench.rows ADD PRIMARY KEY (space, seq);
CREATE INDEX ON bench.rows (space, key, seq DESC);`

const insertSQL = `INSERT INTO bench.rows (space, seq, ts, high, live, key, line)
VALUES ('bench', nextval('bench.seq'), now(), now(), true,
	'/log/' || lpad(currval('bench.seq')::text, 26, '0'), :line);
`

// writers are all who write the same rows, pgbench first. stop ends what was started.
func (l *lab) writers(ctx context.Context) (sides []*side, stop func() error, err error) {
	var stops []func() error
	stop = func() (err error) {
		for _, fn := range stops {
			err = errors.Join(err, fn())
		}
		return err
	}
	s, err := l.setting(ctx, "set")
	if err != nil {
		return nil, stop, err
	}
	stops = append(stops, s.store.Close)
	var daemons []*daemon
	for i := range 4 {
		d, err := l.startDaemon(ctx, fmt.Sprintf("memd%d", i))
		if err != nil {
			return nil, stop, err
		}
		daemons, stops = append(daemons, d), append(stops, d.Stop)
	}
	files, err := l.startOn(ctx, "memdf", l.path("tenants"))
	if err != nil {
		return nil, stop, err
	}
	stops = append(stops, files.Stop)
	if err := l.spaces(ctx); err != nil {
		return nil, stop, err
	}
	peer, err := l.pgbench(ctx, s)
	return []*side{
		{what: "pgbench", run: peer},
		{what: "Store.Set, 32 goroutines", goal: 1.2, run: l.sets(s)},
		{what: "events over HTTP, 32 callers", goal: 0.7,
			run: l.records(daemons[:1], 32, func(int) string { return "http" })},
		{what: "events over HTTP, 4 memd on one space, 8 callers each", goal: 0.4,
			run: l.records(daemons, 32, func(int) string { return "four" })},
		{what: "events over HTTP, 64 spaces with a caller each, one memd", goal: 0.5,
			run: l.records(daemons[:1], manySpaces, nameOf)},
		{what: "the same over HTTP to files, 32 callers",
			run: l.records([]*daemon{files}, 32, func(int) string { return "http" })},
		{what: "requests to memd that store nothing, 32 callers", run: l.pings(files, 32)},
	}, stop, err
}

const manySpaces = 64

func nameOf(i int) string { return fmt.Sprintf("many%d", i) }

func (l *lab) spaces(ctx context.Context) error {
	names := []string{"http", "four"}
	for i := range manySpaces {
		names = append(names, nameOf(i))
	}
	for _, name := range names {
		if err := l.space(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// records returns who stores events over HTTP, each caller at one of the daemons.
func (l *lab) records(daemons []*daemon, callers int, space func(caller int) string) func(
	context.Context) (float64, error) {
	var n atomic.Int64
	return func(ctx context.Context) (float64, error) {
		return l.hammer(ctx, callers, func(ctx context.Context, c int) error {
			return daemons[c%len(daemons)].record(ctx, space(c),
				int(n.Add(1))%l.opt.events, l.opt.events)
		})
	}
}

// pings returns who asks whether a daemon is there: how many requests there can be.
func (l *lab) pings(d *daemon, callers int) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		return l.hammer(ctx, callers, func(ctx context.Context, _ int) error { return d.Ping(ctx) })
	}
}

// pgbench returns who writes rows like those of a setter, each in a transaction of its own.
func (l *lab) pgbench(ctx context.Context, like *setter) (
	func(context.Context) (float64, error), error) {
	if err := l.sql(ctx, tableSQL); err != nil {
		return nil, err
	}
	if err := like.set(ctx, l.opt.events); err != nil {
		return nil, err
	}
	var line string
	err := l.pool.QueryRow(ctx, "SELECT line FROM mem.envelopes WHERE space = 'set' LIMIT 1").
		Scan(&line)
	if err != nil {
		return nil, err
	}
	script := l.path("insert.sql")
	if err := os.WriteFile(script, []byte(insertSQL), 0o644); err != nil {
		return nil, err
	}
	program, err := pgbenchProgram()
	return func(ctx context.Context) (float64, error) {
		out, err := exec.CommandContext(ctx, program, "-h", l.server.Dir, "-U", "postgres", "-n",
			"-M", "prepared", "-c", strconv.Itoa(writers), "-j", "2", "-f", script, "-D",
			"line="+line, "-T", strconv.Itoa(int(l.round.Seconds())), writing).CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("%w: %.400s", err, out)
		}
		found := tps.FindSubmatch(out)
		if found == nil {
			return 0, fmt.Errorf("no tps: %.400s", out)
		}
		return strconv.ParseFloat(string(found[1]), 64)
	}, err
}

var tps = regexp.MustCompile(`tps = ([0-9.]+) \(without`)

// pgbenchProgram returns where pgbench is: beside the server's programs.
func pgbenchProgram() (string, error) {
	if path, err := exec.LookPath("pgbench"); err == nil {
		return path, nil
	}
	all, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if err != nil || len(all) == 0 {
		return "", errors.New("there is no pgbench: apt-get install postgresql")
	}
	return all[len(all)-1], nil
}
