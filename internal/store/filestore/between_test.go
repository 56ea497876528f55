package filestore_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A reader sees what was there when it began, wherever in a compaction it begins, and however far
// that one comes between two of its calls. The first compaction of a store counts too: there is a
// moment in which only half of what it made is there.
func TestReadersInACompaction(t *testing.T) {
	first := keypath.MustParse("/first")
	reads := map[string]func(w *storetest.World) bool{
		"lookup": func(w *storetest.World) bool {
			_, found, _, err := w.Files().Lookup(first)
			w.Must(err)
			return found
		},
		"view": func(w *storetest.World) bool {
			v, err := w.Files().Load()
			w.Must(err)
			defer v.Close()
			_, found, err := v.Get(context.Background(), first)
			w.Must(err)
			return found
		},
	}
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			swept := 0
			for p := range places(testkit.Extent(6, 10, 10), 24) {
				w := storetest.NewWorld(t)
				w.Set("/first", "1")
				turns := takeTurns(p, func() { w.Compact(storetest.RotateLog) })
				if !read(w) {
					t.Errorf("/first is gone: %+v", p)
				}
				if turns.end() {
					swept++
				}
			}
			t.Log(swept, "interleavings")
			if swept < testkit.Extent(80, 300, 300) {
				t.Errorf("%d are too few", swept)
			}
		})
	}
}

// place is where a reader is met by a compaction.
type place struct {
	before int // what a compaction has put in place when the reader begins
	within int // calls of the reader when the compaction goes on
	some   int // what it puts in place then; the rest when the reader has ended
}

func places(before, within int) iter.Seq[place] {
	return func(yield func(place) bool) {
		for p := (place{before: 1}); p.before <= before; p.before++ {
			for p.some = 1; p.some <= before-p.before; p.some++ {
				for p.within = 1; p.within <= within; p.within++ {
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

// turns lets two goroutines make the calls of a disk, one of them at a time.
type turns struct {
	place
	reader      bool // whose calls they are
	calls, puts int
	next        int // puts after which it is the reader's turn
	resumed     bool
	turn, ended chan struct{}
}

// takeTurns starts a compaction, and returns when it is the reader's turn.
func takeTurns(p place, compact func()) *turns {
	t := &turns{place: p, next: p.before, turn: make(chan struct{}), ended: make(chan struct{})}
	disk.SetHook(func(op disk.Op, path string) error {
		switch {
		case t.reader:
			if t.calls++; t.calls == t.within {
				t.resumed = true
				t.next = t.puts + t.some
				t.goOn()
			}
		case op == disk.OpRename, op == disk.OpWrite && strings.HasSuffix(path, log.WatermarkFile):
			if t.puts == t.next {
				t.turn <- struct{}{}
				<-t.turn
			}
			t.puts++
		}
		return nil
	})
	go func() {
		compact()
		close(t.ended)
	}()
	t.wait()
	return t
}

// goOn lets the compaction make calls until it is the reader's turn again.
func (t *turns) goOn() {
	t.reader = false
	select {
	case t.turn <- struct{}{}:
		t.wait()
	case <-t.ended:
	}
	t.reader = true
}

func (t *turns) wait() {
	select {
	case <-t.turn:
	case <-t.ended:
	}
	t.reader = true
}

// end ends both, and reports whether they took turns.
func (t *turns) end() bool {
	took := t.resumed && t.puts == t.before+t.some
	t.next = -1
	t.goOn()
	disk.SetHook(nil)
	return took
}
