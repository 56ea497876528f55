package note

import (
	"context"
	"slices"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// maxNear is how many memories that say nearly the same are named.
const maxNear = 3

// lookout is a look for what is near, beside the update that stores the note: neither hangs on the
// other, and what takes longer hides the other.
type lookout struct {
	end   sync.WaitGroup
	found []log.Record
}

// lookFor begins to look for the live memories of a store that say nearly what a text says. Who
// began it waits for its end. A store that cannot tell has none: no note fails for that, and a
// panic is no end of a server.
func lookFor(ctx context.Context, s *mem.Store, c mem.Caller, text string, most int) *lookout {
	l := &lookout{}
	l.end.Go(func() {
		defer func() { _ = recover() }()
		l.found, _ = s.Reader(c).Near(ctx, text, most)
	})
	return l
}

// names returns the names of what was found, but for some keys and the ids of notes that are gone.
func (l *lookout) names(but []keypath.Key, gone []string) (names []string) {
	l.end.Wait()
	for _, rec := range l.found {
		if rec.Key.Class() == keypath.Session {
			continue // who it is for would miss it, if this took its place
		}
		name, ok := keypath.NoteID(rec.Key)
		if !ok {
			name = rec.Key.Shown()
		}
		if len(names) < maxNear && !slices.Contains(but, rec.Key) && !slices.Contains(gone, name) {
			names = append(names, name)
		}
	}
	return names
}
