package page

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

var ctx = context.Background()

func TestMain(m *testing.M) { storetest.Main(m) }

// A person decides about what they were shown, and about nothing that came since.
func TestDecisionsAreAboutWhatWasShown(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		hearsay := func(key, text string) {
			t.Helper()
			_, err := s.Set(ctx, mem.Caller{}, mem.Write{Key: keypath.MustParse(key),
				Content: []byte(text), Source: []byte(`"hearsay"`)},
				mem.SetOptions{Quarantine: true})
			s.Must(err)
		}
		queue := func(want int) []waiting {
			t.Helper()
			list, err := waitingIn(ctx, s.Store, mem.Caller{})
			if err != nil || len(list) != want {
				t.Fatalf("%d wait, want %d (%v)", len(list), want, err)
			}
			return list
		}
		queue(0)
		hearsay("/kb/a", `"one"`)
		hearsay("/kb/b", `"two"`)
		shown := queue(2)
		if b := shown[0]; b.For.String() != "/kb/b" || b.IsLate() || !b.Now.Key.IsZero() {
			t.Errorf("the newest is %+v", b)
		}
		a := shown[1]
		hearsay("/kb/a", `"swapped"`)
		_, err := approveShown(ctx, s.Store, mem.Caller{}, a.Rec.Key, a.Rec.TS, 1)
		if !errors.Is(err, errChanged) || mem.KindOf(err) != mem.KindConflict {
			t.Errorf("approved: %v", err)
		}
		err = rejectShown(ctx, s.Store, mem.Caller{}, a.Rec.Key, a.Rec.TS)
		if !errors.Is(err, errChanged) {
			t.Errorf("rejected: %v", err)
		}
		for _, w := range queue(2) {
			if w.For.String() == "/kb/a" {
				_, err = approveShown(ctx, s.Store, mem.Caller{}, w.Rec.Key, w.Rec.TS, 0)
			} else {
				err = rejectShown(ctx, s.Store, mem.Caller{}, w.Rec.Key, w.Rec.TS)
			}
			s.Must(err)
		}
		queue(0)
		// What it would replace was written since, and again after it was shown.
		hearsay("/kb/c", `"three"`)
		s.Clock = s.Clock.Add(time.Second)
		sourced := func(text string) {
			_, err := s.Set(ctx, mem.Caller{}, mem.Write{Key: keypath.MustParse("/kb/c"),
				Content: []byte(text), Source: []byte(`{"kind":"web","name":"x","retrieved_at":` +
					`"2026-02-22T10:00:00Z","locator":{"url":"https://x.example"}}`)}, mem.SetOptions{})
			s.Must(err)
		}
		sourced(`"shown"`)
		c := queue(1)[0]
		s.Clock = s.Clock.Add(time.Second)
		sourced(`"not shown"`)
		now, err := s.Get(ctx, mem.Caller{}, c.For, true)
		s.Must(err)
		_, err = approveShown(ctx, s.Store, mem.Caller{}, c.Rec.Key, c.Rec.TS, c.Now.TS)
		if !errors.Is(err, errChanged) {
			t.Errorf("over what was not shown: %v", err)
		}
		_, err = approveShown(ctx, s.Store, mem.Caller{}, c.Rec.Key, c.Rec.TS, now.TS)
		s.Must(err)
		queue(0)
		_, err = approveShown(ctx, s.Store, mem.Caller{}, a.Rec.Key, a.Rec.TS, 0)
		if !errors.Is(err, mem.ErrNotFound) {
			t.Errorf("approved again: %v", err)
		}
	})
}
