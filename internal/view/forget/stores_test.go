package forget_test

import (
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
)

// A purge across the stores of a call takes what was found, says what was missing, and does not
// purge again what is gone.
func TestPurgeAcrossStores(t *testing.T) {
	storetest.EachKind(t, testPurgeAcrossStores)
}

func testPurgeAcrossStores(t *testing.T, s *storetest.Store) {
	fill(s)
	l := layers.Of(s.Store)
	sel := forget.Selection{Keys: []keypath.Key{keypath.MustParse("/a/two"),
		keypath.MustParse("/nothing")}}
	found, err := forget.Look(ctx, l, mem.Caller{}, sel, true)
	if err != nil {
		t.Fatal(err)
	}
	missing := found.Missing()
	if len(found.Matches()) != 1 || len(missing) != 1 || missing[0].String() != "/nothing" {
		t.Errorf("found %v, missing %v", found.Matches(), missing)
	}
	for _, want := range []int{1, 0} {
		done, err := found.Purge(ctx, "asked to", false)
		if err != nil || done.Failed != nil || done.Versions != want || len(done.Stores) != want {
			t.Fatalf("%+v, %v, want %d versions", done, err, want)
		}
		if want > 0 && !done.Stores[0].Proved {
			t.Errorf("not proved: %+v", done.Stores[0])
		}
		if found, err = forget.Look(ctx, l, mem.Caller{}, sel, true); err != nil {
			t.Fatal(err)
		}
	}
	past, err := forget.PurgedBefore(ctx, l, mem.Caller{})
	if err != nil || len(past) != 1 || past["/a/two"] == 0 {
		t.Errorf("purged before: %v, %v", past, err)
	}
	list, err := forget.DeletionsIn(ctx, l, mem.Caller{})
	if err != nil || len(list) < 2 || list[0].Key != "/a/two" {
		t.Errorf("deletions: %+v, %v", list, err)
	}
}
