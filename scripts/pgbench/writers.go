package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"

	"github.com/set-memory/mem/scripts/harness"
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
func (l *lab) writers(ctx context.Context) (sides []*side, stop func()) {
	var stops []func()
	defer func() { // where it ends with an error, nobody else can
		if sides == nil {
			stop()
		}
	}()
	stop = func() {
		for _, fn := range stops {
			fn()
		}
	}
	s := l.setting(ctx, "set")
	stops = append(stops, func() { s.store.Close() })
	files := l.startOn(ctx, l.memd, "memdf", l.path("tenants"))
	stops = append(stops, files.Stop)
	l.spaces(ctx)
	peer := &side{what: "pgbench", run: l.pgbench(ctx, s)}
	sides = []*side{
		peer,
		{what: "Store.Set, 32 goroutines", of: peer, goal: 0.85, run: l.sets(s)},
		{what: "the same over HTTP to files, 32 callers", of: peer,
			run: l.records([]*daemon{files}, 32, func(int) string { return "http" })},
		{what: "requests to memd that store nothing, 32 callers", of: peer,
			run: l.pings(files, 32)},
	}
	for _, program := range append([]string{l.memd}, l.opt.beside...) {
		var daemons []*daemon
		for i := range 4 {
			d := l.startOn(ctx, program, fmt.Sprintf("memd%d-%d", len(l.daemons), i), l.url())
			daemons, stops = append(daemons, d), append(stops, d.Stop)
		}
		by := ""
		if program != l.memd {
			by = ", by " + program
		}
		sides = append(sides, l.overHTTP(daemons, by, peer)...)
	}
	return sides, stop
}

// overHTTP are the callers of some daemons that serve the spaces of the database.
func (l *lab) overHTTP(daemons []*daemon, by string, peer *side) []*side {
	one := &side{what: "events over HTTP, 32 callers, one memd" + by, of: peer, goal: 0.45,
		run: l.records(daemons[:1], 32, func(int) string { return "http" })}
	return []*side{
		one,
		{what: "events over HTTP in lists of 20, 32 callers" + by, of: peer, goal: 1,
			run: l.lists(daemons[0], 32)},
		{what: "events over HTTP, 4 memd on one space, 8 callers each" + by, of: one, goal: 0.8,
			run: l.records(daemons, 32, func(int) string { return "four" })},
		{what: "events over HTTP, 64 spaces with a caller each, one memd" + by, of: peer,
			goal: 0.3, run: l.records(daemons[:1], manySpaces, nameOf)},
	}
}

const manySpaces = 64

func nameOf(i int) string { return fmt.Sprintf("many%d", i) }

func (l *lab) spaces(ctx context.Context) {
	names := []string{"http", "four"}
	for i := range manySpaces {
		names = append(names, nameOf(i))
	}
	for _, name := range names {
		l.space(ctx, name)
	}
}

// records returns who stores events over HTTP, each caller at one of the daemons.
func (l *lab) records(daemons []*daemon, callers int, space func(caller int) string) func(
	context.Context) float64 {
	var n atomic.Int64
	return func(ctx context.Context) float64 {
		return l.hammer(ctx, callers, func(ctx context.Context, c int) {
			daemons[c%len(daemons)].record(ctx, space(c),
				int(n.Add(1))%l.opt.events, l.opt.events)
		})
	}
}

// listLen is how many events a list has.
const listLen = 20

// lists returns who stores lists of events over HTTP; the rate is that of the events.
func (l *lab) lists(d *daemon, callers int) func(context.Context) float64 {
	var n atomic.Int64
	return func(ctx context.Context) float64 {
		return listLen * l.hammer(ctx, callers, func(ctx context.Context, _ int) {
			d.recordList(ctx, "http", int(n.Add(listLen)), l.opt.events)
		})
	}
}

// pings returns who asks whether a daemon is there: how many requests there can be.
func (l *lab) pings(d *daemon, callers int) func(context.Context) float64 {
	return func(ctx context.Context) float64 {
		return l.hammer(ctx, callers, func(ctx context.Context, _ int) {
			harness.Check(d.Ping(ctx))
		})
	}
}

// pgbench returns who writes rows like those of a setter, each in a transaction of its own.
func (l *lab) pgbench(ctx context.Context, like *setter) func(context.Context) float64 {
	l.sql(ctx, tableSQL)
	like.set(ctx, l.opt.events)
	var line string
	harness.Check(l.pool.QueryRow(ctx,
		"SELECT line FROM mem.envelopes WHERE space = 'set' LIMIT 1").Scan(&line))
	script := l.path("insert.sql")
	harness.Check(os.WriteFile(script, []byte(insertSQL), 0o644))
	program := pgbenchProgram()
	return func(ctx context.Context) float64 {
		out, err := exec.CommandContext(ctx, program, "-h", l.server.Dir, "-U", "postgres", "-n",
			"-M", "prepared", "-c", strconv.Itoa(writers), "-j", "2", "-f", script, "-D",
			"line="+line, "-T", strconv.Itoa(int(l.round.Seconds())), writing).CombinedOutput()
		if err != nil {
			harness.Failf("%w: %.400s", err, out)
		}
		found := tps.FindSubmatch(out)
		if found == nil {
			harness.Failf("no tps: %.400s", out)
		}
		return harness.Must(strconv.ParseFloat(string(found[1]), 64))
	}
}

var tps = regexp.MustCompile(`tps = ([0-9.]+) \(without`)

// pgbenchProgram returns where pgbench is: beside the server's programs.
func pgbenchProgram() string {
	if path, err := exec.LookPath("pgbench"); err == nil {
		return path
	}
	all, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if err != nil || len(all) == 0 {
		harness.Failf("there is no pgbench: apt-get install postgresql")
	}
	return all[len(all)-1]
}
