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
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
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
		home.Clock = home.Clock.Add(time.Hour)
		home.Put("/a", want)
		if rep := run(home, away); len(rep.Moved) != 1 || away.Content("/a") != want {
			t.Errorf("%+v, %s", rep, away.Content("/a"))
		}
	})
}

// A move is a write of now: a deletion that another machine made in the meantime loses against it.
// The memory is as old as it was, where its content can say so.
func TestAMoveIsAWriteOfNow(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, to *storetest.Store) {
		from := old(t)
		from.Put("/object", `{"text":"x"}`)
		from.Clock = from.Clock.Add(time.Hour)
		to.Clock = from.Clock
		move(from, to, false)
		for key := range to.All() {
			rec, err := to.Get(context.Background(), mem.Caller{}, keypath.MustParse(key), true)
			to.Must(err)
			if now := log.StampOf(to.Clock); rec.TS < now {
				t.Errorf("%s has the time %s, want %s or later", key, rec.TS, now)
			}
		}
		const want = `{"text":"x","created_at":"2026-02-22T12:00:02.000002Z"}`
		if got := to.Content("/object"); got != want {
			t.Errorf("%s", got)
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

// A move that may not say where its memories went, for the path looks like a secret, stores nothing
// in either store.
func TestAMoveIsCheckedBeforeItWrites(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, from *storetest.Store) {
		to := storetest.NewStore(t, storetest.Memory)
		from.Put("/a", `{"text":"x"}`)
		rep, err := transfer.Move(context.Background(), mem.Caller{}, transfer.MoveJob{
			From: from.Store, To: to.Store, Place: "/tmp/" + testkit.Token, History: true})
		if !errors.Is(err, policy.ErrSecret) || len(rep.Moved) > 0 || len(to.All()) > 0 ||
			from.Content("/a") != `{"text":"x"}` {
			t.Errorf("%+v, %v, %v, %v", rep, err, from.All(), to.All())
		}
	})
}

// move is a move of all that a store has.
func move(from, to *storetest.Store, dry bool) transfer.MoveReport {
	from.T.Helper()
	rep, err := transfer.Move(context.Background(), mem.Caller{}, transfer.MoveJob{
		From: from.Store, To: to.Store, Place: "there", History: true, DryRun: dry})
	from.Must(err)
	return rep
}

// ids returns the notes of a report as "from>to", without their prefix.
func ids(rep transfer.MoveReport) (text string) {
	for _, m := range rep.Moved {
		text += strings.ReplaceAll(m.From.String()+">"+m.To.String()+" ", "/note/workspace/", "")
	}
	return strings.TrimSpace(text)
}

// old is a store with the notes m-7, which is deleted, and m-8, which was changed, and a key that
// was changed.
func old(t *testing.T) *storetest.Store {
	t.Helper()
	from := storetest.NewStore(t, storetest.Memory)
	tick := func() { from.Clock = from.Clock.Add(time.Second) }
	from.Import("/note/workspace/m-7", `"seven"`)
	from.Import("/note/workspace/m-8", `"eight"`)
	tick()
	_, _, err := from.Delete(context.Background(), mem.Caller{},
		[]keypath.Key{keypath.MustParse("/note/workspace/m-7")}, []byte(`"s"`))
	from.Must(err)
	from.Put("/a", `1`)
	tick()
	from.Import("/note/workspace/m-8", `"eight, corrected"`)
	from.Put("/a", `2`)
	return from
}

