package main

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// least is the part of the mutants, in percent, that the tests have to kill.
const least = 90

func main() {
	var r runner
	n := flag.Int("n", 300, "number of mutants")
	seed := flag.String("seed", "", "seed of the draw (default the hash of the commit)")
	only := flag.String("only", "", "run only the drawn mutants that match a pattern, "+
		"as tx.go:12: drop")
	list := flag.Bool("list", false, "print the drawn mutants, and run none")
	flag.DurationVar(&r.limit, "limit", 2*time.Minute, "tests of a package that run longer hang")
	flag.IntVar(&r.lives, "lives", 0, "hold lives against the tests of the packages that a life "+
		"is about: so many lives for each mutant")
	flag.Parse()
	r.packages = rules
	if r.lives > 0 {
		r.packages = years
	}
	err := r.drawMutants(*n, *seed, *only)
	switch {
	case err != nil:
	case *list:
		for _, m := range r.order[:min(r.left, len(r.order))] {
			fmt.Println(m.show())
		}
	default:
		err = r.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// runner runs the tests on one mutant after another.
type runner struct {
	builder
	equivalents map[string]string
	lives       int
	differs     map[int][]int // of each mutant the seeds of the lives in which it changes something

	mu     sync.Mutex
	order  []*mutant // what is left of the draw
	left   int       // mutants to run
	counts [missed + 1]int
}

// drawMutants draws the mutants, half as many again as asked for, because some do not compile.
func (r *runner) drawMutants(n int, seed, only string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if seed == "" {
		out, err := exec.Command("git", "rev-parse", "HEAD").Output()
		if err != nil {
			return err
		}
		seed = strings.TrimSpace(string(out))
	}
	var sites []*mutant
	for i := range r.packages {
		found, err := sitesOf(&r.packages[i])
		if err != nil {
			return err
		}
		sites = append(sites, found...)
	}
	if r.lives > 0 {
		sites = slices.DeleteFunc(sites, func(m *mutant) bool { return !m.isOfCondition() })
	}
	fmt.Printf("%d places, seed %s\n", len(sites), seed)
	r.left = n
	r.order = slices.DeleteFunc(draw(sites, seed)[:min(n+n/2, len(sites))],
		func(m *mutant) bool { return !pattern.MatchString(m.String()) })
	for i, m := range r.order {
		m.number = i + 1
	}
	r.equivalents, err = readEquivalents("testdata/mutants-equivalent")
	return err
}

// draw returns the places in the order of a draw, in which the kinds take turns.
func draw(sites []*mutant, seed string) []*mutant {
	h := fnv.New64a()
	h.Write([]byte(seed))
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	byKind := map[kind][]*mutant{}
	for _, m := range sites {
		byKind[m.kind] = append(byKind[m.kind], m)
	}
	for _, k := range kinds {
		random.Shuffle(len(byKind[k]), func(i, j int) {
			byKind[k][i], byKind[k][j] = byKind[k][j], byKind[k][i]
		})
	}
	var order []*mutant
	for i := 0; len(order) < len(sites); i++ {
		k := kinds[i%len(kinds)]
		if left := byKind[k]; len(left) > 0 {
			order, byKind[k] = append(order, left[0]), left[1:]
		}
	}
	return order
}

// readEquivalents reads the list of mutants that change nothing: file, old line, new line and
// reason, each on a line of its own, and an empty line between two.
func readEquivalents(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(entry, "\n")
		switch {
		case strings.HasPrefix(entry, "#"):
		case len(lines) != 4:
			return nil, fmt.Errorf("%s: %q is not file, old line, new line and reason", name, lines)
		default:
			known[strings.Join(lines[:3], "\n")] = lines[3]
		}
	}
	return known, nil
}

func (r *runner) run() (err error) {
	if r.dir, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)
	if err := r.join(r.order); err != nil {
		return err
	}
	if r.lives > 0 {
		if err := r.bear(); err != nil {
			return err
		}
		r.order = slices.DeleteFunc(r.order, func(m *mutant) bool { return m.form == alone })
	}
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for m := r.next(); m != nil; m = r.next() {
				r.count(m, r.verdict(m))
			}
		})
	}
	all.Wait()
	return r.report()
}

// next takes a mutant out of the draw, or nil.
func (r *runner) next() *mutant {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == 0 || len(r.order) == 0 {
		return nil
	}
	m := r.order[0]
	r.order, r.left = r.order[1:], r.left-1
	return m
}

func (r *runner) verdict(m *mutant) verdict {
	if r.equivalents[m.id()] != "" {
		return equivalent
	}
	if r.lives > 0 {
		return r.live(m)
	}
	return r.test(m)
}

func (r *runner) count(m *mutant, v verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.counts[v]++; v {
	case killed:
		if n := r.counts[killed]; n%20 == 0 {
			fmt.Fprintf(os.Stderr, "mutants: %d killed, %d alive\n", n, r.counts[survived])
		}
	case hung:
		fmt.Println("hangs:", m)
	case missed:
		fmt.Printf("tests alone (it differs in %d lives): %s\n", len(r.differs[m.number]), m.show())
	case survived:
		fmt.Println(m.show())
	case equivalent:
		fmt.Printf("equivalent: %s: %s\n", m, r.equivalents[m.id()])
	case broken:
		r.left++ // another one takes its place
	}
}

func (r *runner) report() error {
	dead := r.counts[killed] + r.counts[hung]
	of := dead + r.counts[survived] + r.counts[missed]
	if of == 0 {
		return errors.New("no mutant ran")
	}
	percent := 100 * float64(dead) / float64(of)
	fmt.Printf("%d of %d killed (%.1f %%), %d of them hung; %d survived, %d equivalent, "+
		"%d did not compile\n", dead, of, percent, r.counts[hung], r.counts[survived],
		r.counts[equivalent], r.counts[broken])
	if r.lives > 0 {
		fmt.Printf("%d killed by tests alone\n", r.counts[missed])
		return nil
	}
	if percent < least {
		return fmt.Errorf("fewer than %d %% are killed", least)
	}
	return nil
}
