package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

var errFailed = errors.New("a check failed")

func main() {
	binary := flag.String("mem", "bin/mem", "the mem to try")
	cache := flag.String("cache", "", "where install.sh has put the clients")
	only := flag.String("only", "", "clients or checks, with commas between; empty: all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *binary, *cache, *only); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, binary, cache, only string) error {
	b, err := newBench(binary, cache)
	if err != nil {
		return err
	}
	if b.labs, err = newLabs("/"); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLIENT\tVERSION\tCHECK\tSECONDS\tRESULT")
	failed := 0
	for _, c := range clients {
		failed += b.try(ctx, table, c, only)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%w: %d; what each left is in %s", errFailed, failed, b.labs)
	}
	return errors.Join(ctx.Err(), clear(b.labs))
}

func newBench(binary, cache string) (b bench, err error) {
	if b.mem, err = filepath.Abs(binary); err != nil {
		return b, err
	}
	if b.cache, err = filepath.Abs(cache); err != nil {
		return b, err
	}
	installed := filepath.Join(b.cache, "node_modules", ".bin")
	if _, err := os.Stat(installed); err != nil || cache == "" {
		return b, fmt.Errorf("-cache %q holds no clients, run scripts/clients/install.sh: %w", cache, err)
	}
	b.bin = filepath.Dir(b.mem) + string(filepath.ListSeparator) + installed
	return b, nil
}

// try runs the checks of one client, prints their rows and counts what failed.
func (b bench) try(ctx context.Context, out io.Writer, c client, only string) (failed int) {
	version := "?"
	for _, check := range checks {
		if !among(check.only, c.Name) || !among(only, c.Name, check.name) {
			continue
		}
		began := time.Now()
		found, err := b.tryOne(ctx, c, check)
		if found != "" {
			version = found
		}
		result := "ok"
		if err != nil {
			failed++
			result = "FAIL " + strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%.1f\t%s\n", c.Name, version, check.name, time.Since(began).Seconds(), result)
	}
	return failed
}

func (b bench) tryOne(ctx context.Context, c client, check check) (version string, err error) {
	l, err := b.newLab(ctx, c, check.name)
	if err != nil {
		return "", err
	}
	if version, err = l.version(); err == nil {
		err = check.run(l)
	}
	return version, errors.Join(err, l.model.close())
}

// among reports whether a list with commas between holds one of some names. The empty list holds
// all.
func among(list string, names ...string) bool {
	return list == "" || slices.ContainsFunc(strings.Split(list, ","), func(name string) bool { return slices.Contains(names, name) })
}

var number = regexp.MustCompile(`\d+\.\d+\.\d+`)

func (l *lab) version() (string, error) {
	s, err := l.exec("", l.Program, "--version")
	return number.FindString(s.out), err
}
