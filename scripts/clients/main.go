package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/front/setup"

	"github.com/set-memory/mem/scripts/harness"
)

var errFailed = errors.New("a check failed")

func main() {
	binary := flag.String("mem", "bin/mem", "the mem to try")
	cache := flag.String("cache", "", "where install.sh has put the clients")
	only := flag.String("only", "", "clients or checks, with commas between; empty: all")
	flag.Parse()
	harness.Main("clients", func(ctx context.Context) {
		run(ctx, os.Stdout, *binary, *cache, *only)
	})
}

func run(ctx context.Context, out io.Writer, binary, cache, only string) {
	b := newBench(binary, cache)
	b.labs = newLabs("/")
	fmt.Fprintf(out, row, "CLIENT", "VERSION", "CHECK", "SECONDS", "RESULT")
	runs := make([]result, len(clients))
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range clients {
			next <- i
		}
	}()
	harness.Together(atOnce, func(int) {
		for i := range next {
			runs[i] = b.try(ctx, out, clients[i], only)
		}
	})
	tried, failed := 0, 0
	for _, r := range runs {
		tried, failed = tried+len(r.ran), failed+r.failed
	}
	printLeft(out, runs, only)
	if tried == 0 {
		harness.Failf("%w: -only %q names no client or check that runs here", errFailed, only)
	}
	if failed > 0 {
		harness.Failf("%w: %d; what each left is in %s", errFailed, failed, b.labs)
	}
	harness.Check(ctx.Err())
	clear(b.labs)
}

func newBench(binary, cache string) (b bench) {
	b.mem = harness.Must(filepath.Abs(binary))
	b.cache = harness.Must(filepath.Abs(cache))
	installed := filepath.Join(b.cache, "node_modules", ".bin")
	if _, err := os.Stat(installed); err != nil || cache == "" {
		harness.Failf("-cache %q holds no clients, run scripts/clients/install.sh: %w", cache, err)
	}
	b.bin = filepath.Dir(b.mem) + string(filepath.ListSeparator) + installed
	return b
}

// row is the form of a line of the table, which is printed as soon as its check has run.
const row = "%-12s %-9s %-17s %-8s %s\n"

// atOnce is how many clients run at a time: most of them wait for one core, or for the network that
// they do not have.
const atOnce = 2

// A result is that of one client.
type result struct {
	ran, left []string // its checks, and those that are not for it
	failed    int
	broken    error // why its program does not run here
}

// try runs the checks of one client, and prints their rows.
func (b bench) try(ctx context.Context, out io.Writer, c client, only string) (r result) {
	var version string
	for _, check := range checks {
		if !among(only, c.Name, check.name) {
			continue
		}
		if !check.isFor(c) {
			r.left = append(r.left, check.name)
			continue
		}
		if version == "" {
			if version, r.broken = b.version(ctx, c); r.broken != nil {
				return r
			}
		}
		began := time.Now()
		err := b.inLab(ctx, c, check.name, func(l *lab) {
			l.open()
			check.run(l)
		})
		shown := "ok"
		if r.ran = append(r.ran, check.name); err != nil {
			r.failed++
			shown = "FAIL " + strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		seconds := fmt.Sprintf("%.1f", time.Since(began).Seconds())
		fmt.Fprintf(out, row, c.Name, version, check.name, seconds, shown)
	}
	return r
}

// version returns the version that a client gives itself.
func (b bench) version(ctx context.Context, c client) (version string, err error) {
	err = b.inLab(ctx, c, "version", func(l *lab) {
		shown := l.exec("", l.Program, "--version")
		if version = number.FindString(shown.out + shown.err); version == "" {
			harness.Failf("%s --version names none: %.200q", l.Program, shown.out+shown.err)
		}
	})
	return version, err
}

// inLab runs something in a lab of its own.
func (b bench) inLab(ctx context.Context, c client, name string, run func(*lab)) error {
	return harness.Try(func() {
		l := b.newLab(ctx, c, name)
		err := harness.Try(func() { run(l) })
		harness.Check(err, harness.Try(l.model.close))
	})
}

// printLeft lists what was not run.
func printLeft(out io.Writer, runs []result, only string) {
	fmt.Fprintln(out, "\nnot run here (docs/clients.md says what is known of it):")
	for i, r := range runs {
		switch {
		case r.broken != nil:
			fmt.Fprintf(out, "%s: %s\n", clients[i].Name, r.broken)
		case len(r.left) > len(r.ran) && len(r.ran) > 0:
			fmt.Fprintf(out, "%s: all but %s\n", clients[i].Name, strings.Join(r.ran, ", "))
		case len(r.left) > 0 && len(r.ran) > 0:
			fmt.Fprintf(out, "%s: %s\n", clients[i].Name, strings.Join(r.left, ", "))
		}
	}
	var others []string
	for _, c := range setup.Clients() {
		isRun := func(run client) bool { return run.Client == c }
		if only == "" && !slices.ContainsFunc(clients, isRun) {
			others = append(others, c.Name)
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(out, "%s: no program that runs without a screen\n", strings.Join(others, ", "))
	}
}

// among reports whether a list with commas between holds one of some names. The empty list holds
// all.
func among(list string, names ...string) bool {
	return list == "" || slices.ContainsFunc(strings.Split(list, ","), func(name string) bool { return slices.Contains(names, name) })
}

var number = regexp.MustCompile(`\d+\.\d+\.\d+`)
