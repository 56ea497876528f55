// Command mutants measures the tests of the rules: it changes one place of the root package or of
// internal/rule/policy at a time, and counts the changes after which some test fails.
//
//	go run ./scripts/mutants -n 300
//
// The places are drawn by the hash of the commit, so that a run can be repeated. The tree is not
// touched: each mutant is compiled through an overlay. A mutant that does not compile is drawn
// anew; one that hangs counts as killed. testdata/mutants-equivalent lists the mutants that change
// nothing, with the reasons.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Packages whose files are changed, by directory.
const policy = "internal/rule/policy"

var packages = []string{".", policy}

// offTree are the tests that read the tree and not the mutant.
const offTree = "^(TestArrowsPointDown|TestNothingHeavyIsLinked|TestOnePlaceFor|" +
	"TestLinesAreNotWide|TestPromisesAreHeld|TestDocLinks)$"

type options struct {
	n        int
	seed     string
	only     string
	skip     string
	limit    time.Duration
	parallel int
	list     bool
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 300, "number of mutants")
	flag.StringVar(&o.seed, "seed", "", "seed of the draw (default the hash of the commit)")
	flag.StringVar(&o.only, "only", "", "run only the drawn mutants that match a pattern, "+
		"as tx.go:12: drop")
	flag.StringVar(&o.skip, "skip", "", "tests that do not run, a pattern")
	flag.DurationVar(&o.limit, "limit", time.Minute, "a test that runs longer hangs")
	flag.IntVar(&o.parallel, "parallel", 2, "number of mutants at a time")
	flag.BoolVar(&o.list, "list", false, "print the drawn mutants, and run none")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	if o.seed == "" {
		out, err := exec.Command("git", "rev-parse", "HEAD").Output()
		if err != nil {
			return err
		}
		o.seed = strings.TrimSpace(string(out))
	}
	var sites []mutant
	for _, dir := range packages {
		found, err := sitesOf(dir)
		if err != nil {
			return err
		}
		sites = append(sites, found...)
	}
	known, err := readEquivalents("testdata/mutants-equivalent")
	if err != nil {
		return err
	}
	r := &runner{options: o, equivalents: known, order: draw(sites, o.seed), only: only}
	if o.list {
		for _, m := range r.order[:min(o.n, len(r.order))] {
			fmt.Println(m.show())
		}
		return nil
	}
	if r.dir, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)
	if r.asked, err = dependents(); err != nil {
		return err
	}
	if v, out := r.test(mutant{dir: policy, file: policy + "/doc.go"}, nil); v != survived {
		return fmt.Errorf("the tests fail without a mutant:\n%s", out)
	}
	fmt.Printf("%d places, seed %s\n", len(sites), o.seed)
	r.all()
	return r.report()
}

// draw returns the places in the order of a draw, in which the kinds take turns.
func draw(sites []mutant, seed string) []mutant {
	h := fnv.New64a()
	h.Write([]byte(seed))
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	byKind := map[kind][]mutant{}
	for _, m := range sites {
		byKind[m.kind] = append(byKind[m.kind], m)
	}
	for _, k := range kinds {
		random.Shuffle(len(byKind[k]), func(i, j int) {
			byKind[k][i], byKind[k][j] = byKind[k][j], byKind[k][i]
		})
	}
	var order []mutant
	for i := 0; len(order) < len(sites); i++ {
		if left := byKind[kinds[i%len(kinds)]]; len(left) > 0 {
			order = append(order, left[0])
			byKind[kinds[i%len(kinds)]] = left[1:]
		}
	}
	return order
}

type verdict int

const (
	killed verdict = iota
	hung
	survived
	broken // it does not compile
)

// runner runs the tests on one mutant after another.
type runner struct {
	options
	dir         string
	only        *regexp.Regexp
	asked       map[string][]string // the packages whose tests see a package
	equivalents map[string]string

	mu     sync.Mutex
	order  []mutant // what is left of the draw
	drawn  int      // that compile, or may
	counts [broken + 1]int
	alive  []mutant
	same   []mutant
	begun  time.Time
}

// next takes a mutant out of the draw.
func (r *runner) next() (m mutant, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.drawn == r.n || len(r.order) == 0 {
		return m, false
	}
	m, r.order = r.order[0], r.order[1:]
	r.drawn++
	return m, true
}

func (r *runner) all() {
	var all sync.WaitGroup
	for i := range r.parallel {
		all.Go(func() {
			for m, ok := r.next(); ok; m, ok = r.next() {
				r.one(m, i)
			}
		})
	}
	all.Wait()
}

