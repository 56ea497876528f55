package mem_test

import (
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// What rotates the log while a history is read takes nothing from it.
func TestHistoryWhileTheLogRotates(t *testing.T) {
	f := newStore(t)
	f.Configure(`{"rotate":{"lines":1,"bytes":1}}`)
	for _, content := range []string{"1", "2", "3"} {
		f.Put("/k", content)
		_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		f.Must(err)
	}
	f.Put("/k", "4")
	f.Put("/k", "5")
	list, err := f.History(ctx, mem.Caller{}, keypath.MustParse("/k"))
	f.Must(err)
	_, err = f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	f.Must(err)
	f.Put("/k", "6")
	got := ""
	for rec, err := range list.Rows {
		f.Must(err)
		got += string(rec.Content)
	}
	if got != "54321" {
		t.Errorf("versions %s", got)
	}
}
