package main

import (
	"context"
	"flag"
	"os"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

type options struct {
	mem, dir, shm string
	quick         bool
	old           string // a revision to compare with, in place of the report
	runs          int
}

func main() {
	report := harness.NewReport("bench")
	opt := parseOptions(report)
	harness.Main("bench", func(ctx context.Context) {
		if opt.old != "" {
			compare(ctx, opt)
		} else {
			run(ctx, opt, report)
		}
	})
}

func parseOptions(report *harness.Report) (opt options) {
	flag.StringVar(&opt.mem, "mem", "bin/mem", "the `binary` to measure")
	flag.StringVar(&opt.dir, "dir", "BENCH", "a `directory` to work in, on the disk of stores")
	flag.StringVar(&opt.shm, "shm", "/dev/shm", "the same on a memory file system")
	flag.BoolVar(&opt.quick, "quick", false, "a tenth of the sizes and repetitions")
	flag.StringVar(&opt.old, "old", "", "compare the working tree with this `revision` instead")
	flag.IntVar(&opt.runs, "runs", 1000, "with -old: `how often`; a fiftieth as many compactions")
	flag.Parse()
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	if flag.NArg() > 0 || opt.runs < 1 || !report.Knows(names...) {
		flag.Usage()
		os.Exit(2)
	}
	return opt
}

func run(ctx context.Context, opt options, report *harness.Report) {
	l := &lab{}
	defer l.close()
	l.open(ctx, opt)
	writeHead(&report.Text, time.Now(), opt.quick, l.facts(ctx))
	for _, s := range sections {
		l.rows = nil
		report.Section(ctx, s.name, func() { s.measure(ctx, l) }, func(failed error) {
			if failed != nil {
				l.add(row{what: "the rest of " + s.name, note: "not measured: " + failed.Error()})
			}
			s.write(&report.Text, l.rows)
		})
	}
	report.Publish()
}