func (r *runner) one(m mutant, worker int) {
	if !r.only.MatchString(m.String()) {
		return
	}
	if r.equivalents[m.id()] != "" {
		r.mu.Lock()
		r.same = append(r.same, m)
		r.mu.Unlock()
		return
	}
	overlay, err := r.overlay(m, worker)
	v := broken
	if err == nil {
		v, _ = r.test(m, overlay)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.counts[v]++; v {
	case killed:
		if n := r.counts[killed]; n%20 == 0 {
			fmt.Fprintf(os.Stderr, "mutants: %d killed, %d alive\n", n, r.counts[survived])
		}
	case broken:
		r.drawn-- // another one takes its place
	case survived:
		r.alive = append(r.alive, m)
		fmt.Println(m.show())
	case hung:
		fmt.Println("hangs:", m.String())
	}
}

// overlay writes the mutant, and the file that puts it in the place of the source.
func (r *runner) overlay(m mutant, worker int) ([]string, error) {
	source := filepath.Join(r.dir, fmt.Sprintf("%d.go", worker))
	if err := os.WriteFile(source, m.text(), 0o600); err != nil {
		return nil, err
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{file: source}})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(r.dir, fmt.Sprintf("%d.json", worker))
	return []string{"-overlay", name}, os.WriteFile(name, text, 0o600)
}

// test runs the tests that a mutant may fail, those of its own package first.
func (r *runner) test(m mutant, flags []string) (verdict, string) {
	own := []string{"./" + m.dir}
	others := slices.DeleteFunc(slices.Clone(r.asked[m.dir]),
		func(pkg string) bool { return pkg == own[0] })
	v, out := r.goTest(flags, own)
	if v == survived && len(others) > 0 {
		v, out = r.goTest(flags, others)
	}
	return v, out
}

func (r *runner) goTest(flags, pkgs []string) (verdict, string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*r.limit)
	defer cancel()
	skip := offTree
	if r.skip != "" {
		skip += "|" + r.skip
	}
	args := append([]string{"test", "-count=1", "-vet=off", "-failfast", "-p=1", "-ldflags=-s -w",
		"-skip", skip, "-timeout", r.limit.String()}, flags...)
	out, err := exec.CommandContext(ctx, "go", append(args, pkgs...)...).CombinedOutput()
	text := string(out)
	switch {
	case err == nil:
		return survived, text
	case strings.Contains(text, "[build failed]"), strings.Contains(text, "[setup failed]"):
		return broken, text
	case strings.Contains(text, "panic: test timed out"), ctx.Err() != nil:
		return hung, text
	}
	return killed, text
}

// dependents returns, of each package that is changed, those of . and internal/rule/... whose tests
// are built from it: no other test can see a change.
func dependents() (map[string][]string, error) {
	out, err := exec.Command("go", "list", "-test", "-f",
		`{{.ForTest}}{{range .Deps}} {{.}}{{end}}`, ".", "./internal/rule/...").Output()
	if err != nil {
		return nil, err
	}
	module, err := exec.Command("go", "list", ".").Output()
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(module))
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(fields[0], root) || line[0] == ' ' {
			continue
		}
		for _, dir := range packages {
			path := strings.TrimSuffix(root+"/"+dir, "/.")
			tested := "./" + cmp.Or(strings.TrimPrefix(strings.TrimPrefix(fields[0], root), "/"),
				".")
			if slices.Contains(fields, path) && !slices.Contains(found[dir], tested) {
				found[dir] = append(found[dir], tested)
			}
		}
	}
	return found, nil
}

// readEquivalents reads the list of mutants that change nothing: file, old line, new line and
// reason, each on a line of its own, and an empty line after each.
func readEquivalents(name string) (map[string]string, error) {
	known := map[string]string{}
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var entry []string
	end := func() error {
		if len(entry) == 0 {
			return nil
		}
		if len(entry) != 4 {
			return fmt.Errorf("%s: %q is not file, old line, new line and reason", name, entry)
		}
		known[strings.Join(entry[:3], "\n")] = entry[3]
		entry = nil
		return nil
	}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(line, "#"):
		case line != "":
			entry = append(entry, line)
		default:
			if err := end(); err != nil {
				return nil, err
			}
		}
	}
	return known, cmp.Or(lines.Err(), end())
}

func (r *runner) report() error {
	slices.SortFunc(r.same, func(a, b mutant) int { return cmp.Compare(a.String(), b.String()) })
	for _, m := range r.same {
		fmt.Printf("equivalent: %s: %s\n", m, r.equivalents[m.id()])
	}
	dead := r.counts[killed] + r.counts[hung]
	of := dead + r.counts[survived]
	if of == 0 {
		return errors.New("no mutant ran")
	}
	fmt.Printf("%d of %d killed (%.1f %%), %d of them hung; %d survived, %d equivalent, "+
		"%d did not compile\n", dead, of, 100*float64(dead)/float64(of), r.counts[hung],
		r.counts[survived], len(r.same), r.counts[broken])
	return nil
}
