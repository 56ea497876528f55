package mem_test

import (
	"fmt"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/readout"
)

// Of many rules those without room are counted, and none of them is among the other memories; a
// rule with the text of another needs no room.
func TestReadManyPinned(t *testing.T) {
	f := newStore(t)
	ctx := t.Context()
	const many = 300
	put := func(texts int) {
		for i := range many {
			each(f, fmt.Sprintf("/rules/user/%03d", i),
				fmt.Sprintf(`{"importance":%d,"text":"Rule %d of this house"}`, i%10, i%texts))
		}
	}
	read := func() readout.Page {
		page, err := f.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 400, Pinned: true})
		f.Must(err)
		return page
	}
	put(many)
	page := read()
	if page.Pinned == 0 || page.Pinned != len(page.Entries) || page.Pinned+page.MorePinned != many {
		t.Errorf("%d of %d lines are pinned, and %d more", page.Pinned, len(page.Entries),
			page.MorePinned)
	}
	put(3)
	if page = read(); len(page.Entries) != 3 || page.MorePinned != 0 {
		t.Errorf("%d lines of 3 texts, and %d more", len(page.Entries), page.MorePinned)
	}
}
