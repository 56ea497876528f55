package e2e

import (
	"runtime"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// A history holds one version at a time: all of them may be larger than memory.
func TestHistoryHoldsOneVersion(t *testing.T) {
	f := newStore(t)
	const versions, size = 40, 512 << 10
	for range versions {
		f.put("/big", `"`+strings.Repeat("x", size)+`"`)
	}
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before, most, n := heap(), 0, 0
	list, err := f.History(ctx, mem.Caller{}, keypath.MustParse("/big"))
	f.must(err)
	for rec, err := range list.Rows {
		f.must(err)
		if n++; len(rec.Content) != size+2 {
			t.Errorf("version %d has %d bytes", n, len(rec.Content))
		}
		if n%10 == 0 {
			most = max(most, heap()-before)
		}
	}
	if n != versions || list.Count != versions || most > 8*size {
		t.Errorf("%d of %d versions, %d bytes held at once", n, list.Count, most)
	}
}

// What rotates the log while a history is read takes nothing from it.
func TestHistoryWhileTheLogRotates(t *testing.T) {
	f := newStore(t)
	f.configure(`{"rotate":{"lines":1,"bytes":1}}`)
	for _, content := range []string{"1", "2", "3"} {
		f.put("/k", content)
		_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		f.must(err)
	}
	f.put("/k", "4")
	f.put("/k", "5")
	list, err := f.History(ctx, mem.Caller{}, keypath.MustParse("/k"))
	f.must(err)
	_, err = f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	f.must(err)
	f.put("/k", "6")
	got := ""
	for rec, err := range list.Rows {
		f.must(err)
		got += string(rec.Content)
	}
	if got != "54321" {
		t.Errorf("versions %s", got)
	}
}
