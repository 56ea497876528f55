package pgstore_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// pair is a store of files and one on a server, to which the same is done.
type pair struct {
	testing.TB
	*rand.Rand
	files, server *mem.Store
	keys          []string
	stamps        []log.Stamp // that were acknowledged
}

func newPair(t testing.TB, seed uint64) *pair {
	pgstore.SmallCopies(t)
	store, err := pgstore.Open(newPlace(t, database(t)), pgstore.Options{CacheDir: t.TempDir(),
		Now: func() time.Time { return storetest.Noon }})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	p := &pair{TB: t, Rand: rand.New(rand.NewPCG(seed, 1)),
		files:  storetest.NewStore(t, storetest.Files).Store,
		server: mem.New(store, mem.Options{Now: func() time.Time { return storetest.Noon }})}
	for _, space := range []string{"/k", "/user", "/project/x", "/session/s1", "/untrusted/k",
		"/agent/ada/core", "/用户"} {
		for i := range 12 {
			p.keys = append(p.keys, fmt.Sprintf("%s/%d", space, i))
		}
	}
	for i := range 20 {
		p.keys = append(p.keys, fmt.Sprintf("/session/s%d/mem_01JQ8ZV5Y3M4N6P7R8S9T0%04d", i%4, i))
	}
	return p
}

// same does something to both stores, and checks that it comes to the same.
func (p *pair) same(what string, do func(s *mem.Store) (string, error)) {
	p.Helper()
	want, errFiles := do(p.files)
	got, err := do(p.server)
	if got != want || mem.KindOf(err) != mem.KindOf(errFiles) ||
		(err != nil && err.Error() != errFiles.Error()) {
		p.Fatalf("%s:\n  files %.2000s (%v)\n server %.2000s (%v)", what, without(want, got),
			errFiles, without(got, want), err)
	}
}

// without returns the lines of a text that another has not.
func without(text, other string) string {
	has := map[string]bool{}
	for line := range strings.Lines(other) {
		has[strings.TrimSpace(line)] = true
	}
	var only []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !has[line] {
			only = append(only, line)
		}
	}
	return strings.Join(only, "\n")
}

var drawnWords = strings.Fields(`dentist appointment on monday tuesday database postgres deploy tabs
	spaces area 牙科 预约 user likes coffee tea the a of never always server memory index café naïve
	Grüße log-line under_score v1.2 e-mail привет мир`)

func (p *pair) word() string { return drawnWords[p.IntN(len(drawnWords))] }

func (p *pair) words(most int) string {
	var list []string
	for range 1 + p.IntN(most) {
		list = append(list, p.word())
	}
	return strings.Join(list, " ")
}

func (p *pair) key() string { return p.keys[p.IntN(len(p.keys))] }

// content draws a content, sometimes one that is refused.
func (p *pair) content() string {
	text := fmt.Sprintf("%q", p.words(12))
	switch p.IntN(16) {
	case 0:
		return "null"
	case 1:
		return fmt.Sprintf(`{"a":1.10,"b":"\u0000","z":1e400,"text":%s}`, text)
	case 2:
		return text
	case 3:
		return `{"text":` + text
	case 4:
		return `{"text":"` + strings.Repeat(p.word()+" ", 2000) + `"}`
	case 5:
		return fmt.Sprintf(`{"text":%s,"expired_at":"2026-02-%02dT12:00:00Z"}`, text, 20+p.IntN(5))
	case 6:
		return `{"text":"the key is AKIAIOSFODNN7EXAMPLE"}`
	case 7:
		return "[1, 2 ,{\"text\":" + text + "}]"
	}
	kind := []string{"fact", "decision", "rule", "task"}[p.IntN(4)]
	return fmt.Sprintf(`{"type":%q,"text":%s,"importance":%d,"tags":[%q],`+
		`"created_at":"2026-01-%02d"}`, kind, text, p.IntN(11), p.word(), 1+p.IntN(28))
}

// step does one drawn operation.
func (p *pair) step() {
	c := mem.Caller{Agent: []string{"", "", "ada", "bob"}[p.IntN(4)],
		Session: []string{"", "s1", "s2"}[p.IntN(3)]}
	switch n := p.IntN(1000); {
	case n < 500:
		p.set(c)
	case n < 650:
		p.delete(c)
	case n < 800:
		p.batch(c)
	case n < 930:
		p.note(c)
	case n < 980:
		key := keypath.MustParse(p.key())
		p.same("get "+key.String(), func(s *mem.Store) (string, error) {
			rec, err := s.Get(ctx, c, key, true)
			return string(rec.Line), err
		})
	case n < 994:
		p.purge(c)
	default:
		p.compact()
	}
}

