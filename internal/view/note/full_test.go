package note_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/note"
)

// A note that was restored, or edited, is as new as that, and makes room for others last.
func TestRestoredNoteIsNotEvictedNext(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		s.Configure(`{"memory":{"max_total":3}}`)
		add := func(text string) note.Added {
			t.Helper()
			s.Clock = s.Clock.Add(time.Minute)
			added, err := note.Add(ctx, s.Store, mem.Caller{}, text, note.Options{})
			s.Must(err)
			return added
		}
		full := func(want bool) {
			t.Helper()
			f, err := note.FullOf(ctx, s.Store, mem.Caller{})
			s.Must(err)
			if (f != nil) != want {
				t.Errorf("full: %v", f)
			}
		}
		first := add("fact 1")
		add("fact 2")
		full(false)
		add("fact 3")
		full(true)
		if got := fmt.Sprint(add("fact 4").Evicted); got != "[m-1]" {
			t.Fatalf("evicted %s", got)
		}
		s.Clock = s.Clock.Add(time.Minute)
		_, err := edit.Undo(ctx, s.Store, mem.Caller{}, first.Key, nil, edit.Author{})
		s.Must(err)
		if got := fmt.Sprint(add("fact 5").Evicted); got != "[m-2 m-3]" {
			t.Errorf("evicted %s, and m-1 was restored a minute ago", got)
		}
	})
}
