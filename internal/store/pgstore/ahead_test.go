package pgstore_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
)

// execute runs a statement as the owner of a database.
func execute(t testing.TB, url, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	must(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql, args...)
	must(t, err)
}

// number returns a number that a query asks for.
func number(t testing.TB, url, sql string, args ...any) (n int) {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	must(t, err)
	defer conn.Close(ctx)
	must(t, conn.QueryRow(ctx, sql, args...).Scan(&n))
	return n
}

// nameOf returns the name of the database of a URL.
func nameOf(t testing.TB, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	must(t, err)
	return strings.TrimPrefix(u.Path, "/")
}

// A copy that has what the server has not any more is set aside, told of once, and not merged.
func TestCopyAhead(t *testing.T) {
	for name, lose := range map[string]string{
		"the newest":    "DELETE FROM mem.envelopes WHERE space = $1 AND seq > 20",
		"the very last": "DELETE FROM mem.envelopes WHERE space = $1 AND seq = 33",
		"all":           "DELETE FROM mem.envelopes WHERE space = $1",
		"it moved":      "UPDATE mem.envelopes SET seq = 34 WHERE space = $1 AND seq = 33",
	} {
		for _, running := range []bool{true, false} {
			t.Run(fmt.Sprint(name, running), func(t *testing.T) {
				f := followed(t)
				execute(t, database(t), lose, f.place.Space)
				if !running {
					f.reopen()
				}
				f.isAside()
			})
		}
	}
}

// isAside checks that the copy is set aside, once and for all to see.
func (f *follower) isAside() {
	f.t.Helper()
	f.warns = nil
	f.right("ahead")
	f.right("ahead, again")
	if f.aside() != 1 || len(f.warns) != 1 || !strings.Contains(f.warns[0], "aside-") {
		f.t.Errorf("%d copies are set aside, told %q", f.aside(), f.warns)
	}
	if len(f.holds("of the tail")) == 0 {
		f.t.Error("what the server lost is gone")
	}
	f.put("written", "/k/later")
	f.right("ahead, and written")
	f.reopen()
	f.right("ahead, and reopened")
	if f.aside() != 1 || len(f.warns) != 1 {
		f.t.Errorf("it happens again: %d, %q", f.aside(), f.warns)
	}
	list, _ := filepath.Glob(filepath.Join(f.dir(), "aside-*")) // the pattern is right
	for _, r := range f.Examine(ctx) {
		if len(list) > 0 && strings.Contains(r.Message, list[0]) && r.Fix != "" {
			return
		}
	}
	f.t.Errorf("Examine does not name it: %+v", f.Examine(ctx))
}

// A server that was restored has the id of the one before, and other envelopes at the same places.
func TestServerRestored(t *testing.T) {
	pgstore.SmallCopies(t)
	for name, after := range map[string]func(f, other *follower){
		"as it was": func(*follower, *follower) {},
		"and written on": func(_, other *follower) {
			for i := range 40 {
				other.put("another time", fmt.Sprintf("/k/%d", i))
			}
		},
		"to before a purge": func(*follower, *follower) {},
	} {
		t.Run(name, func(t *testing.T) {
			url := otherDatabase(t)
			f := follow(t, newPlace(t, url), t.TempDir())
			f.put("of old", "/k/1", "/k/2", "/k/3")
			must(t, f.Close())
			backup(t, url)
			f.open()
			for i := range 20 {
				f.put("of the tail", fmt.Sprintf("/k/%d", i))
			}
			if strings.Contains(name, "purge") {
				f.erase("/k/3")
			}
			f.right("before")
			must(t, f.Close())
			bringBack(t, url)
			f.open()
			after(f, follow(t, f.place, t.TempDir()))
			f.isAside()
		})
	}
}