// Where no note is in the way, ids and history are kept, tombstones too, and a dry run says so. The
// same move again, as after a stop between its steps, and one after an undo give the same ids.
func TestMoveKeepsIDsAndHistory(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, to *storetest.Store) {
		from, again := old(t), old(t)
		to.Clock = from.Clock.Add(time.Hour)
		const want = "/a>/a m-8>m-8"
		if got := ids(move(from, to, true)); got != want || len(to.All()) != 0 {
			t.Errorf("dry run: %s", got)
		}
		same := func(what string) {
			t.Helper()
			for key, n := range map[string]int{"/a": 2, "/note/workspace/m-7": 2,
				"/note/workspace/m-8": 2} {
				if got := len(versions(to)[key]); got != n {
					t.Errorf("%s: %s has %d versions, want %d", what, key, got, n)
				}
			}
			if to.Content("/a") != "2" || to.Content("/note/workspace/m-8") != `"eight, corrected"` {
				t.Errorf("%s: %v", what, to.All())
			}
		}
		if got := ids(move(from, to, false)); got != want {
			t.Errorf("%s", got)
		}
		same("moved")
		if got := ids(move(again, to, false)); got != want || len(again.All()) != 0 {
			t.Errorf("again: %s, and left %v", got, again.All())
		}
		same("moved again")
	})
}

// A deletion in one store is none in the other.
func TestMoveDeletesNothing(t *testing.T) {
	from, to := old(t), storetest.NewStore(t, storetest.Memory)
	to.Put("/k", `"mine"`)
	from.Put("/k", `"theirs"`)
	_, _, err := from.Delete(context.Background(), mem.Caller{},
		[]keypath.Key{keypath.MustParse("/k")}, []byte(`"s"`))
	from.Must(err)
	if got := ids(move(from, to, false)); got != "/a>/a m-8>m-8" {
		t.Errorf("%s", got)
	}
	if got := to.Content("/k"); got != `"mine"` || len(versions(to)["/k"]) != 1 {
		t.Errorf("%s, %v", got, versions(to)["/k"])
	}
}

// A note in the way, live or not, gives all notes new ids; so a note that comes back does not.
func TestMoveRenumbersWhereNotesAreInTheWay(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, to *storetest.Store) {
		from, other := old(t), old(t)
		to.Clock = from.Clock.Add(time.Hour)
		to.Import("/note/workspace/m-8", `"another eight"`)
		for _, dry := range []bool{true, false} {
			if got := ids(move(from, to, dry)); got != "/a>/a m-8>m-9" {
				t.Errorf("dry %v: %s", dry, got)
			}
		}
		if n := len(versions(to)["/note/workspace/m-9"]); n != 1 {
			t.Errorf("%d versions", n)
		}
		keys := []keypath.Key{}
		for key := range to.All() {
			keys = append(keys, keypath.MustParse(key))
		}
		_, _, err := to.Delete(context.Background(), mem.Caller{}, keys, []byte(`"s"`))
		to.Must(err)
		if got := ids(move(other, to, false)); got != "m-8>m-10" {
			t.Errorf("the id of a deleted note: %s", got)
		}
		back := storetest.NewStore(t, storetest.Memory)
		back.Clock = to.Clock.Add(time.Hour)
		for _, step := range [][2]*storetest.Store{{to, back}, {back, to}, {to, back}} {
			if got := ids(move(step[0], step[1], false)); got != "m-10>m-10" {
				t.Errorf("to and fro: %s", got)
			}
		}
	})
}

// A history of which one version may not be written there stays behind, and its memory moves.
func TestMoveLeavesARefusedHistory(t *testing.T) {
	from, to := old(t), storetest.NewStore(t, storetest.Memory)
	to.Clock = from.Clock.Add(time.Hour)
	token := "ghp_" + "a8Kx2mQ9vT4zR7wY1bN5cD3fG6hJ0pLsUeXo"
	_, err := from.SetAll(context.Background(), mem.Caller{},
		strings.NewReader(`{"key":"/k","content":"`+token+`","source":"s"}`),
		mem.BatchOptions{AllowSecrets: []string{"github-pat"}})
	from.Must(err)
	from.Put("/k", `"without"`)
	if got := ids(move(from, to, false)); got != "/a>/a /k>/k m-8>m-8" {
		t.Errorf("%s", got)
	}
	if n := len(versions(to)["/k"]); n != 1 || strings.Contains(to.Logged(), token) {
		t.Errorf("%d versions: %s", n, to.Logged())
	}
}
