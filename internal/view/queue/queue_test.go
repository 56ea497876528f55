package queue_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/queue"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// fill returns the queue of a store in which one item of each kind waits.
func fill(t *testing.T, s *storetest.Store) *queue.Queue {
	t.Helper()
	q := &queue.Queue{Layers: layers.Of(s.Store),
		Inbox: inbox.In(t.TempDir(), func() time.Time { return storetest.Noon })}
	_, err := q.Inbox.Propose(inbox.Proposal{Class: "fact", Text: "the port is 5433",
		Evidence: []string{"it is 5433"}, Client: "codex", At: log.StampOf(storetest.Noon),
		Store: s.Path(), Sessions: []string{"s1"}})
	s.Must(err)
	s.Put("/user/style", `{"type":"preference","text":"tabs"}`)
	_, err = proposal.Add(t.Context(), s.Store, mem.Caller{Client: "codex"}, proposal.Change{
		Verb: "set", Key: keypath.MustParse("/user/style"),
		Content: []byte(`{"type":"preference","text":"spaces"}`), Source: []byte(`"chat"`)})
	s.Must(err)
	quarantine(t, s, `"one"`)
	return q
}

func quarantine(t *testing.T, s *storetest.Store, text string) {
	t.Helper()
	_, err := s.Set(t.Context(), mem.Caller{}, mem.Write{Key: keypath.MustParse("/kb/a"),
		Content: []byte(text), Source: []byte(`"hearsay"`)}, mem.SetOptions{Quarantine: true})
	s.Must(err)
}

// wait returns the items of a queue, of which there must be so many.
func wait(t *testing.T, q *queue.Queue, want int) []queue.Item {
	t.Helper()
	list, err := q.List(t.Context())
	if err != nil || len(list) != want {
		t.Fatalf("%d wait, want %d (%v)", len(list), want, err)
	}
	return list
}

func TestEachKindIsDecidedAsItWasShown(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		q := fill(t, s)
		list := wait(t, q, 3)
		if list[0].Fact == nil || list[0].Version() != "" || list[1].Proposal == nil ||
			list[2].ID() != "/untrusted/kb/a" {
			t.Fatalf("%+v", list)
		}
		for _, it := range list[:2] {
			found, err := q.Find(t.Context(), strings.ToUpper(it.ID()[:1])+it.ID()[1:])
			if it.Proposal != nil { // its id is a name of a key
				found, err = q.Find(t.Context(), it.ID())
			}
			if err != nil || found == nil || found.ID() != it.ID() ||
				found.Version() != it.Version() {
				t.Errorf("%s: %+v, %v", it.ID(), found, err)
			}
		}
		if found, err := q.Find(t.Context(), "/kb/a"); found != nil || err != nil {
			t.Errorf("a key names no fact and no change: %+v, %v", found, err)
		}
		quarantine(t, s, `"swapped"`)
		_, err := q.Approve(t.Context(), &list[2], "", mem.ApproveOptions{})
		if !errors.Is(err, mem.ErrUnseen) {
			t.Errorf("approved what was not shown: %v", err)
		}
		_, err = q.Reject(t.Context(), &list[2])
		if !errors.Is(err, mem.ErrUnseen) {
			t.Errorf("rejected what was not shown: %v", err)
		}
		for _, it := range wait(t, q, 3) {
			done, err := q.Approve(t.Context(), &it, "", mem.ApproveOptions{})
			s.Must(err)
			if it.Write != nil && done.ID != "/kb/a" || it.Proposal != nil && done.ID != it.ID() ||
				it.Fact != nil && !strings.HasPrefix(done.ID, "m-") {
				t.Errorf("%s stored %s", it.ID(), done.ID)
			}
		}
		wait(t, q, 0)
		if s.Content("/kb/a") != `"swapped"` || !strings.Contains(s.Content("/user/style"), "spaces") {
			t.Errorf("%s, %s", s.Content("/kb/a"), s.Content("/user/style"))
		}
	})
}

func TestWhatIsRejectedWaitsNoMore(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		q := fill(t, s)
		if got := q.Notice(t.Context()); got !=
			"1 proposed change of your rules and 1 proposed fact: mem approve" {
			t.Error(got)
		}
		list := wait(t, q, 3)
		for _, it := range list {
			_, err := q.Reject(t.Context(), &it)
			s.Must(err)
		}
		wait(t, q, 0)
		if got := q.Notice(t.Context()); got != "" {
			t.Error(got)
		}
		_, err := q.Find(t.Context(), list[0].ID())
		if !errors.Is(err, inbox.ErrNoProposal) {
			t.Errorf("found again: %v", err)
		}
		if s.Content("/user/style") != `{"type":"preference","text":"tabs"}` {
			t.Error(s.Content("/user/style"))
		}
	})
}