// A database that ends as another one does, and is not the same, is told from it by its id.
func TestDatabaseReplaced(t *testing.T) {
	pgstore.SmallCopies(t)
	url := otherDatabase(t)
	f := follow(t, newPlace(t, url), t.TempDir())
	f.put("of the tail", "/k/1", "/k/2", "/k/3")
	f.right("before")
	must(t, f.Close())
	backup(t, url)
	bringBack(t, url)
	execute(t, url, "UPDATE mem.store SET id = gen_random_uuid()")
	execute(t, url, "DELETE FROM mem.envelopes WHERE space = $1 AND seq = 2", f.place.Space)
	f.open()
	f.isAside()
}

// backup keeps a database that nobody uses as it is, and bringBack puts it in its place again.
func backup(t testing.TB, url string) {
	t.Helper()
	name := nameOf(t, url)
	pgtest.Shared(t).SQL(t, "postgres", "CREATE DATABASE "+name+"_old TEMPLATE "+name)
}

func bringBack(t testing.TB, url string) {
	t.Helper()
	name := nameOf(t, url)
	pgtest.Shared(t).SQL(t, "postgres", "DROP DATABASE "+name+";\nALTER DATABASE "+name+
		"_old RENAME TO "+name)
}

// Two copies may be set aside at the same moment of a clock that stands still.
func TestAsideTwice(t *testing.T) {
	f := followed(t)
	for n := 1; n <= 2; n++ {
		must(t, os.MkdirAll(filepath.Join(f.dir(), "aside-x"), 0o700))
		execute(t, database(t), "DELETE FROM mem.envelopes WHERE space = $1 AND seq > 25",
			f.place.Space)
		f.right("ahead")
		f.put("more", "/k/1", "/k/2", "/k/3", "/k/4", "/k/5", "/k/6", "/k/7", "/k/8")
		f.right("more")
		if got := f.aside(); got != n+1 {
			t.Errorf("%d are set aside, want %d", got, n+1)
		}
	}
}

// From its copy alone a store answers without a server, says of when, and writes nothing.
func TestFromCopy(t *testing.T) {
	t.Parallel()
	own := pgtest.Own(t, "fsync=off")
	url := own.Database(t)
	_, err := pgstore.Migrate(ctx, url)
	must(t, err)
	f := follow(t, newPlace(t, url), t.TempDir())
	f.put("known", "/k/1", "/k/2")
	want := f.live()
	place, err := pgstore.ParseURL(f.place.String() + "&from_copy=1")
	must(t, err)
	reader := follow(t, place, f.cache)
	for _, down := range []bool{false, true} {
		if down {
			must(t, own.Down("immediate"))
			reader.reopen()
		}
		reader.warns = nil
		for range 2 {
			if got := reader.live(); got != want {
				t.Errorf("down %t: it answers\n%s\nwant\n%s", down, got, want)
			}
		}
		if len(reader.warns) != 1 || !strings.Contains(reader.warns[0], "as of 2") {
			t.Errorf("it says %q, want once as of when", reader.warns)
		}
		reader.refuses()
	}
	if _, err := f.tryLive(); err == nil {
		t.Error("without from_copy it answers, and nobody knows whether it is the newest")
	}
	empty := follow(t, place, t.TempDir())
	if _, err := empty.tryLive(); err == nil {
		t.Error("it answers without a copy")
	}
}

// refuses checks that nothing is written.
func (f *follower) refuses() {
	f.t.Helper()
	_, erased := f.Erase(ctx, backend.Caller{}, backend.Erasure{Keys: keysOf("/k/1"),
		Source: []byte(`{"purged":true}`)})
	_, blob := f.PutBlob(ctx, strings.NewReader("bytes"), 100)
	for what, err := range map[string]error{
		"write": f.tryPut("new", "/k/3"),
		"erase": erased,
		"blob":  blob,
		"config": f.SetConfig(ctx, backend.Caller{}, func([]byte) ([]byte, error) {
			return []byte("{}"), nil
		}),
	} {
		kind, ok := err.(interface{ Kind() string })
		if !ok || kind.Kind() != "input" || !strings.Contains(err.Error(), "copy") {
			f.t.Errorf("%s: %v, want that it is refused", what, err)
		}
	}
}
