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
	failed := 0
	for _, c := range clients {
		failed += b.try(ctx, out, c, only)
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

// try runs the checks of one client, prints their rows and counts what failed.
func (b bench) try(ctx context.Context, out io.Writer, c client, only string) (failed int) {
	version := "?"
	for _, check := range checks {
		isHooked := c.HasHooks() || check.name == "setup"
		if !isHooked || !among(check.only, c.Name) || !among(only, c.Name, check.name) {
			continue
		}
		began := time.Now()
		err := harness.Try(func() { b.tryOne(ctx, c, check, &version) })
		result := "ok"
		if err != nil {
			failed++
			result = "FAIL " + strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		seconds := fmt.Sprintf("%.1f", time.Since(began).Seconds())
		fmt.Fprintf(out, row, c.Name, version, check.name, seconds, result)
	}
	return failed
}

func (b bench) tryOne(ctx context.Context, c client, check check, version *string) {
	l := b.newLab(ctx, c, check.name)
	err := harness.Try(func() {
		l.open()
		shown := l.exec("", l.Program, "--version")
		*version = number.FindString(shown.out + shown.err)
		check.run(l)
	})
	harness.Check(err, harness.Try(l.model.close))
}

// among reports whether a list with commas between holds one of some names. The empty list holds
// all.
func among(list string, names ...string) bool {
	return list == "" || slices.ContainsFunc(strings.Split(list, ","), func(name string) bool { return slices.Contains(names, name) })
}

var number = regexp.MustCompile(`\d+\.\d+\.\d+`)
