package ledger_test

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/ledger"
)

// BenchmarkRecord records lists of 20 events of 1 KB in memory: the cost is that of their texts.
func BenchmarkRecord(b *testing.B) {
	l := newLab(storetest.NewStore(b, storetest.Memory))
	var list []ledger.Event
	for range 20 {
		list = append(list, message("s1", strings.Repeat("The build of release 4.2 failed. ", 30)))
	}
	b.SetBytes(int64(20 * len(list[0].Content)))
	for b.Loop() {
		if _, err := l.book.RecordEach(ctx, list); err != nil {
			b.Fatal(err)
		}
	}
}