// compact folds both. Expired memories stay where somebody asks for them.
func (p *pair) compact() {
	for _, s := range []*mem.Store{p.files, p.server} {
		_, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{KeepExpired: true})
		must(p, err)
	}
}

func (p *pair) set(c mem.Caller) {
	w := storetest.Write(p.key(), p.content())
	if p.IntN(10) == 0 {
		w.Source = []byte([]string{"", "null", `{"user":"ada"}`, "7"}[p.IntN(4)])
	}
	o := mem.SetOptions{IfAbsent: p.IntN(5) == 0, Force: p.IntN(2) == 0, Quarantine: p.IntN(3) == 0}
	if n := len(p.stamps); n > 0 && p.IntN(6) == 0 {
		o.IfTS = &p.stamps[max(n-1-p.IntN(30), 0)]
	}
	p.same(fmt.Sprintf("set %s %s %+v", w.Key, w.Content, o), func(s *mem.Store) (string, error) {
		out, err := s.Set(ctx, c, w, o)
		if s == p.server && err == nil {
			p.stamps = append(p.stamps, out.TS)
		}
		return told(out), err
	})
}

// told returns an outcome without the file that only one of the stores has.
func told(outs ...mem.Outcome) string {
	for i := range outs {
		outs[i].Path = ""
	}
	return fmt.Sprintf("%+v", outs)
}

func (p *pair) delete(c mem.Caller) {
	var keys []keypath.Key
	for range 1 + p.IntN(3) {
		keys = append(keys, keypath.MustParse(p.key()))
	}
	p.same(fmt.Sprint("delete ", keys), func(s *mem.Store) (string, error) {
		deleted, missing, err := s.Delete(ctx, c, keys, nil)
		return told(deleted...) + fmt.Sprint(missing), err
	})
}

// batch stores several lines, of which some keep their time.
func (p *pair) batch(c mem.Caller) {
	var lines strings.Builder
	for range 1 + p.IntN(8) {
		fmt.Fprintf(&lines, `{"key":%q,"content":%s,"source":"batch"`, p.key(), p.content())
		if p.IntN(2) == 0 {
			at := storetest.Noon.Add(time.Duration(p.IntN(4000)-3900) * time.Second)
			fmt.Fprintf(&lines, `,"ts":%q`, log.StampOf(at))
		}
		lines.WriteString("}\n")
	}
	o := mem.BatchOptions{KeepGoing: p.IntN(3) > 0, Resume: p.IntN(3) == 0, Force: p.IntN(2) == 0,
		Quarantine: p.IntN(3) == 0}
	p.same(fmt.Sprintf("batch %+v\n%s", o, lines.String()), func(s *mem.Store) (string, error) {
		rep, err := s.SetAll(ctx, c, strings.NewReader(lines.String()), o)
		return fmt.Sprintf("%+v", rep), err
	})
}

func (p *pair) note(c mem.Caller) {
	text := p.words(8)
	o := note.Options{Scope: []string{"", "user", "workspace"}[p.IntN(3)], Pinned: p.IntN(20) == 0}
	p.same("note "+text, func(s *mem.Store) (string, error) {
		added, err := note.Add(ctx, s, c, text, o)
		added.Store, added.Near = nil, nil // some that are near may be missed, by either
		return fmt.Sprintf("%+v", added), err
	})
}

func (p *pair) purge(c mem.Caller) {
	o := mem.PurgeOptions{Keys: []keypath.Key{keypath.MustParse(p.key())},
		ForgetKeys: p.IntN(3) == 0,
		// Files tell one purge from another by their sources, and the clock stands still.
		Reason: fmt.Sprint(p.word(), " ", p.Uint64())}
	p.same(fmt.Sprintf("purge %+v", o), func(s *mem.Store) (string, error) {
		proof, err := s.Purge(ctx, c, o)
		return fmt.Sprint(proof.Horizon, proof.Versions, len(proof.Others), proof.Short,
			proof.Kept), err
	})
}

