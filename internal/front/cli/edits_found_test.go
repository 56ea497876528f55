package cli_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/keypath"
	"pgregory.net/rapid"
)

// edited are the files that memories of the test name.
const edited = 4

// drawNaming returns a content that names one of the files, in one of the ways that there are.
func (w *undoWorld) drawNaming(t *rapid.T) string {
	w.n++
	file := rapid.IntRange(0, edited-1).Draw(t, "file")
	return fmt.Sprintf(rapid.SampledFrom([]string{
		`{"text":"src/f%d.go has %d"}`, `{"files":[{"path":"src/f%d.go"}],"text":"new %d"}`,
		`{"text":"src\/f%d.go has %d"}`, `{"text":"f%d.go has %d","tags":["x"]}`,
		`{"files":[{"path":"src/"}],"text":"f%d, %d"}`, `"src/f%d.go has %d"`,
	}).Draw(t, "naming"), file, w.n)
}

// exchanged exchanges a store with a depot, as another machine does.
func (w *undoWorld) exchanged(t *rapid.T, root, machine string) {
	s, err := mem.Open(root, mem.Options{})
	must(t, err)
	defer s.Close()
	path := filepath.Join(filepath.Dir(w.other), "depot")
	if _, err := os.Stat(path); err != nil {
		info, err := depot.NewInfo(func(string) ([]byte, error) { return nil, nil })
		must(t, err)
		made, err := depot.MakeFolder(path, info)
		must(t, err)
		must(t, made.Close())
	}
	place, err := depot.OpenFolder(path)
	must(t, err)
	defer place.Close()
	_, err = exchange.Run(context.Background(), mem.Caller{}, exchange.Job{Store: s,
		Scope: exchange.User, Place: place, Key: exchangeKey, SeenFile: filepath.Join(path+"-seen",
			machine), Machine: places.Machine{ID: fmt.Sprintf("%032s", machine)}, Clock: time.Now})
	must(t, err)
}

var exchangeKey = parcel.New()

// namings are the writings of this test besides those of all verbs.
var namings = []writing{
	{"set, naming", func(w *undoWorld, t *rapid.T) int {
		key := rapid.SampledFrom([]string{"/p/a", "/p/f", "/user/f", "/p/g"}).Draw(t, "key")
		return w.run("set", key, w.drawNaming(t), "-s", "chat", "--yes")
	}},
	{"note, naming", func(w *undoWorld, t *rapid.T) int {
		w.n++
		return w.run("note", fmt.Sprintf("src/f%d.go rounds %d up", w.n%edited, w.n*w.n))
	}},
	{"import, older", func(w *undoWorld, t *rapid.T) int {
		line := fmt.Sprintf("{\"key\":\"/p/f\",\"content\":%s,\"source\":\"chat\","+
			"\"ts\":\"2026-02-02T00:00:00.00000%dZ\"}\n", w.drawNaming(t), w.n%10)
		return w.in(line, "import", "-", "--yes")
	}},
	verb("compact"), verb("fsck --repair"), verb("forget --purge", "KEY"),
	{"sync", func(w *undoWorld, t *rapid.T) int {
		w.exchanged(t, w.roots[0], "1")
		w.exchanged(t, w.other, "2")
		w.exchanged(t, w.roots[0], "1")
		return 0
	}},
	{"copy", func(w *undoWorld, t *rapid.T) int {
		w.n++
		to := fmt.Sprintf("%s-%d", w.other, w.n)
		code := w.run("copy", w.roots[0], to, "--yes")
		if code == 0 {
			w.findsAll(t, "the copy", to)
		}
		return code
	}},
}

// findsAll checks that the lookups of the files find in a store what a scan of it does, and returns
// how much that is.
func (w *undoWorld) findsAll(t *rapid.T, after, root string) (n int) {
	if _, err := os.Stat(root); err != nil {
		return 0
	}
	s, err := filestore.Open(root, filestore.Options{Now: time.Now})
	must(t, err)
	defer s.Close()
	for i := range edited {
		file := fmt.Sprintf("src/f%d.go", i)
		naming := backend.NewNaming(file, filepath.Join(filepath.Dir(w.other), "app", file))
		got, want := map[string]string{}, map[string]string{}
		list, err := s.Match(context.Background(), naming, backend.Where{}, 100)
		must(t, err)
		for _, rec := range list {
			got[rec.Key.String()] = string(rec.Line)
		}
		live := backend.Where{}
		for rec, err := range s.ScanBelow(context.Background(), keypath.Prefix{}) {
			must(t, err)
			// The lookup leaves out what another memory has taken the place of.
			if _, named := naming.Share(rec); named && live.Takes(rec) {
				want[rec.Key.String()] = string(rec.Line)
			}
		}
		if n += len(want); !maps.Equal(got, want) {
			t.Fatalf("%s: %s in %s: found %q, want %q", after, file, root, got, want)
		}
	}
	return n
}

// After any verb that writes, an exchange, an import and a copy, with and without a compaction, an
// edit of a file finds the memories that a scan of all live ones does.
func TestEditsFindAllAfterEveryVerb(t *testing.T) {
	base := undoBase(t)
	all := slices.Concat(writings, namings, namings, namings)
	found, ran := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := newUndoWorld(t, base, rapid.IntRange(0, 2).Draw(t, "layered") > 0)
		for range rapid.IntRange(2, 6).Draw(t, "commands") {
			// Rapid prefers the first of a list.
			one := all[rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "verb"), 0)).IntN(len(all))]
			if one.run(w, t) == 0 {
				ran[one.name]++
			}
			for _, root := range w.roots {
				found += w.findsAll(t, one.name, root)
			}
		}
		for _, root := range w.roots {
			if code, said := w.says("", "--root", root, "fsck"); code != 0 {
				t.Fatal(root, said)
			}
		}
	})
	t.Logf("%d memories found; %v", found, ran)
	if found == 0 {
		t.Error("nothing was to be found")
	}
}
