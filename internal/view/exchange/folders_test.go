package exchange_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/keypath"
)

// same reports an error where two machines have other lines.
func (f *fleet) same() {
	f.t.Helper()
	want := f.machines[0].Logged()
	for _, m := range f.machines[1:] {
		if got := m.Logged(); !slices.Equal(sorted(got), sorted(want)) {
			f.t.Errorf("the history differs:\n%s\n%s", got, want)
		}
	}
}

func sorted(lines string) []string { return slices.Sorted(strings.SplitSeq(lines, "\n")) }

// put writes a memory on a machine, a second later than all before.
func (f *fleet) put(i int, key, text string) {
	f.machines[i].Clock = f.machines[i].Clock.Add(time.Second)
	f.machines[i].Put(key, text)
}

// files returns the paths of all files below a directory, but for the description of a depot.
func files(t testing.TB, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != depot.InfoFile {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A folder may change names: one that ignores case shows some in capitals, one that normalises
// Unicode composes or decomposes letters. No line is lost, and no segment is written twice.
func TestFoldersThatChangeNames(t *testing.T) {
	for what, rename := range map[string]func(string) string{"all in capitals": strings.ToUpper,
		"folders in capitals": func(name string) string { return name }} {
		t.Run(what, func(t *testing.T) {
			f := newFleet(t, 3, 1)
			path := f.depots[0]
			change := func() {
				for _, file := range files(t, path) {
					dir := strings.ToUpper(filepath.Base(filepath.Dir(file)))
					to := filepath.Join(path, dir, rename(filepath.Base(file)))
					if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700),
						os.Rename(file, to)); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i := range 9 {
				f.put(i%3, fmt.Sprintf("/k/%d", i%4), fmt.Sprintf(`"text %d"`, i))
				if _, err := f.sync(f.machines[i%3], path); err != nil {
					t.Fatal(err)
				}
				change()
			}
			f.settle()
			f.same()
			before := len(files(t, path))
			for _, m := range f.machines {
				change()
				if rep, err := f.sync(m, path); err != nil || rep.Sent > 0 {
					t.Errorf("%+v, %v", rep, err)
				}
			}
			if after := len(files(t, path)); after != before || after > 12 {
				t.Errorf("%d segments, then %d", before, after)
			}
			key := keypath.MustParse("/k/1")
			_, err := f.machines[0].Purge(ctx, mem.Caller{},
				mem.PurgeOptions{Keys: []keypath.Key{key}})
			f.machines[0].Must(err)
			f.settle()
			f.same()
			for name, text := range f.unsealed(path) {
				if strings.Contains(text, `"text 1"`) {
					t.Errorf("%s holds what was purged", name)
				}
			}
		})
	}
	// A name of ASCII is the same in all forms of Unicode.
	f := newFleet(t, 1, 1)
	f.put(0, "/größe/ü", `"größe"`)
	if _, err := f.sync(f.machines[0], f.depots[0]); err != nil {
		t.Fatal(err)
	}
	for _, file := range files(t, f.depots[0]) {
		rel, err := filepath.Rel(f.depots[0], file)
		if err != nil || strings.Trim(rel, "0123456789abcdef/") != "" {
			t.Errorf("the name %q, %v", rel, err)
		}
	}
}

// A machine between two depots joins two that share none.
func TestTransit(t *testing.T) {
	f := newFleet(t, 3, 2)
	f.put(0, "/k/a", `"a"`)
	f.put(2, "/k/c", `"c"`)
	for _, leg := range [][2]int{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {1, 1}, {1, 0}, {0, 0}} {
		if _, err := f.sync(f.machines[leg[0]], f.depots[leg[1]]); err != nil {
			t.Fatal(err)
		}
	}
	f.same()
	if got := f.machines[0].Keys(); got != "/k/a /k/c" {
		t.Errorf("the first has %s", got)
	}
	for i, path := range f.depots { // nothing is sent back to where it came from
		if n := len(files(t, path)); n > 3 {
			t.Errorf("depot %d has %d segments", i, n)
		}
	}
	f.machines[0].Clock = f.machines[0].Clock.Add(time.Minute)
	_, err := f.machines[0].Purge(ctx, mem.Caller{}, mem.PurgeOptions{
		Keys: []keypath.Key{keypath.MustParse("/k/c")}})
	f.machines[0].Must(err)
	for _, leg := range [][2]int{{0, 0}, {1, 0}, {1, 1}, {2, 1}} {
		if _, err := f.sync(f.machines[leg[0]], f.depots[leg[1]]); err != nil {
			t.Fatal(err)
		}
	}
	f.same()
	if in := finds(f.machines[2].Root, `"c"`); in != "" {
		t.Errorf("what was purged is in %s", in)
	}
}

// segments returns the bytes of the segments at a depot by their paths.
func segments(t testing.TB, path string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, file := range files(t, path) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = data
	}
	return all
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
		os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// Segments that come again change nothing: not in another order, and not those from before a purge.
// What was purged stays away, and they are cleaned once more.
func TestReplayedSegments(t *testing.T) {
	f := newFleet(t, 2, 1)
	path := f.depots[0]
	for i := range 4 {
		f.put(i%2, fmt.Sprintf("/k/%d", i%3), fmt.Sprintf(`"text %d"`, i))
		if _, err := f.sync(f.machines[i%2], path); err != nil {
			t.Fatal(err)
		}
	}
	f.settle()
	old, want := segments(t, path), f.machines[0].Logged()
	replay := func() {
		for file, data := range old {
			write(t, file, data)
		}
	}
	for file := range old { // gone, and back, one by one
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		f.settle()
		all := strings.Join(slices.Collect(maps.Values(f.unsealed(path))), "")
		for _, line := range sorted(want) {
			if !strings.Contains(all, line) {
				t.Errorf("without a segment the depot lacks %s", line)
			}
		}
		replay()
	}
	f.settle()
	if got := f.machines[0].Logged(); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	f.machines[0].Clock = f.machines[0].Clock.Add(time.Minute)
	_, err := f.machines[0].Purge(ctx, mem.Caller{}, mem.PurgeOptions{
		Keys: []keypath.Key{keypath.MustParse("/k/1")}})
	f.machines[0].Must(err)
	f.settle()
	want = f.machines[1].Logged()
	for i := range f.machines { // whichever machine meets them
		replay()
		rep, err := f.sync(f.machines[i], path)
		if err != nil || rep.Cleaned == 0 || rep.Received > 0 {
			t.Errorf("%+v, %v", rep, err)
		}
		f.settle()
		f.same()
		if got := f.machines[i].Logged(); !slices.Equal(sorted(got), sorted(want)) ||
			strings.Contains(got, "text 1") {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		for name, text := range f.unsealed(path) {
			if strings.Contains(text, "text 1") {
				t.Errorf("%s holds what was purged", name)
			}
		}
	}
	// A new machine gets what is there, from before the purge and after it.
	replay()
	m := &machine{Store: storetest.NewStore(t, storetest.Files), id: "new", state: storetest.Dir(t)}
	if _, err := f.sync(m, path); err != nil {
		t.Fatal(err)
	}
	if got := m.Logged(); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("a new machine: %s\nwant\n%s", got, want)
	}
}

// What is no whole segment of the depot is left out and named, and its lines come with the whole
// one. Copies that a program made of segments are passed over.
func TestBadSegments(t *testing.T) {
	f := newFleet(t, 2, 2)
	f.put(0, "/k/here", `"here"`)
	f.put(1, "/k/there", `"there"`)
	for i, path := range f.depots {
		if _, err := f.sync(f.machines[i], path); err != nil {
			t.Fatal(err)
		}
	}
	here, there := f.depots[0], f.depots[1]
	var whole []byte
	var file string
	for file, whole = range segments(t, here) {
	}
	at := func(data []byte) string {
		name := depot.NameOf(data)
		return filepath.Join(here, name[:2], name)
	}
	forged := slices.Clone(whole)
	forged[len(forged)/2] ^= 1
	sealed, err := parcel.New().Seal("other", []byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string][]byte{at(forged): forged, at(whole[:40]): whole[:40], at(sealed): sealed,
		at(nil): nil}
	for _, data := range segments(t, there) {
		bad[at(data)] = data
	}
	for path, data := range bad {
		write(t, path, data)
	}
	write(t, file, whole[:len(whole)/2]) // a program is still copying it
	for _, copied := range []string{file + ".sync-conflict-20260222-120000-ABCDEFG",
		file + " (ada's conflicted copy 2026-02-22)", file + " 2",
		filepath.Join(filepath.Dir(file), "~syncthing~"+filepath.Base(file)+".tmp"),
		filepath.Join(here, "mem-sync (conflicted copy).json"),
		filepath.Join(here, "mem-sync.sync-conflict-20260222-120000-ABCDEFG.json")} {
		write(t, copied, whole)
	}
	before := f.machines[1].Logged()
	rep, err := f.sync(f.machines[1], here)
	if err != nil || rep.Received > 0 || len(rep.Rejected) != len(bad)+1 {
		t.Errorf("%+v, %v; want %d rejected", rep, err, len(bad)+1)
	}
	for _, fault := range rep.Rejected {
		if path := filepath.Join(here, fault.Segment[:2], fault.Segment); path != file &&
			bad[path] == nil && path != at(nil) || fault.Why == "" {
			t.Errorf("%+v", fault)
		}
	}
	if got := f.machines[1].Logged(); got != before {
		t.Errorf("%s\nwant\n%s", got, before)
	}
	write(t, file, whole)
	rep, err = f.sync(f.machines[1], here)
	if err != nil || rep.Received != 1 || len(rep.Rejected) != len(bad) {
		t.Errorf("whole: %+v, %v", rep, err)
	}
	for path := range bad {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	f.settle()
	f.same()
}

// vanishing is a depot that is gone after some calls, as a stick that is pulled.
type vanishing struct {
	exchange.Place
	left int
}

var errVanished = errors.New("it is gone")

func (v *vanishing) call(fn func() error) error {
	if v.left--; v.left < 0 {
		return errVanished
	}
	return fn()
}

func (v *vanishing) List() (names []string, err error) {
	err = v.call(func() error { names, err = v.Place.List(); return err })
	return names, err
}

func (v *vanishing) Get(name string) (data []byte, err error) {
	err = v.call(func() error { data, err = v.Place.Get(name); return err })
	return data, err
}

func (v *vanishing) Put(data []byte) error {
	return v.call(func() error { return v.Place.Put(data) })
}

func (v *vanishing) Remove(name string) error {
	return v.call(func() error { return v.Place.Remove(name) })
}

// A depot may disappear at any call, within a purge too; the next exchange goes on.
func TestDepotThatVanishes(t *testing.T) {
	f := newFleet(t, 2, 1)
	path, failed := f.depots[0], 0
	for left := range 9 {
		for i, m := range f.machines {
			f.put(i, fmt.Sprintf("/k/%d", left%3), fmt.Sprintf(`"text %d of %d"`, left, i))
			if left%4 == 3 {
				_, err := m.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
					Keys: []keypath.Key{keypath.MustParse(fmt.Sprintf("/k/%d", left%3))}})
				m.Must(err)
			}
			d, err := depot.OpenFolder(path)
			m.Must(err)
			_, err = exchange.Run(ctx, mem.Caller{}, f.job(m, &vanishing{d, left}, path))
			d.Close()
			var place *exchange.PlaceError
			if err != nil && (!errors.As(err, &place) || !errors.Is(err, errVanished)) {
				t.Errorf("after %d calls: %v", left, err)
			}
			if err != nil {
				failed++
			}
		}
	}
	if failed < 5 {
		t.Errorf("it failed %d times", failed)
	}
	f.settle()
	f.same()
}
