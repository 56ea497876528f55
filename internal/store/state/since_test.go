package state

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A view that was extended step by step selects below each prefix what a view of the same records
// does that was made at once.
func TestExtendedSelectsBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := []string{"/a", "/a/b", "/a/b/c", "/a/b-d", "/a/b0", "/a/bc", "/ab", "/b", "/b/b/c"}
	all := folded(log.MinStamp, "/a/b=0")
	v := NewView(nil, maps.Clone(all), nil)
	for step := range 200 {
		var texts []string
		for range r.IntN(4) {
			text := fmt.Sprintf("%s=%d", keys[r.IntN(len(keys))], step)
			if r.IntN(4) == 0 {
				text = keys[r.IntN(len(keys))] + "=null"
			}
			texts = append(texts, text)
		}
		fresh := folded(log.MinStamp+log.Stamp(10*step+10), texts...)
		all.Merge(fresh)
		v = v.Extend(nil, fresh, nil)
		for _, below := range append(keys, "/") {
			p, err := keypath.ParsePrefix(below)
			if err != nil {
				t.Fatal(err)
			}
			got := selected(t, v, p, p)
			if want := selected(t, NewView(nil, all, nil), keypath.Prefix{}, p); got != want {
				t.Fatalf("step %d below %s: %s, want %s", step, below, got, want)
			}
		}
	}
}

// selected returns what a view selects below a prefix, as far as another one holds it.
func selected(t *testing.T, v *View, below, held keypath.Prefix) (keys string) {
	t.Helper()
	w := backend.Where{}
	w.Prefix = below
	list, err := v.Select(context.Background(), w, backend.NewestFirst, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range list {
		if held.Holds(rec.Key) {
			keys += fmt.Sprintf("%s=%s ", rec.Key, rec.Content)
		}
	}
	return keys
}
