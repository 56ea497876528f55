package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/view/memtool"
	"github.com/set-memory/mem/log"
)

func main() {
	cache := flag.String("cache", "", "where install.sh has put the SDK")
	rounds := flag.Int("rounds", 400, "how often to begin with no files")
	seed := flag.Uint64("seed", 0, "of what is drawn; 0: another one each time")
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	if err := run(os.Stdout, *cache, *rounds, *seed); err != nil {
		fmt.Fprintf(os.Stderr, "memtool: seed %d: %v\n", *seed, err)
		os.Exit(1)
	}
}

func run(out io.Writer, cache string, rounds int, seed uint64) error {
	dir, err := os.MkdirTemp("", "mem-memtool-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o, stop, err := start(cache, dir)
	if err != nil {
		return err
	}
	defer stop()
	d := drawer{rand.New(rand.NewPCG(seed, 0))}
	commands := 0
	for range rounds {
		n, err := round(d, o)
		if commands += n; err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%d commands, %d rounds, seed %d\n", commands, rounds, seed)
	return report(out)
}

// report prints how often each difference was met.
func report(out io.Writer) error {
	for _, diff := range differences {
		fmt.Fprintf(out, "%6d  %s\n", diff.count, diff.why)
		if diff.count == 0 {
			return fmt.Errorf("never met: %s", diff.why)
		}
	}
	return nil
}

// perRound is how many commands a round has at most: it ends early where the files differ on
// purpose.
const perRound = 60

// round runs commands in both, from no files on, and compares.
func round(d drawer, o oracle) (n int, err error) {
	s := mem.New(memstore.New(time.Now), mem.Options{})
	defer s.Close()
	tool := memtool.New(s, mem.Caller{}, nil)
	if _, err := o.ask(command{"command": "reset"}); err != nil {
		return 0, err
	}
	for n = 1; n <= perRound; n++ {
		c := d.command()
		doc, err := json.Marshal(c)
		if err != nil {
			return n, err
		}
		ours, failure := tool.Call(context.Background(), doc)
		theirs, err := o.ask(c)
		if err != nil {
			return n, err
		}
		failed := failure != nil
		if same(ours, failed, theirs) {
			continue
		}
		if !known(c, ours, failed, theirs) {
			text, _ := json.Marshal(theirs)
			return n, fmt.Errorf("%s\nours:   %q (failed: %v)\ntheirs: %s", doc, ours, failed, text)
		}
		if (theirs.Text != nil) == failed || c["command"] == "str_replace" {
			return n, nil // the files are not the same any more
		}
	}
	return n - 1, compareFiles(s, o)
}

func known(c command, ours string, failed bool, theirs answer) bool {
	for _, diff := range differences {
		if diff.is(c, ours, failed, theirs) {
			diff.count++
			return true
		}
	}
	return false
}

// compareFiles compares what both have stored.
func compareFiles(s *mem.Store, o oracle) error {
	held := map[string]string{}
	err := s.List(context.Background(), mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		held[rec.Key.String()] = content.Parse(rec.Content).Text
		return nil
	})
	if err != nil {
		return err
	}
	theirs, err := o.ask(command{"command": "dump"})
	if err == nil && !maps.Equal(held, theirs.Files) {
		err = fmt.Errorf("the files differ:\nours:   %q\ntheirs: %q", held, theirs.Files)
	}
	return err
}
