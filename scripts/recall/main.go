package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type options struct {
	mem, data, off, run, floor, daily, half, start, capture, derived string

	sets             []string
	context, verbose bool
}

func main() {
	opt, err := parseOptions(os.Args[1:])
	if err == nil && opt.floor != "" {
		err = measureFloor(opt.floor, os.Stdout)
	}
	if err == nil && opt.daily != "" {
		err = measureDaily(opt, os.Stdout)
	}
	if err == nil && opt.start != "" {
		err = measureStart(opt, os.Stdout)
	}
	if err == nil && opt.capture != "" {
		err = measureCapture(opt.capture, os.Stdout)
	}
	if err == nil && opt.derived != "" {
		err = evaluateDerived(opt.derived, os.Stdout)
	}
	none := opt.floor+opt.daily+opt.start+opt.capture+opt.derived == ""
	if err == nil && (none || opt.data != "") {
		err = measure(opt, os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

func parseOptions(args []string) (opt options, err error) {
	flags := flag.NewFlagSet("recall", flag.ContinueOnError)
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
	err = flags.Parse(args)
	if *sets != "" {
		opt.sets = strings.Split(*sets, ",")
	}
	return opt, err
}

// measure prints one line for each set.
func measure(opt options, out io.Writer) error {
	files, err := filepath.Glob(filepath.Join(opt.data, "*.corpus.jsonl"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no *.corpus.jsonl in %q", opt.data)
	}
	if err != nil {
		return err
	}
	prompts, err := readPrompts(opt.off)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-16s %7s %7s %6s %6s %6s %6s %6s %6s %6s %6s\n", "set", "records", "queries", "R@1", "R@5", "R@10", "R@20", "MRR", "floor", "T2000", "off")
	run := &runFile{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".corpus.jsonl")
		if opt.sets != nil && !slices.Contains(opt.sets, name) {
			continue
		}
		if err := measureSet(opt, name, prompts, run, out); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return run.write(opt.run)
}

func measureSet(opt options, name string, prompts []string, run *runFile, out io.Writer) error {
	s, err := load(opt.mem, opt.data, name)
	if err != nil {
		return err
	}
	defer s.close()
	var sum score
	for _, q := range s.queries {
		if opt.context && q.Context != "" {
			q.Query = q.Context
		}
		a, err := s.ask(q)
		if err != nil {
			return err
		}
		run.add(q.ID, a)
		for i, v := range judge(q, a) {
			sum[i] += v / float64(len(s.queries))
		}
	}
	told, err := s.offTopic(prompts)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-16s %7d %7d", name, s.records, len(s.queries))
	for _, v := range append(sum[:], float64(told)/float64(max(len(prompts), 1))) {
		fmt.Fprintf(out, " %6.1f", 100*v)
	}
	fmt.Fprintln(out)
	return nil
}

func readPrompts(file string) (prompts []string, err error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			prompts = append(prompts, line)
		}
	}
	return prompts, err
}

// runFile is what was found, for other tools to judge.
type runFile struct{ lines bytes.Buffer }

func (r *runFile) add(id string, a answer) {
	json.NewEncoder(&r.lines).Encode(map[string]any{
		"id": id, "keys": append([]string{}, a.found...), "packed": map[string][]string{"2000": append([]string{}, a.packed...)},
	})
}

func (r *runFile) write(file string) error {
	if file == "" {
		return nil
	}
	return os.WriteFile(file, r.lines.Bytes(), 0o644)
}
