package e2e

import (
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

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
