package fts

import (
	"slices"
	"testing"

	"github.com/set-memory/mem/log"
)

// BenchmarkTail searches 9,000 records of the tail beside a sidecar of as many: as a process that
// asks once, and as one that asks again.
func BenchmarkTail(b *testing.B) {
	root := benchBuild(b, 20_000)
	ix, err := Open(root, 1000, stateSum)
	if err != nil {
		b.Fatal(err)
	}
	defer ix.Close()
	var records []log.Record
	for i, r := range slices.Collect(benchRecords(20_000)) {
		if i%20 < 9 {
			records = append(records, r)
		}
	}
	queries := []*Query{
		Words("zebra baba"), Words("buda common"),
		Words("what did the dentist say about the photo"),
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			tail := NewTail()
			for _, r := range records {
				tail.Add(r)
			}
			if _, err := Search(ix, tail, queries[0], Options{Limit: 10}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		tail := NewTail()
		for _, r := range records {
			tail.Add(r)
		}
		for i := range 2 {
			if _, err := Search(ix, tail, queries[i], Options{Limit: 10}); err != nil {
				b.Fatal(err)
			}
		}
		n := 0
		for b.Loop() {
			n++
			if _, err := Search(ix, tail, queries[n%3], Options{Limit: 10}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		q := Words("zebra baba")
		q.prefixes = []string{"zzqqq"}
		for b.Loop() {
			tail := NewTail()
			for _, r := range records {
				tail.Add(r)
			}
			if _, err := Search(ix, tail, q, Options{Limit: 10}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
