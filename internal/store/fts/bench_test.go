package fts

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/log"
)

// benchRecords are like what agents keep: some 40 words each of a skewed vocabulary, one in three
// Chinese.
func benchRecords(n int) func(yield func(log.Record) bool) {
	return func(yield func(log.Record) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		zipf := rand.NewZipf(r, 1.1, 8, 30_000)
		var text strings.Builder
		for i := range n {
			text.Reset()
			for k := range 40 {
				switch {
				case i%3 == 2:
					text.WriteRune(rune(0x4e00 + zipf.Uint64()%3000))
				case k > 0:
					text.WriteByte(' ')
					fallthrough
				default:
					text.WriteString(syllables[zipf.Uint64()%40])
					text.WriteString(syllables[zipf.Uint64()%40])
				}
			}
			if i%1000 == 0 {
				text.WriteString(" zebra")
			}
			content := fmt.Sprintf(`{"type":"note","text":%q,"tags":["t%d"],"importance":5}`,
				"common "+text.String(), i%50)
			key := fmt.Sprintf("/user/topic%03d/m%07d", i*1000/n, i)
			if !yield(record(key, content, log.Stamp(1.77e15+int64(i)*6e7))) {
				return
			}
		}
	}
}

var syllables = strings.Fields(`ba be bi bo bu da de di do du fa fe fi fo fu ga ge gi go gu
ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu`)

func benchBuild(b testing.TB, n int) *disk.Dir {
	root, err := disk.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	build := NewBuilder(root)
	for r := range benchRecords(n) {
		build.Add(r, content.Parse(r.Content))
	}
	if err := install(build); err != nil {
		b.Fatal(err)
	}
	return root
}

func BenchmarkBuild(b *testing.B) {
	const n = 100_000
	var records []log.Record
	bytes := 0
	for r := range benchRecords(n) {
		records = append(records, r)
		bytes += len(r.Content)
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		root, err := disk.Open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		build := NewBuilder(root)
		for _, r := range records {
			build.Add(r, content.Parse(r.Content))
		}
		if err := install(build); err != nil {
			b.Fatal(err)
		}
		fi, err := root.Lstat(sidecar.Dir + "/" + format.File)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(fi.Size())/1e6, "MB")
		root.Close()
	}
}

// BenchmarkQuery opens, searches and closes, as a process does that asks one question.
func BenchmarkQuery(b *testing.B) {
	root := benchBuild(b, 100_000)
	for _, c := range []struct{ name, query string }{
		{"rare", "zebra"}, {"common", "common"}, {"rare and common", "zebra common"},
		{"three common", "baba beba bibi"}, {"tag", "zebra tag:t0"}, {"prefix", "zeb*"},
		{"scope", "baba key:/user/topic007"},
	} {
		b.Run(c.name, func(b *testing.B) {
			q, err := ParseQuery(c.query)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				ix, err := Open(root, 1000, stateSum)
				if err != nil {
					b.Fatal(err)
				}
				res, err := Search(ix, nil, q, Options{Limit: 10})
				if err != nil || len(res.Hits) == 0 {
					b.Fatal(err, len(res.Hits))
				}
				ix.Close()
			}
		})
	}
}
