package page

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/queue"
	"github.com/set-memory/mem/keypath"
)

var ctx = context.Background()

// shownOf returns what the page shows of a quarantined write.
func shownOf(w waiting) mem.Shown {
	return mem.Shown{Key: w.Rec.Key, TS: w.Rec.TS, Over: w.Now.TS}
}

// approveShown approves an item as the page does.
func approveShown(ctx context.Context, s *mem.Store, c mem.Caller, shown mem.Shown) (
	mem.Outcome, error) {
	return queue.Approve(ctx, s, c, shown, mem.ApproveOptions{Force: true})
}

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
		_, err := approveShown(ctx, s.Store, mem.Caller{}, shownOf(a))
		if !errors.Is(err, mem.ErrUnseen) || mem.KindOf(err) != mem.KindConflict {
			t.Errorf("approved: %v", err)
		}
		_, err = s.Reject(ctx, mem.Caller{}, shownOf(a))
		if !errors.Is(err, mem.ErrUnseen) {
			t.Errorf("rejected: %v", err)
		}
		for _, w := range queue(2) {
			if w.For.String() == "/kb/a" {
				_, err = approveShown(ctx, s.Store, mem.Caller{}, shownOf(w))
			} else {
				_, err = s.Reject(ctx, mem.Caller{}, shownOf(w))
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
		_, err = approveShown(ctx, s.Store, mem.Caller{}, shownOf(c))
		if !errors.Is(err, mem.ErrUnseen) {
			t.Errorf("over what was not shown: %v", err)
		}
		_, err = approveShown(ctx, s.Store, mem.Caller{}, shownOf(queue(1)[0]))
		s.Must(err)
		queue(0)
		_, err = approveShown(ctx, s.Store, mem.Caller{}, shownOf(a))
		if !errors.Is(err, mem.ErrNotFound) {
			t.Errorf("approved again: %v", err)
		}
	})
}

// A proposal is no quarantined write. Its approval is about the rule that the agent has seen, and
// its rejection can be taken back.
func TestDecisionsAboutProposals(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		const tabs, spaces = `{"type":"preference","text":"tabs"}`,
			`{"type":"preference","text":"spaces"}`
		key, person := keypath.MustParse("/user/style"), mem.Caller{}
		propose := func(text string) proposal.Proposal {
			t.Helper()
			_, err := proposal.Add(ctx, s.Store, mem.Caller{Client: "codex"}, proposal.Change{
				Verb: "set", Key: key, Content: []byte(text), Source: []byte(`"chat"`)})
			s.Must(err)
			return open(t, s, 1)[0]
		}
		s.Put("/user/style", tabs)
		p := propose(spaces)
		waits, err := waitingIn(ctx, s.Store, person)
		s.Must(err)
		sums, err := countStore(ctx, s.Store, person)
		s.Must(err)
		if len(waits) != 0 || sums.Untrusted != 0 || sums.All.Count != 1 || p.IsLate() {
			t.Errorf("%+v, %+v, late: %v", waits, sums, p.IsLate())
		}
		other := p.Shown()
		other.TS--
		_, err = approveShown(ctx, s.Store, person, other)
		if !errors.Is(err, mem.ErrUnseen) {
			t.Errorf("approved what was not shown: %v", err)
		}
		gone, err := s.Reject(ctx, person, p.Shown())
		s.Must(err)
		for want := range 2 { // a second undo rejects it again
			open(t, s, want)
			back, err := edit.Revert(ctx, s.Store, person, []mem.Outcome{gone}, edit.Author{})
			s.Must(err)
			gone = back[0]
		}
		p = propose(spaces)
		s.Put("/user/style", `{"type":"preference","text":"newer"}`)
		if late := open(t, s, 1)[0]; !late.IsLate() {
			t.Error("it is not late")
		}
		_, err = approveShown(ctx, s.Store, person, p.Shown())
		var lost *mem.ConflictError
		if !errors.As(err, &lost) || lost.Newest.Key != key {
			t.Errorf("approved over a newer rule: %v", err)
		}
		_, err = s.Reject(ctx, person, p.Shown())
		s.Must(err)
		p = propose("null")
		s.Clock = s.Clock.Add(31 * 24 * time.Hour)
		_, err = approveShown(ctx, s.Store, person, p.Shown())
		if !errors.Is(err, mem.ErrNotFound) {
			t.Errorf("approved what has expired: %v", err)
		}
		propose("null")
		p = open(t, s, 1)[0]
		_, err = approveShown(ctx, s.Store, person, p.Shown())
		s.Must(err)
		open(t, s, 0)
		if _, err = s.Get(ctx, person, key, true); !errors.Is(err, mem.ErrNotFound) {
			t.Errorf("the rule is there: %v", err)
		}
	})
}

// open returns the proposals, of which there must be so many.
func open(t *testing.T, s *storetest.Store, want int) []proposal.Proposal {
	t.Helper()
	list, err := proposal.List(ctx, s.Store, mem.Caller{})
	if err != nil || len(list) != want {
		t.Fatalf("%d proposals, want %d (%v)", len(list), want, err)
	}
	return list
}
