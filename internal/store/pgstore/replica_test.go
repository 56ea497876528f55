package pgstore_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

// twin is a server with a standby, and a space on it.
type twin struct {
	t                *testing.T
	primary, standby *pgtest.Server
	url              string // of the database
	place            *pgstore.Place
	name             string // of the database
}

func newTwin(t *testing.T) *twin {
	t.Helper()
	p := &twin{t: t, primary: pgtest.Own(t, "fsync=off")}
	p.url = p.primary.Database(t)
	_, p.name, _ = strings.Cut(p.url, "@/")
	p.name, _, _ = strings.Cut(p.name, "?")
	_, err := pgstore.Migrate(ctx, p.url)
	must(t, err)
	p.place = newPlace(t, p.url)
	p.standby = p.primary.Standby(t)
	return p
}

// reader opens the space on the standby, with a directory of copies.
func (p *twin) reader(cache string) *follower {
	p.t.Helper()
	return follow(p.t, p.reads(p.place), cache)
}

// readerAt is reader with a clock that the test moves.
func (p *twin) readerAt(now *time.Time) *follower {
	p.t.Helper()
	f := &follower{t: p.t, place: p.reads(p.place), cache: p.t.TempDir()}
	var err error
	f.Store, err = pgstore.Open(f.place, pgstore.Options{CacheDir: f.cache,
		Clock: func() time.Time { return *now },
		Warn:  func(msg string) { f.warns = append(f.warns, msg) }})
	must(p.t, err)
	p.t.Cleanup(func() { must(p.t, f.Close()) })
	return f
}

// reads returns a place that is read on the standby.
func (p *twin) reads(place *pgstore.Place) *pgstore.Place {
	p.t.Helper()
	read, err := pgstore.ParseURL(place.String() + "&read=" + p.standby.Dir)
	must(p.t, err)
	return read
}

// pauses lets the standby have what the primary has, and replay nothing more.
func (p *twin) pauses() {
	p.t.Helper()
	p.catchUp()
	p.standby.Pause(p.t)
}

