package site_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// must ends a test whose scenery could not be set up.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

// stamp returns one of a row of instants.
func stamp(n int) log.Stamp { return log.Stamp(1_770_000_000_000_000 + n) }

// env returns one of a row of lines.
func env(n int) log.Envelope {
	return log.Envelope{Key: keypath.MustParse(fmt.Sprintf("/a/%d", n)), TS: stamp(n),
		Source:  []byte(`"tests"`),
		Content: fmt.Appendf(nil, `{"text":"content %d"}`, n)}
}

// desk is a person with a book, and the directory with everything.
type desk struct {
	*site.Book
	t   testing.TB
	dir string // the real path
	env map[string]string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	d := &desk{t: t, dir: dir, env: map[string]string{"XDG_STATE_HOME": dir + "/state"}}
	d.reopen()
	return d
}

func (d *desk) reopen() {
	d.Book = site.OpenBook(func(name string) string { return d.env[name] }, d.dir+"/home")
}

// store makes a .mem and returns its path.
func (d *desk) store(name string) string {
	d.t.Helper()
	root := filepath.Join(d.dir, name, ".mem")
	must(d.t, os.MkdirAll(root, 0o700))
	return root
}

func (d *desk) grant(root string) site.Grant {
	d.t.Helper()
	g, err := d.Grant(root, stamp(0))
	must(d.t, err)
	return g
}

// trusts reports whether a store is let in.
func (d *desk) trusts(root string) bool {
	d.t.Helper()
	_, ok, err := d.Look(root)
	if err != nil {
		d.t.Errorf("%s: %v", root, err)
	}
	return ok
}

// record returns the path of the only record there is.
func (d *desk) record() string {
	d.t.Helper()
	list, err := filepath.Glob(d.dir + "/state/mem/trust/*.json")
	if err != nil || len(list) != 1 {
		d.t.Fatalf("%q, %v", list, err)
	}
	return list[0]
}

// lines returns the names of the files of identities.
func (d *desk) lines() []string {
	d.t.Helper()
	list, err := filepath.Glob(d.dir + "/state/mem/lines/*")
	must(d.t, err)
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	slices.Sort(list)
	return list
}

// knows reports which of the first n lines are known.
func (d *desk) knows(g site.Grant, n int) (known []int) {
	d.t.Helper()
	l, err := d.Lines(g)
	must(d.t, err)
	for i := range n {
		if l.Has(env(i)) {
			known = append(known, i)
		}
	}
	return known
}
