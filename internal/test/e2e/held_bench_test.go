package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// heldOpen returns a store held open over a long tail: 1,000 records in the state and so many lines
// behind it.
func heldOpen(b *testing.B, tail int) *mem.Store {
	b.Helper()
	s, err := mem.Open(b.TempDir()+"/memory", mem.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	fill := func(from, to int) {
		var lines strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&lines, `{"key":"/user/fact/%d/%d","source":"bench","content":{"type":"finding",`+
				`"text":"the parser of module %d keeps offsets in bytes, and latency of run %d doubled",`+
				`"tags":["go","run%d"]}}`+"\n", i%100, i, i%7, i, i%50)
		}
		_, err := s.SetAll(ctx, mem.Caller{}, strings.NewReader(lines.String()), mem.BatchOptions{})
		if err != nil {
			b.Fatal(err)
		}
	}
	fill(0, 1000)
	if _, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
		b.Fatal(err)
	}
	fill(1000, 1000+tail)
	return s
}

// A store held open keeps its view: the next read takes it as it is, or extended by the tail.
func BenchmarkReadHeldOpen(b *testing.B) {
	s := heldOpen(b, 9000)
	for b.Loop() {
		if _, err := s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 2000}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearchHeldOpen(b *testing.B) {
	s := heldOpen(b, 9000)
	for b.Loop() {
		found, err := s.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "latency parser"})
		if err != nil || len(found) == 0 {
			b.Fatal(found, err)
		}
	}
}

// One write between two reads: the view is extended by its line.
func BenchmarkSetThenReadHeldOpen(b *testing.B)   { setThen(b, false) }
func BenchmarkSetThenSearchHeldOpen(b *testing.B) { setThen(b, true) }

func setThen(b *testing.B, search bool) {
	s := heldOpen(b, 9000)
	n := 0
	for b.Loop() {
		n++
		w := mem.Write{Key: keypath.MustParse(fmt.Sprintf("/user/new/%d", n)),
			Content: []byte(`{"text":"one more about latency"}`), Source: []byte(`"bench"`)}
		if _, err := s.Set(ctx, mem.Caller{}, w, mem.SetOptions{}); err != nil {
			b.Fatal(err)
		}
		var err error
		if search {
			_, err = s.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "latency parser"})
		} else {
			_, err = s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 2000})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
