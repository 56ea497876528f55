package fts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/log"
)

// builtOn returns a Builder that reuses the index of records, and the file of that index.
func builtOn(t *testing.T, records []log.Record, maxHeld int) (*Builder, string) {
	t.Helper()
	root, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	first := NewBuilder(root)
	for _, r := range records {
		first.Add(r, content.Parse(r.Content))
	}
	draft, err := first.Draft(1000, stateSum)
	if err == nil {
		err = draft.Install()
	}
	if err != nil {
		t.Fatal(err)
	}
	ix, err := Open(root, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder(root)
	b.maxHeld = maxHeld
	if err := b.Reuse(ix); err != nil {
		t.Fatal(err)
	}
	return b, filepath.Join(root.Path(), sidecar.Dir, format.File)
}

// keep keeps a record.
func keep(b *Builder, r log.Record) {
	f := content.Parse(r.Content)
	b.Keep(r.Key, f.Time(r.TS), content.RealmOf(r.Key, f), f.SupersededBy != "")
}

// linesOf returns n drawn records with their lines.
func linesOf(n int) []log.Record {
	list := recordsOf(world{rand.New(rand.NewPCG(12, 1))}.records(n))
	for i := range list {
		list[i].Line = list[i].Envelope.Line()
	}
	return list
}

// A line that stays is not analyzed, and the file is that of a build from nothing, in however many
// runs what has changed comes.
func TestWhatStaysIsNotAnalyzed(t *testing.T) {
	t.Parallel()
	records := linesOf(800)
	for parts, maxHeld := range []int{0: 1, 1: defaultMaxHeld, 2: defaultMaxHeld} {
		b, file := builtOn(t, records, maxHeld)
		if parts == 2 {
			b.alone = 0
		}
		var next []log.Record
		changed := 0
		for i, r := range records {
			switch i % 8 {
			case 0:
				b.Drop(r)
				changed++
				continue
			case 1:
				b.Drop(r)
				changed += 2
				r = record(r.Key.String(), string(records[i/2].Content), r.TS)
				b.Add(r, content.Parse(r.Content))
			default:
				keep(b, r)
			}
			next = append(next, r)
		}
		if err := b.end(); err != nil {
			t.Fatal(err)
		}
		n, used := 0, 0
		for _, p := range b.parts {
			if p != nil {
				n, used = n+int(p.docs.record), used+1
			}
		}
		if maxHeld > 1 && (n != changed || used != parts) {
			t.Errorf("%d lines were analyzed by %d parts, want the %d that came or went by %d",
				n, used, changed, parts)
		}
		if !bytes.Equal(bytesOf(t, b, file), builtFromNothing(t, next)) {
			t.Errorf("with %d bytes at a time it differs from a build from nothing", maxHeld)
		}
	}
}

// bytesOf installs what a Builder has, and returns the file.
func bytesOf(t *testing.T, b *Builder, file string) []byte {
	t.Helper()
	if err := install(b); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func builtFromNothing(t *testing.T, records []log.Record) []byte {
	t.Helper()
	root, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	b := NewBuilder(root)
	for _, r := range records {
		b.Add(r, content.Parse(r.Content))
	}
	return bytesOf(t, b, filepath.Join(root.Path(), sidecar.Dir, format.File))
}

// An index is not reused where more or fewer lines come than it was made of.
func TestOtherLinesThanOfTheOldIndex(t *testing.T) {
	t.Parallel()
	records := linesOf(60)
	for name, lines := range map[string][]log.Record{
		"one less": records[:len(records)-1],
		"one more": append(slices.Clip(records), record("/zzz", `"x"`, 1)),
	} {
		b, _ := builtOn(t, records, defaultMaxHeld)
		for _, r := range lines {
			keep(b, r)
		}
		if _, err := b.Draft(1000, stateSum); !errors.Is(err, ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sumOfRules is that of the index of some records. A compaction keeps the terms of lines that stay,
// by whatever rules they were made: where this sum changes, analyzer.Version or the magic of the
// format must.
const sumOfRules = "0223b06c24cedc67"

func TestRulesThatChangeHaveAnotherVersion(t *testing.T) {
	t.Parallel()
	drawn := recordsOf(world{rand.New(rand.NewPCG(13, 1))}.records(300))
	records := slices.SortedFunc(slices.Values(append(drawn, goldenRecords...)), byKey)
	sum := sha256.Sum256(builtFromNothing(t, records))
	if got := hex.EncodeToString(sum[:8]); got != sumOfRules {
		t.Errorf("the index of the same records has changed: raise analyzer.Version, unless that "+
			"is done or the format has another magic, and then set sumOfRules to %s", got)
	}
}
