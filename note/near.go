package note

import (
	"context"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// maxNear is how many memories that say nearly the same are named.
const maxNear = 3

// near names the live memories of a store that say nearly what a text says, but for some keys. A
// store that cannot tell has none: the note is stored already.
func near(ctx context.Context, s *mem.Store, c mem.Caller, text string,
	but []keypath.Key) (names []string) {
	found, _ := s.Reader(c).Near(ctx, text, maxNear+len(but))
	for _, rec := range found {
		if slices.Contains(but, rec.Key) || len(names) == maxNear {
			continue
		}
		name, ok := idOf(rec.Key)
		if !ok {
			name = rec.Key.Shown()
		}
		names = append(names, name)
	}
	return names
}
