package fts

import (
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// BenchmarkTail searches 9,000 records of the tail, which replace as many rows of a sidecar: as a
// process that asks once, and as one that asks again.
func BenchmarkTail(b *testing.B) {
	root := benchBuild(b, 20_000)
	queries := []string{"zebra baba", "buda common", "what did the dentist say about the photo"}
	b.Run("first", func(b *testing.B) {
		records := benchTail()
		for b.Loop() {
			benchSearch(b, root, tailOf(records), queries[0])
		}
	})
	b.Run("prefix", func(b *testing.B) {
		records := benchTail()
		for b.Loop() {
			benchSearch(b, root, tailOf(records), "zeb*")
		}
	})
	b.Run("again", func(b *testing.B) {
		tail := tailOf(benchTail())
		benchSearch(b, root, tail, "anything")
		for n := 0; b.Loop(); n++ {
			benchSearch(b, root, tail, queries[n%len(queries)])
		}
	})
}

func benchTail() (records []log.Record) {
	i := 0
	for r := range benchRecords(20_000) {
		if i++; i%20 < 9 {
			records = append(records, r)
		}
	}
	return records
}

func tailOf(records []log.Record) *Tail {
	tail := NewTail()
	for _, r := range records {
		tail.Add(r)
	}
	return tail
}

// benchSearch opens the sidecar, searches and closes it.
func benchSearch(b *testing.B, root *disk.Dir, tail *Tail, query string) {
	b.Helper()
	ix, err := Open(root, 1000, stateSum)
	if err != nil {
		b.Fatal(err)
	}
	defer ix.Close()
	q, err := ParseQuery(query)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := Search(ix, tail, q, Options{Limit: 10}); err != nil {
		b.Fatal(err)
	}
}