// catchUp waits until the standby has what the primary has.
func (p *twin) catchUp() {
	p.t.Helper()
	at := strings.TrimSpace(p.primary.SQL(p.t, "postgres", "SELECT pg_current_wal_lsn()"))
	for range 1000 {
		if p.standby.SQL(p.t, "postgres", fmt.Sprintf(
			"SELECT pg_last_wal_replay_lsn() >= '%s'", at)) == "t\n" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.t.Fatal("the standby does not follow")
}

// gets returns what a key has; "" for nothing.
func (f *follower) gets(key string) string {
	f.t.Helper()
	rec, ok, err := f.Get(ctx, keypath.MustParse(key))
	must(f.t, err)
	if !ok {
		return ""
	}
	return string(rec.Content)
}

// Reads come from the standby: what it has not replayed is not there, while nobody here knows it.
func TestReadsFollowTheReplica(t *testing.T) {
	p := newTwin(t)
	other := follow(t, p.place, t.TempDir())
	other.put("old", "/k/1")
	reader := p.reader(t.TempDir())
	reader.live() // the copy is made from the primary
	p.pauses()
	other.put("new", "/k/1")
	reader.reopen()
	if got := reader.live(); got != `/k/1="old"` {
		t.Errorf("the copy is held against the primary: %s", got)
	}
	if got := reader.gets("/k/1"); got != `"old"` {
		t.Errorf("a key is looked up on the primary: %s", got)
	}
	if v, err := reader.Versions(ctx, keypath.MustParse("/k/1")); err != nil || v.Count != 1 {
		t.Errorf("the versions are those of the primary: %d, %v", v.Count, err)
	}
	if got := reader.true(); got != `/k/1="old"` {
		t.Errorf("the history is that of the primary: %s", got)
	}
	if got := asOf(t, reader); !strings.HasSuffix(got, ", by a replica") {
		t.Errorf("of the copy it says %s", got)
	}
	p.standby.Resume(t)
	p.catchUp()
	for _, got := range []string{reader.live(), reader.true()} {
		if got != `/k/1="new"` {
			t.Errorf("after the replay: %s", got)
		}
	}
	if got := reader.gets("/k/1"); got != `"new"` || len(reader.warns) > 0 {
		t.Errorf("after the replay: %s, and warnings %q", got, reader.warns)
	}
}

// Who writes sees it at once, also where the replica does not go on, and also from the next process
// of this machine.
func TestOwnWritesAreSeenBeforeTheReplay(t *testing.T) {
	p := newTwin(t)
	cache := t.TempDir()
	writer := p.reader(cache)
	writer.put("first", "/k/1")
	for i, read := range []func(*follower) string{
		func(f *follower) string { return f.gets("/k/1") },
		func(f *follower) string { return strings.TrimPrefix(f.live(), "/k/1=") },
		func(f *follower) string { return strings.TrimPrefix(f.true(), "/k/1=") },
		func(f *follower) string {
			k, err := keypath.ParsePrefix("/k")
			must(t, err)
			for rec, err := range f.Below(ctx, k) {
				must(t, err)
				return string(rec.Content)
			}
			return ""
		},
	} {
		writer.live()
		p.pauses()
		want := fmt.Sprintf("%q", fmt.Sprint("by itself ", i))
		writer.put(fmt.Sprint("by itself ", i), "/k/1")
		if got := read(writer); got != want {
			t.Errorf("%d: the same process reads %s, want %s", i, got, want)
		}
		want = fmt.Sprintf("%q", fmt.Sprint("by the last ", i))
		writer.put(fmt.Sprint("by the last ", i), "/k/1")
		next := p.reader(cache)
		if got := read(next); got != want {
			t.Errorf("%d: the next process reads %s, want %s", i, got, want)
		}
		if len(next.warns)+len(writer.warns) > 0 {
			t.Errorf("%d: warnings %q %q", i, next.warns, writer.warns)
		}
		p.standby.Resume(t)
	}
}

// Several at once each see what they wrote, while the replica stands still now and then, and others
// of this machine and of another one write too.
func TestOwnWritesUnderLoad(t *testing.T) {
	p := newTwin(t)
	cache := t.TempDir()
	own := []*follower{p.reader(cache), p.reader(cache)}
	other := follow(t, p.place, t.TempDir())
	own[0].put("0", "/k/1")
	own[0].live()
	ends := time.Now().Add(3 * time.Second)
	var all sync.WaitGroup
	all.Go(func() {
		for i := 0; time.Now().Before(ends); i++ {
			if err := other.tryPut(fmt.Sprint(i), "/other"); err != nil {
				t.Error(err)
			}
		}
	})
	for n := range 6 {
		f, key := own[n%2], fmt.Sprintf("/k/%d", n)
		all.Go(func() {
			for i := 0; time.Now().Before(ends); i++ {
				want := fmt.Sprintf("%q", fmt.Sprint(i))
				if err := f.tryPut(fmt.Sprint(i), key); err != nil {
					t.Error(err)
					return
				}
				text, err := own[(n+i)%2].tryLive()
				rec, _, got := own[(n+i)%2].Get(ctx, keypath.MustParse(key))
				if err != nil || got != nil || string(rec.Content) != want ||
					!strings.Contains("\n"+text+"\n", "\n"+key+"="+want+"\n") {
					t.Errorf("%s: %s of %s, %v %v, in\n%s", key, rec.Content, want, err, got, text)
					return
				}
			}
		})
	}
	for time.Now().Before(ends) {
		p.standby.Pause(t)
		time.Sleep(200 * time.Millisecond)
		p.standby.Resume(t)
		time.Sleep(300 * time.Millisecond)
	}
	all.Wait()
	for _, f := range own {
		if len(f.warns) > 0 {
			t.Errorf("warnings: %q", f.warns)
		}
	}
}

// What another machine writes is there as soon as the replica has it.
func TestReplicaIsFresh(t *testing.T) {
	p := newTwin(t)
	other, reader := follow(t, p.place, t.TempDir()), p.reader(t.TempDir())
	other.put("0", "/k/1")
	reader.live()
	for i := range 20 {
		want := fmt.Sprintf("%q", fmt.Sprint(i))
		other.put(fmt.Sprint(i), "/k/1")
		began := time.Now()
		for reader.live() != "/k/1="+want || reader.gets("/k/1") != want {
			if time.Since(began) > 5*time.Second {
				t.Fatalf("%d: it still has %s", i, reader.live())
			}
		}
	}
	if len(reader.warns) > 0 {
		t.Errorf("warnings: %q", reader.warns)
	}
}

// A replica of another database answers nothing.
func TestReplicaOfAnotherDatabase(t *testing.T) {
	own := database(t)
	other := pgtest.Own(t, "fsync=off")
	database, _, _ := strings.Cut(own[strings.Index(own, "@/")+2:], "?")
	other.SQL(t, "postgres", "CREATE DATABASE "+database)
	_, err := pgstore.Migrate(ctx, other.URL(database))
	must(t, err)
	place := newPlace(t, own)
	_, err = pgstore.AddSpace(ctx, other.URL(database), place.Space, "", "")
	must(t, err)
	foreign, err := pgstore.ParseURL(other.URL(database) + "&space=" + place.Space)
	must(t, err)
	follow(t, foreign, t.TempDir()).put("foreign", "/k/1", "/k/2", "/k/3")
	read, err := pgstore.ParseURL(place.String() + "&read=" + other.Dir)
	must(t, err)
	reader := follow(t, read, t.TempDir())
	reader.put("own", "/k/1")
	for range 2 {
		if got := reader.live(); got != `/k/1="own"` {
			t.Error(got)
		}
	}
	if len(reader.warns) != 1 || !strings.Contains(reader.warns[0], "another database") {
		t.Errorf("warnings: %q", reader.warns)
	}
}

// A copy that is ahead of the replica is not taken for one that the server lost something of.
func TestCopyAheadOfTheReplica(t *testing.T) {
	p := newTwin(t)
	cache := t.TempDir()
	plain := follow(t, p.place, cache)
	plain.put("old", "/k/1")
	plain.live()
	p.pauses()
	plain.put("new", "/k/1")
	plain.live()
	reader := p.reader(cache)
	if got := reader.live(); got != `/k/1="new"` || len(reader.warns) > 0 {
		t.Errorf("it goes back to %s, and warns %q", got, reader.warns)
	}
}

// What was purged here does not come back from a replica that still has it.
func TestPurgeBeforeTheReplay(t *testing.T) {
	p := newTwin(t)
	cache := t.TempDir()
	reader := p.reader(cache)
	reader.put("kept", "/k/1")
	reader.put("purged", "/k/2")
	reader.live()
	p.pauses()
	reader.forget("/k/2")
	for _, f := range []*follower{p.reader(cache), reader} {
		if got := f.gets("/k/2"); got != "" {
			t.Errorf("a key that was purged has %s", got)
		}
		if got := f.true(); got != `/k/1="kept"` {
			t.Errorf("the history has %s", got)
		}
		if got := f.live(); got != `/k/1="kept"` {
			t.Errorf("the copy has %s", got)
		}
	}
	p.standby.Resume(t)
	p.catchUp()
	if got := reader.live(); got != `/k/1="kept"` || len(reader.warns) > 0 {
		t.Errorf("after the replay: %s, %q", got, reader.warns)
	}
}

// What was purged elsewhere goes from the copy when the replica has replayed it.
func TestPurgeElsewhere(t *testing.T) {
	p := newTwin(t)
	other := follow(t, p.place, t.TempDir())
	other.put("kept", "/k/1")
	other.put("purged", "/k/2")
	reader := p.reader(t.TempDir())
	reader.live()
	other.erase("/k/2")
	p.catchUp()
	if got := reader.live(); got != `/k/1="kept"` {
		t.Error(got)
	}
}

// Without the replica the primary is asked, with one warning; when it is back, it is asked again.
func TestReplicaThatIsDown(t *testing.T) {
	p := newTwin(t)
	other := follow(t, p.place, t.TempDir())
	other.put("known", "/k/1")
	now := storetest.Noon
	reader := p.readerAt(&now)
	must(t, p.standby.Down("immediate"))
	for range 3 {
		if got := reader.live(); got != `/k/1="known"` {
			t.Error(got)
		}
		if got := reader.gets("/k/1"); got != `"known"` {
			t.Error(got)
		}
	}
	if len(reader.warns) != 1 || !strings.Contains(reader.warns[0], "replica") {
		t.Errorf("warnings: %q", reader.warns)
	}
	must(t, p.standby.Up("fsync=off"))
	p.pauses()
	other.put("new", "/k/1")
	if got := reader.gets("/k/1"); got != `"new"` {
		t.Errorf("it is asked again at once: %s", got)
	}
	now = now.Add(time.Minute)
	if got := reader.gets("/k/1"); got != `"new"` {
		t.Errorf("a reader was shown the new, and now %s", got)
	}
	p.standby.Resume(t)
	p.pauses()
	other.put("newer", "/k/1")
	now = now.Add(time.Minute)
	if got := reader.gets("/k/1"); got != `"new"` {
		t.Errorf("it is not asked again: %s", got)
	}
}

// A check is of the primary, and so are the tables that are made; a write goes there.
func TestCheckAsksThePrimary(t *testing.T) {
	p := newTwin(t)
	reader := p.reader(t.TempDir())
	reader.put("old", "/k/1")
	reader.put("purged", "/k/2")
	reader.live()
	p.pauses()
	follow(t, p.place, t.TempDir()).erase("/k/2")
	found, lines, err := reader.Check(ctx, false)
	if err != nil || len(found) > 0 || lines != 2 {
		t.Errorf("%v, %d lines, %v", found, lines, err)
	}
	if _, err := pgstore.Migrate(ctx, reader.place.String()); err != nil {
		t.Error(err)
	}
}

// A primary that was restored to earlier has less than this machine knows: it counts all the same.
func TestFloorOfARestoredPrimary(t *testing.T) {
	p := newTwin(t)
	now := storetest.Noon
	reader := p.readerAt(&now)
	reader.put("kept", "/k/1")
	reader.put("lost", "/k/2")
	reader.live()
	p.primary.SQL(t, p.name, "DELETE FROM mem.envelopes WHERE seq = 2")
	p.catchUp()
	if got := reader.live(); got != `/k/1="kept"` || len(reader.warns) != 1 {
		t.Errorf("%s, %q", got, reader.warns)
	}
	p.pauses()
	follow(t, p.place, t.TempDir()).put("later", "/k/1")
	now = now.Add(time.Minute)
	if got := reader.gets("/k/1"); got != `"kept"` {
		t.Errorf("the replica is not asked any more: %s", got)
	}
}
