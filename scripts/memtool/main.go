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

	"github.com/set-memory/mem/scripts/harness"
)

func main() {
	cache := flag.String("cache", "", "where install.sh has put the SDK")
	rounds := flag.Int("rounds", 400, "how often to begin with no files")
	seed := flag.Uint64("seed", 0, "of what is drawn; 0: another one each time")
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	harness.Main(fmt.Sprintf("memtool: seed %d", *seed), func(context.Context) {
		run(os.Stdout, *cache, *rounds, *seed)
	})
}

func run(out io.Writer, cache string, rounds int, seed uint64) {
	dir := harness.Must(os.MkdirTemp("", "mem-memtool-"))
	defer os.RemoveAll(dir)
	o, stop := start(cache, dir)
	defer stop()
	d := drawer{rand.New(rand.NewPCG(seed, 0))}
	commands := 0
	for range rounds {
		commands += round(d, o)
	}
	fmt.Fprintf(out, "%d commands, %d rounds, seed %d\n", commands, rounds, seed)
	report(out)
}

// report prints how often each difference was met.
func report(out io.Writer) {
	for _, diff := range differences {
		fmt.Fprintf(out, "%6d  %s\n", diff.count, diff.why)
		if diff.count == 0 {
			harness.Failf("never met: %s", diff.why)
		}
	}
}

// perRound is how many commands a round has at most: it ends early where the files differ on
// purpose.
const perRound = 60

// round runs commands in both, from no files on, and compares.
func round(d drawer, o oracle) (n int) {
	s := mem.New(memstore.New(time.Now), mem.Options{})
	defer s.Close()
	tool := memtool.New(s, mem.Caller{}, nil)
	o.ask(command{"command": "reset"})
	for n = 1; n <= perRound; n++ {
		c := d.command()
		doc := harness.Must(json.Marshal(c))
		ours, failure := tool.Call(context.Background(), doc)
		theirs := o.ask(c)
		failed := failure != nil
		if same(ours, failed, theirs) {
			continue
		}
		if !known(c, ours, failed, theirs) {
			text, _ := json.Marshal(theirs)
			harness.Failf("%s\nours:   %q (failed: %v)\ntheirs: %s", doc, ours, failed, text)
		}
		if (theirs.Text != nil) == failed || c["command"] == "str_replace" {
			return n // the files are not the same any more
		}
	}
	compareFiles(s, o)
	return n - 1
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
func compareFiles(s *mem.Store, o oracle) {
	held := map[string]string{}
	ctx := context.Background()
	harness.Check(s.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		held[rec.Key.String()] = content.Parse(rec.Content).Text
		return nil
	}))
	theirs := o.ask(command{"command": "dump"})
	if !maps.Equal(held, theirs.Files) {
		harness.Failf("the files differ:\nours:   %q\ntheirs: %q", held, theirs.Files)
	}
}
