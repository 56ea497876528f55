package transfer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
)

const inWorkspace = "/note/workspace/"

// succeeded is a store with the notes m-1, superseded by m-3, and m-2, and two memories that name
// them.
func succeeded(t *testing.T) *storetest.Store {
	t.Helper()
	from := storetest.NewStore(t, storetest.Memory)
	tick := func() { from.Clock = from.Clock.Add(time.Second) }
	from.Import(inWorkspace+"m-2", `{"text":"beta"}`)
	tick()
	from.Import(inWorkspace+"m-3", `{"text":"gamma"}`)
	tick()
	from.Import(inWorkspace+"m-1", `{"text":"alpha","superseded_by":"/note/workspace/m-3"}`)
	for _, key := range []string{"/a", "/b"} {
		from.Put(key, `{"text":"of m-3","references":["/note/workspace/m-3","/b"]}`)
	}
	return from
}

// What names a note names it by its new id; the same move again, as after a stop between its two
// steps, gives no other ids.
func TestReferencesFollowAMove(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, to *storetest.Store) {
		from, again := succeeded(t), succeeded(t)
		to.Clock = from.Clock.Add(time.Hour)
		to.Import(inWorkspace+"m-1", `{"text":"zeta"}`)
		to.Import(inWorkspace+"m-2", `{"text":"eta"}`)
		for _, store := range []*storetest.Store{from, again} {
			if got := ids(move(store, to, false)); got != "/a>/a /b>/b m-2>m-3 m-3>m-4 m-1>m-5" {
				t.Fatalf("%s", got)
			}
			one, list := to.Content(inWorkspace+"m-5"), to.Content("/a")
			if !strings.Contains(one, `"superseded_by":"/note/workspace/m-4"`) ||
				!strings.Contains(list, `["/note/workspace/m-4","/b"]`) || len(store.All()) > 0 {
				t.Errorf("%s, %s, and left %v", one, list, store.All())
			}
		}
		if len(to.All()) != 7 {
			t.Errorf("%v", to.All())
		}
	})
}

// moveSome moves memories by their keys.
func moveSome(from, to *storetest.Store, j transfer.MoveJob, keys ...string) (
	transfer.MoveReport, error) {
	for _, key := range keys {
		j.Keys = append(j.Keys, keypath.MustParse(key))
	}
	j.From, j.To = from.Store, to.Store
	return transfer.Move(context.Background(), mem.Caller{}, j)
}

// What stays follows where it can read the other store, and only there. Of any other store a note
// comes only with its successor.
func TestWhatStaysFollowsAMove(t *testing.T) {
	for name, want := range map[string]struct {
		job   transfer.MoveJob
		stays string // what the memories that stay name
	}{
		"to the user": {transfer.MoveJob{User: true, Beside: true, Follows: true},
			"/note/user/m-2"},
		"of a team":      {transfer.MoveJob{User: true, Beside: true}, inWorkspace + "m-3"},
		"to the project": {transfer.MoveJob{Beside: true}, inWorkspace + "m-3"},
	} {
		from, to := succeeded(t), storetest.NewStore(t, storetest.Memory)
		to.Clock, from.Clock = from.Clock.Add(time.Hour), from.Clock.Add(time.Hour)
		to.Import(inWorkspace+"m-1", `{"text":"zeta"}`)
		_, err := moveSome(from, to, want.job, inWorkspace+"m-3", "/b")
		from.Must(err)
		for _, key := range []string{inWorkspace + "m-1", "/a"} {
			if got := from.Content(key); !strings.Contains(got, `"`+want.stays+`"`) {
				t.Errorf("%s: %s", name, got)
			}
		}
		if from.Content("/b") != "(none)" || to.Content("/b") == "(none)" {
			t.Errorf("%s: what moves is in both", name)
		}
	}
	from, to := succeeded(t), storetest.NewStore(t, storetest.Memory)
	to.Clock = from.Clock.Add(time.Hour)
	to.Import(inWorkspace+"m-1", `{"text":"zeta"}`)
	rep, err := moveSome(from, to, transfer.MoveJob{}, inWorkspace+"m-1")
	from.Must(err)
	if len(rep.Kept) != 1 || len(to.All()) != 1 {
		t.Errorf("without its successor: %+v, %v", rep, to.All())
	}
}

// A note whose successor comes along under the number that it had comes, too.
func TestASuccessorKeepsItsNumber(t *testing.T) {
	from, to := storetest.NewStore(t, storetest.Memory), storetest.NewStore(t, storetest.Memory)
	from.Import(inWorkspace+"m-1", `{"text":"alpha","superseded_by":"/note/workspace/m-3"}`)
	from.Clock = from.Clock.Add(time.Second)
	from.Import(inWorkspace+"m-3", `{"text":"gamma"}`)
	to.Clock = from.Clock.Add(time.Hour)
	to.Import(inWorkspace+"m-1", `{"text":"zeta"}`)
	if got := ids(move(from, to, false)); got != "m-1>m-2 m-3>m-3" {
		t.Errorf("%s", got)
	}
}

// An event is refused before anything is written: no tombstone could take it away.
func TestMoveRefusesAnEvent(t *testing.T) {
	from, to := succeeded(t), storetest.NewStore(t, storetest.Memory)
	const event = "/event/s1/evt_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	from.Import(event, `{"kind":"user_msg"}`)
	_, err := moveSome(from, to, transfer.MoveJob{}, "/a", event)
	if !errors.Is(err, policy.ErrReserved) || len(to.All()) > 0 || from.Content("/a") == "(none)" {
		t.Errorf("%v: %v", err, to.All())
	}
}
