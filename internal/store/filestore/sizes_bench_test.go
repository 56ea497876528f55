package filestore_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A conversation of 5,000 memories in lines of 1,800 bytes, compacted, and 1 MB of lines after the
// checkpoint: what the first question of a process costs, and an update that asks and appends one
// more, beside one that does not ask.
func BenchmarkSizes(b *testing.B) {
	below, err := keypath.ParsePrefix("/session/bench")
	if err != nil {
		b.Fatal(err)
	}
	ask := func(tx backend.Tx) error {
		live, _, err := tx.Size(context.Background(), below)
		if live < 5000*1800 {
			b.Fatalf("%d bytes", live)
		}
		return err
	}
	nothing := func(backend.Tx) error { return nil }
	one := func(tx backend.Tx) error {
		_, err := tx.Append(backend.Write{Envelope: benchLine(1)})
		return err
	}
	both := func(tx backend.Tx) error {
		if err := ask(tx); err != nil {
			return err
		}
		return one(tx)
	}
	for _, c := range []struct {
		name string
		fn   func(backend.Tx) error
	}{{"nothing", nothing}, {"size", ask}, {"append", one}, {"size and append", both}} {
		b.Run("cold/"+c.name, func(b *testing.B) { benchUpdates(b, c.fn, true) })
		b.Run("warm/"+c.name, func(b *testing.B) { benchUpdates(b, c.fn, false) })
	}
	b.Run("cold/whole history", func(b *testing.B) {
		w := benchSession(b)
		w.Must(os.RemoveAll(w.File("cache")))
		for b.Loop() {
			s := benchOpen(w)
			w.Must(s.Update(context.Background(), backend.Caller{}, "bench", ask))
			w.Must(s.Close())
		}
	})
}

// benchUpdates runs updates, each in a store that was just opened where they are cold. What they
// append makes the tail longer.
func benchUpdates(b *testing.B, fn func(backend.Tx) error, cold bool) {
	w := benchSession(b)
	s := benchOpen(w)
	for b.Loop() {
		if cold {
			w.Must(s.Close())
			s = benchOpen(w)
		}
		w.Must(s.Update(context.Background(), backend.Caller{}, "bench", fn))
	}
	w.Must(s.Close())
}

func benchOpen(w *storetest.World) *filestore.Store {
	s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now }})
	w.Must(err)
	return s
}

func benchSession(b *testing.B) *storetest.World {
	const lines, tail = 5000, 1 << 20 / 1800
	w := storetest.NewWorld(b)
	w.Dirty = true
	s := benchOpen(w)
	defer s.Close()
	w.Boot = s.Boot()
	add := func(from, to int) {
		w.Must(s.Update(context.Background(), backend.Caller{}, "bench",
			func(tx backend.Tx) error {
				for i := from; i < to; i++ {
					_, err := tx.Append(backend.Write{Envelope: benchLine(i)})
					w.Must(err)
				}
				return nil
			}))
	}
	add(0, lines)
	compactCopy(w, s)
	add(lines-tail/2, lines+tail/2)
	return w
}

// benchLine returns an envelope whose line has about 1,800 bytes.
func benchLine(i int) log.Envelope {
	return log.Envelope{Key: keypath.MustParse(fmt.Sprintf("/session/bench/mem_%026d", i)),
		Source: []byte(`"bench"`), Content: []byte(`"` + strings.Repeat("x", 1560) + `"`)}
}
