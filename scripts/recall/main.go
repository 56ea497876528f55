package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

type options struct {
	mem, data, off, run, floor, daily, half, start, capture, derived string

	sets             []string
	context, verbose bool
}

func main() {
	opt := parseOptions(os.Args[1:])
	harness.Main("recall", func(context.Context) {
		for _, part := range []struct {
			dir     string
			measure func()
		}{
			{opt.floor, func() { measureFloor(opt.floor, os.Stdout) }},
			{opt.daily, func() { measureDaily(opt, os.Stdout) }},
			{opt.start, func() { measureStart(opt, os.Stdout) }},
			{opt.capture, func() { measureCapture(opt.capture, os.Stdout) }},
			{opt.derived, func() { evaluateDerived(opt.derived, os.Stdout) }},
		} {
			if part.dir != "" {
				part.measure()
			}
		}
		none := opt.floor+opt.daily+opt.start+opt.capture+opt.derived == ""
		if none || opt.data != "" {
			measure(opt, os.Stdout)
		}
	})
}

func parseOptions(args []string) (opt options) {
	flags := flag.NewFlagSet("recall", flag.ExitOnError)
	flags.StringVar(&opt.mem, "mem", "bin/mem", "the binary")
	flags.StringVar(&opt.data, "data", "", "directory of the sets")
	flags.StringVar(&opt.off, "off", "", "file of prompts that should bring nothing")
	flags.StringVar(&opt.run, "run", "", "file to write what was found to")
	flags.BoolVar(&opt.context, "context", false, "ask with the last turns of the conversation")
	flags.StringVar(&opt.floor, "floor", "", "directory of the notes to measure the floor with")
	flags.StringVar(&opt.daily, "daily", "", "directory of the working month to measure with")
	flags.StringVar(&opt.start, "start", "", "directory of the stores to measure the start of a conversation with")
	flags.StringVar(&opt.derived, "derived", "", "directory of the situations to measure derived proposals with")
	flags.StringVar(&opt.capture, "capture", "", "directory of the prompts to judge by package capture")
	flags.StringVar(&opt.half, "half", "", "only the first or the second half of the prompts of -daily")
	flags.BoolVar(&opt.verbose, "v", false, "name what -daily and -start miss, and tells at prompts of other things")
	sets := flags.String("set", "", "sets, comma separated; all there are")
	flags.Parse(args) // exits where it fails
	if *sets != "" {
		opt.sets = strings.Split(*sets, ",")
	}
	return opt
}

// measure prints one line for each set.
func measure(opt options, out io.Writer) {
	names := opt.setsIn(opt.data, ".corpus.jsonl")
	prompts := readPrompts(opt.off)
	fmt.Fprintf(out, "%-16s %7s %7s %6s %6s %6s %6s %6s %6s %6s %6s\n", "set", "records", "queries", "R@1", "R@5", "R@10", "R@20", "MRR", "floor", "T2000", "off")
	run := &runFile{}
	for _, name := range names {
		harness.Within(name, func() { measureSet(opt, name, prompts, run, out) })
	}
	run.write(opt.run)
}

// setsIn returns the names of the files in a directory that end so, of the chosen sets.
func (opt options) setsIn(dir, end string) (names []string) {
	files := harness.Must(filepath.Glob(filepath.Join(dir, "*"+end)))
	if len(files) == 0 {
		harness.Failf("no *%s in %q", end, dir)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), end)
		if opt.sets == nil || slices.Contains(opt.sets, name) {
			names = append(names, name)
		}
	}
	return names
}

func measureSet(opt options, name string, prompts []string, run *runFile, out io.Writer) {
	s := load(opt.mem, opt.data, name)
	defer s.Close()
	var sum score
	for _, q := range s.queries {
		if opt.context && q.Context != "" {
			q.Query = q.Context
		}
		a := s.ask(q)
		run.add(q.ID, a)
		for i, v := range judge(q, a) {
			sum[i] += v / float64(len(s.queries))
		}
	}
	told := s.offTopic(prompts)
	fmt.Fprintf(out, "%-16s %7d %7d", name, s.records, len(s.queries))
	for _, v := range append(sum[:], float64(told)/float64(max(len(prompts), 1))) {
		fmt.Fprintf(out, " %6.1f", 100*v)
	}
	fmt.Fprintln(out)
}

func readPrompts(file string) (prompts []string) {
	if file == "" {
		return nil
	}
	for line := range strings.Lines(string(harness.Must(os.ReadFile(file)))) {
		if line = strings.TrimSpace(line); line != "" {
			prompts = append(prompts, line)
		}
	}
	return prompts
}

// runFile is what was found, for other tools to judge.
type runFile struct{ lines bytes.Buffer }

func (r *runFile) add(id string, a answer) {
	json.NewEncoder(&r.lines).Encode(map[string]any{
		"id": id, "keys": append([]string{}, a.found...), "packed": map[string][]string{"2000": append([]string{}, a.packed...)},
	})
}

func (r *runFile) write(file string) {
	if file == "" {
		return
	}
	harness.Check(os.WriteFile(file, r.lines.Bytes(), 0o644))
}
