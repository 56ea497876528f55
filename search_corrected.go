package mem

import (
	"cmp"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
)

// correctionsFirst moves a memory that replaces a hit before it, and before older hits that say
// nearly the same as the replaced one: the correction holds for these too.
func correctionsFirst(found []Found) []Found {
	for i := range found {
		stale := content.Parse(found[i].Record.Content)
		if stale.SupersededBy == "" {
			continue
		}
		at := slices.IndexFunc(found, func(f Found) bool {
			return f.Record.Key.String() == stale.SupersededBy
		})
		if at < 0 {
			continue
		}
		near := fts.NewNear(cmp.Or(stale.Text, stale.Summary))
		first := slices.IndexFunc(found[:at], func(f Found) bool {
			return f.Record.Key == found[i].Record.Key ||
				f.Record.TS < found[at].Record.TS && backend.Matches(near, f.Record)
		})
		if first >= 0 {
			correction := found[at]
			copy(found[first+1:at+1], found[first:at])
			found[first] = correction
		}
	}
	return found
}
