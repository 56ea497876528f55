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

// lookout searches for similar memories while the update stores the note: neither depends on the
// other, so the call takes only as long as the slower one.
type lookout struct {
	end   sync.WaitGroup
	found []log.Record
}

// lookFor starts a search for the live memories of a store that say nearly the same as a text. The
// caller waits for its end. An error counts as no result, for no note fails for it, and a panic
// must not stop a server.
func lookFor(ctx context.Context, s *mem.Store, c mem.Caller, text string, most int) *lookout {
	l := &lookout{}
	l.end.Go(func() {
		defer func() { _ = recover() }()
		l.found, _ = s.Reader(c).FindNear(ctx, text, most)
	})
	return l
}

// names returns the names of the found memories, except for some keys and the ids of deleted notes.
func (l *lookout) names(but []keypath.Key, gone []string) (names []string) {
	l.end.Wait()
	for _, rec := range l.found {
		if rec.Key.Class() == keypath.Session {
			continue // its own conversation would lose it, if the new note replaced it
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

// union returns the names in either list, at most maxNear.
func union(names, more []string) []string {
	for _, name := range more {
		if len(names) < maxNear && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
