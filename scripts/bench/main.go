package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type options struct {
	mem, out, dir, shm string
	old                string // a revision to compare with, in place of the report
	runs               int
	only               []string
	quick              bool
	now                time.Time
}

// A group is one section of the report: the rows that share a floor and a store.
type group struct {
	name  string
	about string
	rows  func(context.Context, *lab) ([]row, error)
}

var groups = []group{
	{"floors", "What the floors take by themselves. `noop` is the cost of starting and reaping any process here.", floorRows},
	{"set", "C-set locks, appends 300 bytes, syncs them, renames a 300-byte file into place.", setRows},
	{"get", "Go-hello is a cobra program that prints one line; C-tail reads the last 64 KiB of a log.", getRows},
	{"read", "A read under a token limit. jq does nothing but print every key.", readRows},
	{"search", "The 20 best of records of 40 words each. The table holds the same texts, those of the tail included.", searchRows},
	{"agents", "The hooks, 500 runs of each event, and notes. What is judged of a hook is its slowest percent.", agentRows},
	{"many", "Many writers on one store at once. The figure is how many times as many records a second are stored.", manyRows},
	{"batch", "One `mem set -` for all records. Go-files writes the same number of files and nothing else.", batchRows},
	{"compact", "Folding the whole log. The floor sorts the log by its first field and syncs the result.", compactRows},
	{"fsck", "A full check. The floor parses the log with jq, hashes every index file and walks the tree.", fsckRows},
	{"million", "A store of a million memories, in memory with its floors.", millionRows},
}

func main() {
	opt, err := parseOptions(os.Args[1:])
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := run
	if opt.old != "" {
		do = compare
	}
	if err := do(ctx, opt); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseOptions(args []string) (options, error) {
	opt := options{now: time.Now()}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // main prints the error, once
	fs.StringVar(&opt.mem, "mem", "bin/mem", "the `binary` to measure")
	fs.StringVar(&opt.out, "out", "", "also write the report to this `file`")
	fs.StringVar(&opt.dir, "dir", "BENCH", "work in a new directory under this `directory`; it should be on the disk that stores live on")
	fs.StringVar(&opt.shm, "shm", "/dev/shm", "the same in this `directory` of a memory file system, for the rows that leave the disk out")
	fs.BoolVar(&opt.quick, "quick", false, "a tenth of the sizes and repetitions, to see that everything runs")
	fs.Func("only", "measure only these `names`, comma-separated: "+groupNames(), func(s string) error {
		opt.only = strings.Split(s, ",")
		return checkNames(opt.only)
	})
	fs.StringVar(&opt.old, "old", "", "compare the working tree with this `revision` in place of the report")
	fs.IntVar(&opt.runs, "runs", 1000, "with -old: run each verb `so many` times, and a fiftieth as many compactions")
	fs.Func("now", "the `date` to print, RFC 3339 (default: the clock)", func(s string) (err error) {
		opt.now, err = time.Parse(time.RFC3339, s)
		return err
	})
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fs.SetOutput(os.Stderr)
		fs.Usage()
	}
	if err == nil && opt.runs < 1 {
		err = fmt.Errorf("-runs %d: want 1 at least", opt.runs)
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	return opt, err
}

func groupNames() string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}

func checkNames(names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(groups, func(g group) bool { return g.name == name }) {
			return fmt.Errorf("%q is not one of %s", name, groupNames())
		}
	}
	return nil
}

func run(ctx context.Context, opt options) error {
	l, err := newLab(ctx, opt)
	if err != nil {
		return err
	}
	defer l.close()

	rep := report{now: opt.now, quick: opt.quick, facts: facts(ctx, l)}
	var failed error
	for _, g := range groups {
		if len(opt.only) > 0 && !slices.Contains(opt.only, g.name) {
			continue
		}
		start := time.Now()
		rows, err := g.rows(ctx, l)
		if err != nil {
			err = fmt.Errorf("%s: %w", g.name, err)
			rows = append(rows, missing("the rest of "+g.name, err.Error()))
			failed = errors.Join(failed, err)
		}
		rep.sections = append(rep.sections, section{g.name, g.about, rows})
		fmt.Fprintf(os.Stderr, "bench: %s took %.1f s\n", g.name, time.Since(start).Seconds())
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(failed, publish(rep, opt.out))
}

// publish prints the report, and writes it to a file if one was named.
func publish(rep report, file string) error {
	var text bytes.Buffer
	rep.write(&text)
	if file != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	_, err := io.Copy(os.Stdout, &text)
	return err
}
