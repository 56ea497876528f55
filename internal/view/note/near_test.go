package note_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// slow is a store whose look for what is near goes wrong, or ends last.
type slow struct {
	backend.Backend
	near  func() ([]log.Record, error)
	looks atomic.Int32 // that have begun and not ended
	fails error        // of updates
}

func (s *slow) Match(context.Context, backend.Matcher, backend.Where, int) ([]log.Record, error) {
	s.looks.Add(1)
	defer s.looks.Add(-1)
	return s.near()
}

func (s *slow) Update(ctx context.Context, c backend.Caller, op string,
	fn func(backend.Tx) error) error {
	if s.fails != nil {
		return s.fails
	}
	return s.Backend.Update(ctx, c, op, fn)
}

// No note fails because nobody can say what is near, and nothing of a call goes on after it.
func TestTheLookForWhatIsNear(t *testing.T) {
	t.Parallel()
	late := func() ([]log.Record, error) {
		time.Sleep(10 * time.Millisecond)
		return nil, nil
	}
	fails := func() ([]log.Record, error) { return nil, errors.New("near") }
	panics := func() ([]log.Record, error) { panic("near") }
	for name, c := range map[string]struct {
		near  func() ([]log.Record, error)
		fails error
		text  string
	}{
		"it panics":           {panics, nil, "a"},
		"it fails":            {fails, nil, "a"},
		"it ends late":        {late, nil, "a"},
		"the update fails":    {late, errors.New("full"), "a"},
		"the text is refused": {late, mem.ErrInput, ""},
	} {
		now := func() time.Time { return storetest.Noon }
		b := &slow{Backend: memstore.New(now), near: c.near, fails: c.fails}
		added, err := note.Add(ctx, mem.New(b, mem.Options{Now: now}), mem.Caller{}, c.text,
			note.Options{})
		if !errors.Is(err, c.fails) || err == nil && added.ID != "m-1" || len(added.Near) > 0 {
			t.Errorf("%s: %+v, %v", name, added, err)
		}
		if n := b.looks.Load(); n != 0 {
			t.Errorf("%s: the look goes on", name)
		}
	}
}

// What makes room for a note, or is the note itself, is not named as near.
func TestNearIsNotWhatHasGone(t *testing.T) { onEach(t, testNearIsNotWhatHasGone) }

func testNearIsNotWhatHasGone(t *testing.T, f *fixture) {
	f.Configure(`{"memory":{"max_total":2}}`)
	f.added("The writer takes the lock and opens the log", note.Options{})
	f.added("The writer takes the lock and opens the door", note.Options{})
	got := f.added("The writer takes the lock and opens the lid", note.Options{})
	if !slices.Equal(got.Near, []string{"m-2"}) || !slices.Equal(got.Evicted, []string{"m-1"}) {
		t.Errorf("%+v", got)
	}
}

// A correction names the stale copies of what it replaces, whatever words it has itself.
func TestNearOfWhatIsReplaced(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.added("The staging database listens on port 5432", note.Options{})
		f.added("The staging database listens on port 5432 now", note.Options{})
		old := keypath.MustParse("/note/workspace/m-2")
		got := f.added("It moved: 6432", note.Options{Replaces: []keypath.Key{old},
			Supersede: edit.Superseding(edit.Author{})})
		if !slices.Equal(got.Near, []string{"m-1"}) {
			t.Errorf("%+v", got)
		}
	})
}
