package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"

	"github.com/set-memory/mem/scripts/harness"
)

type options struct {
	mem, dir, profile string
	sides             *regexp.Regexp // nil: all
	events            int
	quick             bool
	beside            []string
}

// section is a part of the report.
type section struct {
	name, title string
	run         func(context.Context, *lab) []figure
}

// sections are in the order in which they run: the writes last, in a database
// of their own: rows find no gaps there that others have left.
var sections = []section{
	{"sizes", "Bytes", sizeFigures},
	{"copies", "Without a copy", copyFigures},
	{"reads", "Reads", readFigures},
	{"bundles", "Bundles over HTTP", bundleFigures},
	{"writes", "Writes", writeFigures},
}

func main() {
	report := harness.NewReport("pgbench")
	opt := parseOptions(report)
	harness.Main("pgbench", func(ctx context.Context) { run(ctx, opt, report) })
}

func parseOptions(report *harness.Report) (opt options) {
	flag.StringVar(&opt.mem, "mem", "bin/mem", "the `binary` to measure, with memd beside it")
	flag.StringVar(&opt.dir, "dir", "/var/tmp", "a `directory` to work in, on a disk, which the "+
		"user postgres can get to")
	flag.StringVar(&opt.profile, "profile", "", "leave profiles in this `directory`")
	flag.IntVar(&opt.events, "events", 100_000, "how `many` events there are")
	flag.BoolVar(&opt.quick, "quick", false, "fewer and shorter rounds")
	flag.Func("beside", "a `memd` of another version, whose writes are measured by turns with "+
		"those of the one beside -mem", func(path string) error {
		opt.beside = append(opt.beside, path)
		return nil
	})
	flag.Func("sides", "a `pattern`: of the writers, measure only those whose names match",
		func(text string) (err error) {
			opt.sides, err = regexp.Compile(text)
			return err
		})
	flag.Parse()
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	if flag.NArg() > 0 || opt.events < 2000 || !report.Knows(names...) {
		flag.Usage()
		os.Exit(2)
	}
	return opt
}

func run(ctx context.Context, opt options, report *harness.Report) {
	l := &lab{}
	defer l.close()
	l.open(ctx, opt)
	l.writeHead(ctx, &report.Text)
	for _, s := range sections {
		var figures []figure
		report.Section(ctx, s.name, func() { figures = l.profiled(ctx, s) }, func(failed error) {
			if failed != nil {
				figures = append(figures, figure{what: "the rest", mem: "not measured"})
			}
			writeSection(&report.Text, s.title, figures)
		})
	}
	report.Publish()
}

// profiled measures a section, and leaves profiles of it where they are asked for.
func (l *lab) profiled(ctx context.Context, s section) (list []figure) {
	if l.opt.profile == "" {
		return s.run(ctx, l)
	}
	harness.Check(os.MkdirAll(l.opt.profile, 0o755))
	f := harness.Must(os.Create(filepath.Join(l.opt.profile, s.name+".cpu")))
	defer f.Close()
	l.sql(ctx, "SELECT pg_stat_statements_reset()")
	harness.Check(pprof.StartCPUProfile(f))
	defer func() {
		pprof.StopCPUProfile()
		l.writeStatements(ctx, s.name)
	}()
	return s.run(ctx, l)
}

// statementsSQL lists statements by the time that they took, whoever sent them.
const statementsSQL = `SELECT string_agg(format('%s calls, ms each: plan %s, run %s; WAL %s each: %s',
	calls, round((plan / calls)::numeric, 3), round((run / calls)::numeric, 3),
	round(wal / calls), left(text, 300)), E'\n\n' ORDER BY plan + run DESC)
FROM (SELECT regexp_replace(query, '\s+', ' ', 'g') AS text, sum(calls) AS calls,
		sum(total_exec_time) AS run, sum(total_plan_time) AS plan, sum(wal_bytes) AS wal
	FROM pg_stat_statements WHERE calls > 0 GROUP BY 1) s`

// writeStatements writes what the server spent its time on.
func (l *lab) writeStatements(ctx context.Context, name string) {
	var text string
	harness.Check(l.pool.QueryRow(ctx, statementsSQL).Scan(&text))
	harness.Check(os.WriteFile(filepath.Join(l.opt.profile, name+".sql"), []byte(text+"\n"), 0o644))
}
