package backend

import (
	"cmp"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/log"
)

// Nearest returns which of some records are live, say nearly the same as a text and meet the
// conditions: the nearest first, of these the newest, at most limit.
func Nearest(near *fts.Near, w Where, records iter.Seq[log.Record], limit int) []log.Record {
	type one struct {
		log.Record
		share float64
	}
	var found []one
	for rec := range records {
		f := content.Parse(rec.Content)
		if !rec.Valid() || !w.Prefix.Holds(rec.Key) || !w.Shows(content.RealmOf(rec.Key, f)) ||
			!w.Holds(rec.TS, f) {
			continue
		}
		if share, ok := near.Share(rec); ok && w.Accepts(rec) {
			found = append(found, one{rec, share})
		}
	}
	slices.SortFunc(found, func(a, b one) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(b.TS, a.TS),
			a.Key.Compare(b.Key))
	})
	list := make([]log.Record, min(len(found), limit))
	for i := range list {
		list[i] = found[i].Record
	}
	return list
}
