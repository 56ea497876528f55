package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

type options struct {
	mem, data, out, score string

	sets []string
}

func main() {
	opt := parseOptions(os.Args[1:])
	harness.Main("eval", func(context.Context) { evaluate(opt, os.Stdout) })
}

func parseOptions(args []string) (opt options) {
	flags := flag.NewFlagSet("eval", flag.ExitOnError)
	flags.StringVar(&opt.mem, "mem", "bin/mem", "the binary")
	flags.StringVar(&opt.data, "data", "", "directory of the files of the sets")
	flags.StringVar(&opt.out, "out", "", "file to write what each question found to")
	flags.StringVar(&opt.score, "score", "",
		"file to write the rankings of LongMemEval-S to, as deja-vu scores them")
	sets := flags.String("set", "", "sets, comma separated; all there are")
	flags.Parse(args) // exits where it fails
	if *sets != "" {
		opt.sets = strings.Split(*sets, ",")
	}
	return opt
}

// evaluate prints a line for each set, and which files are not there.
func evaluate(opt options, out io.Writer) {
	if opt.data == "" {
		harness.Failf("-data: no directory of the sets is given")
	}
	fmt.Fprintf(out, "%-16s %7s %7s %9s %7s %6s %6s %6s %6s %6s %6s %6s %6s\n", "set", "records",
		"refused", "questions", "skipped", "hit@1", "hit@5", "hit@10", "R@1", "R@5", "R@10",
		"MRR", "ms")
	found := &answers{rankings: map[string][]string{}}
	var missing []string
	ran := false
	for _, d := range datasets {
		if opt.sets != nil && !slices.Contains(opt.sets, d.name) {
			continue
		}
		paths, lacks := d.find(opt.data)
		if missing = append(missing, lacks...); lacks != nil {
			continue
		}
		ran = true
		harness.Within(d.name, func() { measure(opt.mem, d, paths, found, out) })
	}
	for i, file := range missing {
		if !slices.Contains(missing[:i], file) {
			fmt.Fprintf(out, "not run: %s is not in %s\n", file, opt.data)
		}
	}
	if !ran {
		harness.Failf("there is no set to run in %s", opt.data)
	}
	found.write(opt.out, opt.score)
}

// measure asks the questions of a set, and prints its line and the sums of its files.
func measure(mem string, d dataset, paths []string, found *answers, out io.Writer) {
	var t tally
	sums := d.each(paths, func(h haystack) {
		t.skipped += h.skipped
		if len(h.questions) == 0 {
			return
		}
		s := fill(mem, h.records)
		defer s.Close()
		t.stored, t.refused = t.stored+s.stored, t.refused+len(h.records)-s.stored
		for _, q := range h.questions {
			harness.Within(q.ID, func() {
				took := s.search(&q)
				t.add(q, took)
			})
			found.add(d, q)
		}
	})
	t.print(d.name, out)
	fmt.Fprint(out, sums)
}

// ranks are the k of R@k.
var ranks = [...]int{1, 5, 10}

// tally has the sums over the questions of a set.
type tally struct {
	stored, refused, asked, skipped int

	hits   [len(ranks)]float64 // questions with any of the evidence among the first k
	recall [len(ranks)]float64
	mrr    float64
	took   time.Duration
}

// add counts for R@k the share of the evidence among the first k hits, and for MRR one over the
// rank of the first evidence.
func (t *tally) add(q question, took time.Duration) {
	t.asked++
	t.took += took
	hit := false
	for r, id := range q.Ranked {
		if !slices.Contains(q.Gold, id) {
			continue
		}
		for i, k := range ranks {
			if r < k && !hit {
				t.hits[i]++
			}
			if r < k {
				t.recall[i] += 1 / float64(len(q.Gold))
			}
		}
		if !hit {
			t.mrr += 1 / float64(r+1)
		}
		hit = true
	}
}

func (t *tally) print(name string, out io.Writer) {
	n := float64(max(t.asked, 1))
	fmt.Fprintf(out, "%-16s %7d %7d %9d %7d", name, t.stored, t.refused, t.asked, t.skipped)
	for _, v := range slices.Concat(t.hits[:], t.recall[:], []float64{t.mrr}) {
		fmt.Fprintf(out, " %6.1f", 100*v/n)
	}
	fmt.Fprintf(out, " %6.1f\n", float64(t.took.Microseconds())/1000/n)
}

// answers has the rankings, for other tools to judge.
type answers struct {
	lines bytes.Buffer
	// deja-vu reads an object: the id of a question, and ids of sessions, best first.
	rankings map[string][]string
}

func (a *answers) add(d dataset, q question) {
	q.Set = d.name
	if d.scored {
		a.rankings[q.ID] = q.Ranked
	}
	harness.Check(json.NewEncoder(&a.lines).Encode(q))
}

// write writes the files that are asked for.
func (a *answers) write(lines, rankings string) {
	if lines != "" {
		harness.Check(os.WriteFile(lines, a.lines.Bytes(), 0o644))
	}
	if rankings == "" {
		return
	}
	if len(a.rankings) == 0 {
		harness.Failf("-score: it is for LongMemEval-S, which was not run")
	}
	text := harness.Must(json.Marshal(a.rankings))
	harness.Check(os.WriteFile(rankings, append(text, '\n'), 0o644))
}
