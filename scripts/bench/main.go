package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

type options struct {
	mem, out, dir, shm string
	only               []string
	quick              bool
	old                string // a revision to compare with, in place of the report
	runs               int
}

func main() {
	opt := parseOptions()
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

func parseOptions() (opt options) {
	flag.StringVar(&opt.mem, "mem", "bin/mem", "the `binary` to measure")
	flag.StringVar(&opt.out, "out", "", "also write the report to this `file`")
	flag.StringVar(&opt.dir, "dir", "BENCH", "a `directory` to work in, on the disk of stores")
	flag.StringVar(&opt.shm, "shm", "/dev/shm", "the same on a memory file system")
	flag.BoolVar(&opt.quick, "quick", false, "a tenth of the sizes and repetitions")
	flag.StringVar(&opt.old, "old", "", "compare the working tree with this `revision` instead")
	flag.IntVar(&opt.runs, "runs", 1000, "with -old: `how often`; a fiftieth as many compactions")
	only := flag.String("only", "", "measure only these `sections`, with commas between")
	flag.Parse()
	if *only != "" {
		opt.only = strings.Split(*only, ",")
	}
	if flag.NArg() > 0 || opt.runs < 1 || slices.ContainsFunc(opt.only, unknownSection) {
		flag.Usage()
		os.Exit(2)
	}
	return opt
}

func unknownSection(name string) bool {
	return !slices.ContainsFunc(sections, func(s section) bool { return s.name == name })
}

func run(ctx context.Context, opt options) error {
	l, err := newLab(ctx, opt)
	if err != nil {
		return err
	}
	defer l.close()
	var text bytes.Buffer
	writeHead(&text, time.Now(), opt.quick, l.facts(ctx))
	var failed error
	for _, s := range sections {
		if len(opt.only) > 0 && !slices.Contains(opt.only, s.name) {
			continue
		}
		start := time.Now()
		rows, err := s.rows(ctx, l)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.name, err))
			rows = append(rows, row{what: "the rest of " + s.name, note: "not measured: " + err.Error()})
		}
		s.write(&text, rows)
		fmt.Fprintf(os.Stderr, "bench: %s took %.1f s\n", s.name, time.Since(start).Seconds())
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
