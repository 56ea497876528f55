package pgstore_test

import (
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
)

// seenAgo makes all copies of a space ones that were last seen some time ago.
func seenAgo(t testing.TB, f *follower, ago time.Duration) {
	t.Helper()
	execute(t, database(t), `UPDATE mem.followers SET seen = now() - make_interval(secs => $2)
		WHERE space = $1`, f.place.Space, ago.Seconds())
}

// seen returns how many copies of a space were seen in the last minute, and all.
func seen(t testing.TB, f *follower) (now, all int) {
	t.Helper()
	const from = "SELECT count(*) FROM mem.followers WHERE space = $1"
	return number(t, database(t), from+" AND seen > now() - interval '1 minute'", f.place.Space),
		number(t, database(t), from, f.place.Space)
}

const month = 30 * 24 * time.Hour

// A copy that is read is seen, once an hour, by whatever process.
func TestCopyIsSeen(t *testing.T) {
	place, cache, now := newPlace(t, database(t)), t.TempDir(), time.Now()
	f := at(t, place, cache, now)
	f.put("words", "/k/1")
	f.right("made")
	seenAgo(t, f, month-time.Hour)
	at(t, place, cache, now.Add(59*time.Minute)).right("within the hour")
	if n, all := seen(t, f); n != 0 || all != 1 {
		t.Errorf("within the hour %d of %d copies were seen", n, all)
	}
	at(t, place, cache, now.Add(61*time.Minute)).right("after it")
	if n, all := seen(t, f); n != 1 || all != 1 {
		t.Errorf("after the hour %d of %d copies were seen", n, all)
	}
}

// A machine that was not seen for 30 days is dropped. Back again it makes a first copy, which has
// what was written meanwhile, and nothing of what was purged.
func TestDropped(t *testing.T) {
	for name, running := range map[string]bool{"running": true, "started": false} {
		t.Run(name, func(t *testing.T) { testDropped(t, running, false) })
		t.Run(name+", its copy folded", func(t *testing.T) { testDropped(t, running, true) })
	}
}

func testDropped(t *testing.T, running, folded bool) {
	pgstore.SmallCopies(t)
	away := followed(t)
	away.put(secret, "/k/secret")
	if folded {
		_, err := away.Compact(ctx, backend.Caller{}, backend.CompactOptions{})
		must(t, err)
	}
	away.right("before")
	fold := func() (bool, error) { return true, nil }
	if running {
		fold = away.CompactLater(t)
	} else {
		must(t, away.Close())
	}
	seenAgo(t, away, month+time.Hour)
	other := follow(t, away.place, t.TempDir()) // a first copy drops it
	other.right("other")
	if _, all := seen(t, away); all != 1 {
		t.Fatalf("%d copies are known, one of a machine that was not seen for 30 days", all)
	}
	other.erase("/k/secret")
	other.put("written meanwhile", "/k/new")
	_, err := fold() // of the view before the purge
	must(t, err)
	if !running {
		away.open()
	}
	away.right("back")
	if list := away.holds(secret); len(list) > 0 {
		t.Errorf("it is still in %q", list)
	}
	if late, all := behind(t, away.place.Space); late != 0 || all != 2 {
		t.Errorf("the server knows %d of %d copies to be behind", late, all)
	}
}

// A machine that was dropped makes its copy anew also where nothing was purged, and gives no answer
// from one that the server does not know.
func TestDroppedWithoutPurge(t *testing.T) {
	place, cache, now := newPlace(t, database(t)), t.TempDir(), time.Now()
	away := at(t, place, cache, now)
	away.put("words", "/k/1")
	away.right("before")
	seenAgo(t, away, month+time.Hour)
	other := at(t, place, t.TempDir(), now)
	other.right("other")
	other.put("more", "/k/2")
	seenAgo(t, other, month-time.Hour)
	back := at(t, place, cache, now.Add(month))
	back.right("back")
	if n, all := seen(t, back); n != 1 || all != 2 {
		t.Errorf("%d of %d copies were seen, want the new one of two", n, all)
	}
	if len(back.warns) > 0 {
		t.Errorf("it says %q", back.warns)
	}
	at(t, place, cache, now.Add(month)).right("once more")
	if _, all := seen(t, back); all != 2 {
		t.Errorf("%d copies are known, want two", all)
	}
}
