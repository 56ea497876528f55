package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/ledger"
)

// The bundle of a store does not depend on what is derived in it.
func TestSameBytes(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Files))
	for i := range 300 {
		l.record(message(fmt.Sprintf("s%d", i%3), fmt.Sprintf("the deploy of %d went well", i%40)))
		l.record(result("s1", "f", fmt.Sprintf("deploy %d: %s", i, strings.Repeat("line\n", i*3))))
	}
	r := ask("how did the deploy of 7 go?")
	first := asJSON(l.build(r))
	_, err := l.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	l.Must(err)
	if got := asJSON(l.build(r)); got != first {
		t.Errorf("after a compaction:\n%s\nbefore:\n%s", got, first)
	}
	l.Must(l.Close())
	l.Open()
	l.book = ledger.New(l.Store.Store, mem.Caller{}, ledger.Options{})
	for range 2 {
		if got := asJSON(l.build(r)); got != first {
			t.Errorf("opened anew:\n%s\nbefore:\n%s", got, first)
		}
	}
}
