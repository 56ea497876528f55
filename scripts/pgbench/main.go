package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

type options struct {
	mem, out, dir, profile string
	events                 int
	only                   []string
	quick                  bool
}

// section is a part of the report.
type section struct {
	name, title string
	run         func(context.Context, *lab) ([]figure, error)
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
	opt := parseOptions()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, opt); err != nil {
		fmt.Fprintln(os.Stderr, "pgbench:", err)
		os.Exit(1)
	}
}

func parseOptions() (opt options) {
	flag.StringVar(&opt.mem, "mem", "bin/mem", "the `binary` to measure, with memd beside it")
	flag.StringVar(&opt.out, "out", "", "also write the report to this `file`")
	flag.StringVar(&opt.dir, "dir", "/var/tmp", "a `directory` to work in, on a disk, which the "+
		"user postgres can get to")
	flag.StringVar(&opt.profile, "profile", "", "leave profiles in this `directory`")
	flag.IntVar(&opt.events, "events", 100_000, "how `many` events there are")
	flag.BoolVar(&opt.quick, "quick", false, "fewer and shorter rounds")
	only := flag.String("only", "", "measure only these `sections`, with commas between")
	flag.Parse()
	if *only != "" {
		opt.only = strings.Split(*only, ",")
	}
	unknown := func(name string) bool {
		return !slices.ContainsFunc(sections, func(s section) bool { return s.name == name })
	}
	if flag.NArg() > 0 || opt.events < 2000 || slices.ContainsFunc(opt.only, unknown) {
		flag.Usage()
		os.Exit(2)
	}
	return opt
}

func run(ctx context.Context, opt options) (failed error) {
	l, err := newLab(ctx, opt)
	if err != nil {
		return err
	}
	defer l.close()
	var text bytes.Buffer
	l.writeHead(ctx, &text)
	for _, s := range sections {
		if len(opt.only) > 0 && !slices.Contains(opt.only, s.name) {
			continue
		}
		begin := time.Now()
		figures, err := l.profiled(ctx, s)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.name, err))
			figures = append(figures, figure{what: "the rest", mem: "not measured"})
		}
		writeSection(&text, s.title, figures)
		fmt.Fprintf(os.Stderr, "pgbench: %s took %s\n", s.name, harness.Duration(time.Since(begin)))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if opt.out != "" {
		failed = errors.Join(failed, os.WriteFile(opt.out, text.Bytes(), 0o644))
	}
	_, err = os.Stdout.Write(text.Bytes())
	return errors.Join(failed, err)
}

// profiled measures a section, and leaves profiles of it where they are asked for.
func (l *lab) profiled(ctx context.Context, s section) (list []figure, err error) {
	if l.opt.profile == "" {
		return s.run(ctx, l)
	}
	if err := os.MkdirAll(l.opt.profile, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(l.opt.profile, s.name+".cpu"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := l.sql(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	list, err = s.run(ctx, l)
	pprof.StopCPUProfile()
	return list, errors.Join(err, l.writeStatements(ctx, s.name))
}

// statementsSQL lists statements by the time that they took, whoever sent them.
const statementsSQL = `SELECT string_agg(format('%s calls, ms each: plan %s, run %s; WAL %s each: %s',
	calls, round((plan / calls)::numeric, 3), round((run / calls)::numeric, 3),
	round(wal / calls), left(text, 300)), E'\n\n' ORDER BY plan + run DESC)
FROM (SELECT regexp_replace(query, '\s+', ' ', 'g') AS text, sum(calls) AS calls,
		sum(total_exec_time) AS run, sum(total_plan_time) AS plan, sum(wal_bytes) AS wal
	FROM pg_stat_statements WHERE calls > 0 GROUP BY 1) s`

// writeStatements writes what the server spent its time on.
func (l *lab) writeStatements(ctx context.Context, name string) error {
	var text string
	if err := l.pool.QueryRow(ctx, statementsSQL).Scan(&text); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.opt.profile, name+".sql"), []byte(text+"\n"), 0o644)
}