// history returns every line that was ever written, sorted: a rotation orders them by their time.
func history(s *mem.Store) (string, error) {
	var lines []string
	err := s.Everything(ctx, func(rec log.Record) error {
		lines = append(lines, string(rec.Line))
		return nil
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n"), err
}

// Ten thousand drawn operations, in the short form a thousand, do the same to a store of files and
// to one on a server; and then both answer the same.
func TestEqualToFiles(t *testing.T) {
	steps, queries := testkit.Extent(250, 1000, 10_000), testkit.Extent(120, 500, 500)
	p := newPair(t, 1)
	odd := storetest.Write("/odd", `{"a":1.10,"b":"\u0000","z":1e400}`)
	p.same("odd", func(s *mem.Store) (string, error) {
		if _, err := s.Set(ctx, mem.Caller{}, odd, mem.SetOptions{}); err != nil {
			return "", err
		}
		rec, err := s.Get(ctx, mem.Caller{}, odd.Key, false)
		if string(rec.Content) != string(odd.Content) {
			t.Errorf("what comes back is %s", rec.Content)
		}
		return string(rec.Line), err
	})
	p.same("a reason that tells it", func(s *mem.Store) (string, error) {
		_, err := s.Set(ctx, mem.Caller{}, storetest.Write("/said", `"dentist"`), mem.SetOptions{})
		must(t, err)
		proof, err := s.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Reason: "dentist",
			Keys: keysOf("/said")})
		return fmt.Sprint(proof), err
	})
	for range steps {
		p.step()
	}
	p.same("history", history)
	p.same("export", func(s *mem.Store) (string, error) {
		var text bytes.Buffer
		rep, err := transfer.Export(ctx, s, mem.Caller{}, &text, transfer.ExportOptions{All: true})
		return fmt.Sprintf("%+v\n%s", rep, text.String()), err
	})
	// What a prefix stands for depends on words of memories that were replaced since the last
	// compaction, with every store: so it is asked for after one alone.
	for i := range queries {
		if i == queries/2 {
			p.compact()
		}
		p.query(i >= queries/2)
	}
}

// query asks both the same, with prefixes of words or without.
func (p *pair) query(prefixes bool) {
	text := p.words(3)
	switch p.IntN(8) {
	case 0:
		text = p.word() + " OR " + p.word()
	case 1:
		text = `"` + p.words(2) + `"`
	case 2:
		text = p.word() + " -" + p.word()
	case 3:
		text = "type:decision " + text
	case 4:
		if prefixes {
			text = string([]rune(p.word())[:1]) + "*"
		}
	}
	c := mem.Caller{Agent: []string{"", "ada"}[p.IntN(2)]}
	o := mem.SearchOptions{Query: text, Relevant: p.IntN(2) == 0}
	p.same("search "+text, func(s *mem.Store) (string, error) {
		hits, err := s.Search(ctx, c, o)
		return ranks(hits), err
	})
	r := mem.ReadOptions{Limit: 200 + p.IntN(3000), Tags: []string{p.word()}}
	if p.IntN(2) == 0 {
		r.Query = p.word()
	}
	p.same(fmt.Sprintf("read %+v", r), func(s *mem.Store) (string, error) {
		page, err := s.Read(ctx, c, r)
		var shown bytes.Buffer
		must(p, page.WriteText(&shown))
		return shown.String(), err
	})
}

// ranks returns the keys and scores of hits. The order of those that score the same, and which of
// them come last, show in which order their scores were added up.
func ranks(hits []mem.Found) string {
	score := func(f mem.Found) string { return fmt.Sprintf("%.9f", f.Score) }
	var lines []string
	for _, h := range hits {
		if len(hits) >= mem.DefaultSearchLimit && score(h) == score(hits[len(hits)-1]) {
			lines = append(lines, score(h))
			continue
		}
		lines = append(lines, fmt.Sprint(score(h), h.Record.Key, h.Record.TS, h.Below))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// A person decides about what they were shown, as on files.
func TestDecisions(t *testing.T) {
	storetest.RunDecisions(t, func(t testing.TB) *mem.Store {
		store, err := pgstore.Open(newPlace(t, database(t)), pgstore.Options{CacheDir: t.TempDir()})
		must(t, err)
		s := mem.New(store, mem.Options{})
		t.Cleanup(func() { must(t, s.Close()) })
		return s
	})
}
