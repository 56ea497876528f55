package transfer_test

import (
	"context"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
)

// What comes back from where it was moved has to win against its tombstone, and is as old as it
// was; the same move again, after a crash between its two steps, completes it.
func TestWhatComesBackKeepsItsTime(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, home *storetest.Store) {
		away := storetest.NewStore(t, storetest.Memory)
		home.Put("/a", `{"text":"x"}`)
		run := func(from, to *storetest.Store) transfer.MoveReport {
			rep, err := transfer.Move(context.Background(), mem.Caller{}, transfer.MoveJob{
				From: from.Store, To: to.Store, Place: "there",
				Keys: []keypath.Key{keypath.MustParse("/a")},
			})
			home.Must(err)
			return rep
		}
		home.Clock = home.Clock.Add(time.Hour)
		away.Clock = home.Clock
		run(home, away)
		const want = `{"text":"x","created_at":"2026-02-22T12:00:00.000000Z"}`
		run(away, home)
		if got := home.Content("/a"); got != want {
			t.Errorf("%s", got)
		}
		away.Put("/a", "null")
		away.Import("/b", `1`)
		if rep := run(home, away); len(rep.Moved) != 1 || away.Content("/a") != want {
			t.Errorf("%+v, %s", rep, away.Content("/a"))
		}
	})
}

// A move that was stopped after its first step is completed by the same move again.
func TestAStoppedMoveIsCompleted(t *testing.T) {
	home, away := storetest.NewStore(t, storetest.Memory), storetest.NewStore(t, storetest.Memory)
	home.Put("/a", `{"text":"x"}`)
	away.Clock = away.Clock.Add(time.Hour)
	away.Put("/a", `{"text":"x","created_at":"2026-02-22T12:00:00.000000Z"}`)
	rep, err := transfer.Move(context.Background(), mem.Caller{}, transfer.MoveJob{
		From: home.Store, To: away.Store, Keys: []keypath.Key{keypath.MustParse("/a")},
	})
	if err != nil || len(rep.Moved) != 1 || home.Content("/a") != "(none)" {
		t.Errorf("%+v %v", rep, err)
	}
}
