package pgstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// follower is a store of a test on a copy that the test damages.
type follower struct {
	*pgstore.Store
	t     testing.TB
	place *pgstore.Address
	cache string
	warns []string
	of    *pgstore.Server // whose connections it shares; nil: it has its own
}

// follow opens a place on a directory of copies.
func follow(t testing.TB, place *pgstore.Address, cache string) *follower {
	t.Helper()
	f := &follower{t: t, place: place, cache: cache}
	f.open()
	t.Cleanup(func() { must(t, f.Close()) })
	return f
}

func (f *follower) open() {
	f.t.Helper()
	store, err := pgstore.Open(f.place, pgstore.Options{CacheDir: f.cache,
		Now:  func() time.Time { return storetest.Noon },
		Warn: func(msg string) { f.warns = append(f.warns, msg) }, Server: f.of})
	must(f.t, err)
	f.Store = store
}

func (f *follower) reopen() {
	f.t.Helper()
	must(f.t, f.Close())
	f.open()
}

// put stores a text under each key.
func (f *follower) put(text string, keys ...string) {
	f.t.Helper()
	must(f.t, f.tryPut(text, keys...))
}

func (f *follower) tryPut(text string, keys ...string) error {
	return f.Update(ctx, backend.Caller{}, "test", func(tx backend.Tx) error {
		for _, key := range keys {
			if _, err := tx.Append(backend.Write{Envelope: log.Envelope{
				Key: keypath.MustParse(key), Source: []byte(`"test"`),
				Content: fmt.Appendf(nil, "%q", text)}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// erase purges a key, and forget does without a tombstone.
func (f *follower) erase(key string) { f.t.Helper(); f.purge(key, false) }

func (f *follower) forget(key string) { f.t.Helper(); f.purge(key, true) }

func (f *follower) purge(key string, forget bool) {
	f.t.Helper()
	_, err := f.Erase(ctx, backend.Caller{}, backend.Erasure{Forget: forget,
		Keys: []keypath.Key{keypath.MustParse(key)}, Source: []byte(`{"purged":true}`)})
	must(f.t, err)
}

// live returns what a snapshot has, by key.
func (f *follower) live() string {
	f.t.Helper()
	text, err := f.tryLive()
	must(f.t, err)
	return text
}

func (f *follower) tryLive() (string, error) {
	snap, err := f.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	defer snap.Close()
	var lines []string
	for rec, err := range snap.ScanBelow(ctx, keypath.Prefix{}) {
		if err != nil {
			return "", err
		}
		lines = append(lines, rec.Key.String()+"="+string(rec.Content))
	}
	return strings.Join(lines, "\n"), nil
}

// true returns what the server has, by key: the same as live has to say.
func (f *follower) true() string {
	f.t.Helper()
	newest := map[string]log.Record{}
	for rec, err := range f.History(ctx) {
		must(f.t, err)
		newest[rec.Key.String()] = rec
	}
	var lines []string
	for key, rec := range newest {
		if rec.Valid() {
			lines = append(lines, key+"="+string(rec.Content))
		}
	}
	slices.SortFunc(lines, func(a, b string) int {
		keyA, _, _ := strings.Cut(a, "=")
		keyB, _, _ := strings.Cut(b, "=")
		return keypath.MustParse(keyA).Compare(keypath.MustParse(keyB))
	})
	return strings.Join(lines, "\n")
}

// right checks that what is read is what the server has.
func (f *follower) right(what string) {
	f.t.Helper()
	if got, want := f.live(), f.true(); got != want {
		f.t.Fatalf("%s: read\n%s\nwant\n%s", what, got, want)
	}
}

// dir returns the directory of the copy.
func (f *follower) dir() string { return f.CopyPath() }

// files returns the files of the copy, those set aside too, below its directory.
func (f *follower) files() (list []string) {
	f.t.Helper()
	must(f.t, filepath.WalkDir(f.dir(), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(f.dir(), path) // it is below
			list = append(list, name)
		}
		return err
	}))
	return list
}

// aside returns how many copies were set aside.
func (f *follower) aside() int {
	list, _ := filepath.Glob(filepath.Join(f.dir(), "aside-*")) // the pattern is right
	return len(list)
}

// holds returns the files of the copy that have a text.
func (f *follower) holds(text string) (list []string) {
	f.t.Helper()
	for _, name := range f.files() {
		data, err := os.ReadFile(filepath.Join(f.dir(), name))
		must(f.t, err)
		if strings.Contains(string(data), text) {
			list = append(list, name)
		}
	}
	return list
}

// followed returns a space whose copy has a state, its sidecars and a tail, and is closed.
func followed(t testing.TB) *follower {
	t.Helper()
	pgstore.SmallCopies(t)
	f := follow(t, newPlace(t, database(t)), t.TempDir())
	for i := range 15 {
		f.put(fmt.Sprintf("value %d of the state", i), fmt.Sprintf("/k/%d", i), "/all")
	}
	f.right("first")
	_, err := f.Compact(ctx, backend.Caller{}, backend.CompactOptions{})
	must(t, err)
	f.put("of the tail", "/k/1", "/k/new")
	f.right("tail")
	f.put("of the tail too", "/k/2")
	f.right("tail")
	f.reopen()
	f.right("reopened")
	if len(f.files()) < 4 {
		t.Fatalf("the copy is not as the test wants it: %q", f.files())
	}
	return f
}

// restore puts the files of a directory back as they were.
func restore(t testing.TB, from, to string) {
	t.Helper()
	must(t, os.RemoveAll(to))
	must(t, os.CopyFS(to, os.DirFS(from)))
}

// A copy of which something is wrong is repaired, or not used; it never changes an answer.
func TestDamagedCopy(t *testing.T) {
	f := followed(t)
	must(t, f.Close())
	sound := filepath.Join(t.TempDir(), "sound")
	restore(t, f.dir(), sound)
	names := f.files()
	for _, name := range names {
		for what, change := range damages(t, filepath.Join(sound, name)) {
			restore(t, sound, f.dir())
			must(t, change(filepath.Join(f.dir(), name)))
			f.open()
			f.right(name + " " + what)
			f.searches(name + " " + what)
			f.put("after "+what, "/after")
			f.right(name + " " + what + ", and written")
			f.reopen()
			f.right(name + " " + what + ", and reopened")
			must(t, f.Close())
		}
	}
	f.open()
}

// damages returns what is done to a file.
func damages(t testing.TB, path string) map[string]func(path string) error {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	list := map[string]func(string) error{
		"deleted": os.Remove,
		"emptied": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	}
	for _, at := range places(data) {
		list[fmt.Sprintf("cut at %d", at)] = func(path string) error {
			return os.WriteFile(path, data[:at], 0o600)
		}
		list[fmt.Sprintf("flipped at %d", at)] = func(path string) error {
			changed := slices.Clone(data)
			changed[at] ^= 1
			return os.WriteFile(path, changed, 0o600)
		}
	}
	return list
}

// places are of each kind one: the first byte and the last one, both sides of a line's end, and
// some in between.
func places(data []byte) (list []int) {
	n := len(data)
	if n == 0 {
		return nil
	}
	list = []int{0, n / 7, n / 3, n / 2, n - n/5, n - 1}
	if end := slices.Index(data, '\n'); end > 0 && end+3 < n {
		list = append(list, end-1, end, end+1, end+2)
	}
	slices.Sort(list)
	list = slices.DeleteFunc(list, func(at int) bool { return at >= n })
	return slices.Compact(list)
}

// The directory goes away, before a process begins and while it runs.
func TestCopyDeleted(t *testing.T) {
	f := followed(t)
	for range 2 {
		must(t, os.RemoveAll(f.dir()))
		f.right("deleted while it runs")
		f.put("while it was away", "/k/away")
		f.right("deleted, and written")
		f.put("once more", "/k/away")
		f.right("deleted, and written twice")
	}
	if f.files() == nil {
		t.Error("the copy is not made again")
	}
	must(t, os.RemoveAll(f.dir()))
	f.erase("/k/away")
	f.right("deleted, and purged")
	must(t, f.Close())
	must(t, os.RemoveAll(f.cache))
	f.open()
	f.right("deleted before it runs")
}

// Another process removes every file of the copy while this one runs.
func TestCopyEmptied(t *testing.T) {
	f := followed(t)
	for _, name := range f.files() {
		must(t, os.Remove(filepath.Join(f.dir(), name)))
	}
	f.put("written", "/k/empty")
	f.right("emptied")
	f.put("written again", "/k/empty")
	f.right("emptied, and written")
	f.reopen()
	f.right("emptied, and reopened")
}

// The copies of another space and of another database do not change an answer.
func TestForeignCopy(t *testing.T) {
	f := followed(t)
	server := follow(t, newPlace(t, otherDatabase(t)), t.TempDir())
	space := follow(t, newPlace(t, database(t)), t.TempDir())
	for _, other := range []*follower{server, space} {
		for i := range 20 {
			other.put("a stranger", fmt.Sprintf("/k/%d", i), "/strange")
		}
		other.right("other")
		must(t, f.Close())
		must(t, other.Close())
		restore(t, other.dir(), f.dir())
		fromCopy(t, f, other.place.Space == f.place.Space)
		f.open()
		f.right("of another")
		f.put("written", "/k/other")
		f.right("of another, and written")
		f.reopen()
		f.right("of another, and reopened")
		other.open()
	}
}

// fromCopy checks that a copy of another space gives no answers where nobody asks the server. Of
// which database it is nobody can tell then.
func fromCopy(t *testing.T, f *follower, sameName bool) {
	t.Helper()
	place := *f.place
	place.FromCopy = true
	reader := follow(t, &place, f.cache)
	if text, err := reader.tryLive(); err == nil && !sameName {
		t.Errorf("a copy of another space answers:\n%s", text)
	}
}

// searches checks that what is found is what is there.
func (f *follower) searches(what string) {
	f.t.Helper()
	snap, err := f.Snapshot(ctx)
	must(f.t, err)
	defer snap.Close()
	for text, want := range map[string]int{"state": 14, "tail": 3} {
		if n := found(f.t, snap, text); n != want {
			f.t.Fatalf("%s: %d found for %s, want %d", what, n, text, want)
		}
	}
}

// found returns how many memories a search finds.
func found(t testing.TB, snap backend.Snapshot, text string) int {
	t.Helper()
	q, err := fts.ParseQuery(text)
	must(t, err)
	hits, err := snap.Search(ctx, q, backend.Where{Now: log.StampOf(time.Now())},
		backend.SearchOptions{})
	must(t, err)
	n := 0
	for _, h := range hits {
		if !h.FromNeighbor {
			n++
		}
	}
	return n
}

// otherDatabase returns the URL of a database of its own.
func otherDatabase(t testing.TB) string {
	t.Helper()
	url := pgtest.Shared(t).Database(t)
	_, err := pgstore.Migrate(ctx, url)
	must(t, err)
	return url
}
