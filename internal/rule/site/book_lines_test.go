package site_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

func TestLearn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	g, h := d.grant(d.store("a")), d.grant(d.store("b"))
	if got := d.knows(g, 3); got != nil {
		t.Errorf("%d are known from the beginning", got)
	}
	must(t, d.Learn(g))
	must(t, d.Learn(g, env(0), env(2)))
	must(t, d.Learn(g, env(2)))
	must(t, d.Learn(h, env(1)))
	if got := d.knows(g, 4); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("known: %d", got)
	}
	if l, err := d.Lines(g); err != nil || l.Len() != 2 {
		t.Errorf("%d, %v", l.Len(), err)
	}
	for _, id := range []string{"", "..", "../trust/x", strings.Repeat("g", 32)} {
		bad := site.Grant{Path: g.Path, ID: id}
		if _, err := d.Lines(bad); !errors.Is(err, site.ErrGrant) {
			t.Errorf("lines of %q: %v", id, err)
		}
		if err := d.Learn(bad, env(0)); !errors.Is(err, site.ErrGrant) {
			t.Errorf("learned for %q: %v", id, err)
		}
	}
}

// The identity is that of every field, and can be had with other programs: this is what
// printf '4:/a/0,27:2026-02-02T02:40:00.000000Z,7:"tests",20:{"text":"content 0"},' | sha256sum
// prints.
func TestIdentity(t *testing.T) {
	t.Parallel()
	e := env(0)
	const want = "0c06f062f986d4577ab7be6d1cf023f558168625cfb0239a2b3a9173e1fe5815"
	if got := site.Identity(e); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	seen := map[string]bool{site.Identity(e): true}
	for _, change := range []func(*log.Envelope){
		func(e *log.Envelope) { e.Key = keypath.MustParse("/a/00") },
		func(e *log.Envelope) { e.TS++ },
		func(e *log.Envelope) { e.Source = []byte(`"test"`) },
		func(e *log.Envelope) { e.Content = []byte("null") },
	} {
		other := e
		change(&other)
		seen[site.Identity(other)] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d identities of 5 lines", len(seen))
	}
}

// No two lines are framed to the same bytes, whatever is in them.
func TestFramingIsInjective(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[0-3:,]{0,6}`)
	fields := rapid.SliceOfN(text, 3, 3)
	rapid.Check(t, func(t *rapid.T) {
		a, b := fields.Draw(t, "a"), fields.Draw(t, "b")
		if rapid.Bool().Draw(t, "shifted") { // what a careless framing would take for a
			all := strings.Join(a, ",")
			i := rapid.IntRange(0, len(all)).Draw(t, "i")
			j := rapid.IntRange(i, len(all)).Draw(t, "j")
			b = []string{all[:i], all[i:j], all[j:]}
		}
		x, y := framed(a), framed(b)
		if slices.Equal(a, b) != bytes.Equal(x, y) {
			t.Fatalf("%q and %q: %q and %q", a, b, x, y)
		}
	})
}

func framed(fields []string) (b []byte) {
	for _, field := range fields {
		b = site.Frame(b, field)
	}
	return b
}

// What crashes leave of the file: each keeps the whole lines and learns on.
func TestTornLines(t *testing.T) {
	t.Parallel()
	one, two := site.Identity(env(0))+"\n", site.Identity(env(1))+"\n"
	for name, c := range map[string]struct {
		file string
		want []int
	}{
		"empty":                {"", nil},
		"whole":                {one + two, []int{0, 1}},
		"torn":                 {one + two[:30], []int{0}},
		"torn at the first":    {one[:1], nil},
		"only the end is lost": {one + two[:len(two)-1], []int{0}},
		"torn in the middle":   {one[:9] + "\n" + two, []int{1}},
		"mixed":                {one[:9] + two, nil},
		"empty lines":          {"\n\n" + one + "\n", []int{0}},
		"zeros":                {one + strings.Repeat("\x00", 65), []int{0}},
	} {
		d := newDesk(t)
		g := d.grant(d.store("a"))
		path := d.dir + "/state/mem/lines/" + g.ID
		put(t, path, c.file)
		if got := d.knows(g, 3); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d", name, got)
		}
		must(t, d.Learn(g, env(2)))
		want := append(slices.Clone(c.want), 2)
		if name == "only the end is lost" {
			want = []int{0, 1, 2}
		}
		if got := d.knows(g, 3); !slices.Equal(got, want) {
			t.Errorf("%s: %d after the next one", name, got)
		}
		if !strings.HasPrefix(read(t, path), c.file) {
			t.Errorf("%s: something was overwritten", name)
		}
	}
}

func TestLearnTogether(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 200
	d := newDesk(t)
	g := d.grant(d.store("a"))
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 0; i < each; i += 2 {
				if err := d.Learn(g, env(w*each+i), env(w*each+i+1)); err != nil {
					t.Error(err)
				}
				if _, err := d.Lines(g); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := d.knows(g, writers*each); len(got) != writers*each {
		t.Errorf("%d of %d are known", len(got), writers*each)
	}
	if fi, err := os.Stat(d.dir + "/state/mem/lines/" + g.ID); err != nil ||
		fi.Size() < writers*each*65 {
		t.Errorf("%v, %v", fi, err)
	}
}

func BenchmarkLook(b *testing.B) {
	d := newDesk(b)
	root := d.store("a")
	d.grant(root)
	for b.Loop() {
		if _, ok, err := d.Look(root); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkLines10000(b *testing.B) {
	d := newDesk(b)
	g := d.grant(d.store("a"))
	for i := range 10_000 {
		must(b, d.Learn(g, env(i)))
	}
	for b.Loop() {
		if l, err := d.Lines(g); err != nil || l.Len() != 10_000 {
			b.Fatal(l.Len(), err)
		}
	}
}

func BenchmarkHas(b *testing.B) {
	d := newDesk(b)
	g := d.grant(d.store("a"))
	must(b, d.Learn(g, env(0)))
	l, err := d.Lines(g)
	must(b, err)
	for b.Loop() {
		l.Has(env0)
	}
}

var env0 = env(0)

func BenchmarkLearn(b *testing.B) {
	d := newDesk(b)
	g := d.grant(d.store("a"))
	for b.Loop() {
		must(b, d.Learn(g, env0))
	}
}
