package fts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/sidecar"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var stateSum = strings.Repeat("ab", 32)

func record(key, content string, ts log.Stamp) log.Record {
	return log.Record{Envelope: log.Envelope{
		Key: keypath.MustParse(key), TS: ts, Source: []byte(`"s"`), Content: []byte(content),
	}}
}

func byKey(a, b log.Record) int { return a.Key.Compare(b.Key) }

// install writes the sidecar that a builder has collected.
func install(b *Builder) error {
	draft, err := b.Draft(1000, stateSum)
	if err != nil {
		return err
	}
	return draft.Install()
}

// sidecarOf writes and opens one; a small limit on occurrences makes it come together from several
// runs.
func sidecarOf(t testing.TB, most int, records []log.Record) *Index {
	t.Helper()
	root, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	b := NewBuilder(root)
	b.maxHeld = most
	for _, r := range slices.SortedFunc(slices.Values(records), byKey) {
		b.Add(r, content.Parse(r.Content))
	}
	if err := install(b); err != nil {
		t.Fatal(err)
	}
	if names, err := root.Names(sidecar.Dir); err != nil || len(names) != 1 {
		t.Fatalf("%q left beside the sidecar, %v", names, err)
	}
	ix, err := Open(root, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

// world is records at random, few words and few folders, so that everything meets everything.
type world struct {
	*rand.Rand
}

var someWords = strings.Fields(`dentist dentists running ran config configuration HTTPServer
get_user_by_id /var/log/app.log E1042 2026-02-23 the of and Anna's Anna Ben photo picture
I you my twice week in near Paris Where many "Becoming 《红》 我们 昨天 上海市 几个 什么时候 book title
牙科复诊 明天10点 用户喜欢中文 カタカナ 한국어 don't naïve resume 1,000 3.14 may May 23 5月7日 monday v1.2.3 C++ a b`)

func (w world) words(n int) string {
	var list []string
	for range w.IntN(n) + 1 {
		list = append(list, someWords[w.IntN(len(someWords))])
	}
	text := strings.Join(list, " ")
	if w.IntN(5) == 0 {
		text += "?"
	}
	return text
}

var someFolders = []string{"/a", "/a/b", "/a/b/c", "/a/b-c", "/a/b.d", "/ab", "/牙", "/a/e/f/g"}

func (w world) key() string {
	folder := someFolders[w.IntN(len(someFolders))]
	if w.IntN(20) == 0 {
		return folder
	}
	if w.IntN(5) == 0 {
		return w.ownedKey()
	}
	name := []string{"%d", "m%d", "b%d", "m-%03d", "a1b2c%d", "%d-b"}[w.IntN(6)]
	return folder + "/" + fmt.Sprintf(name, w.IntN(120))
}

// ownedKey is one that not everybody sees, or one of their folder that everybody does.
func (w world) ownedKey() string {
	folder := []string{"/agent/a/core", "/agent/b/core", "/session/s", "/session/t",
		"/event/s", "/event/t"}[w.IntN(6)]
	switch {
	case strings.HasPrefix(folder, "/event"):
		return fmt.Sprintf("%s/evt_%026d", folder, w.IntN(60))
	case w.IntN(4) == 0:
		return fmt.Sprintf("%s/%d", folder, w.IntN(9))
	case strings.HasPrefix(folder, "/session"):
		return fmt.Sprintf("%s/mem_%026d", folder, w.IntN(30))
	}
	return fmt.Sprintf("%s/%026d", folder, w.IntN(30))
}

// someSees are what callers see.
var someSees = []func(keypath.Realm) bool{
	nil,
	func(r keypath.Realm) bool { return r.Class.IsOpenToAll() },
	func(r keypath.Realm) bool { return r.Owner == "" || r.Owner == "a" },
	func(r keypath.Realm) bool { return content.ChannelOf(r.Label) == "public" },
	func(r keypath.Realm) bool {
		return r.Class != keypath.Private && content.SensitivityOf(r.Label) != "high"
	},
	func(r keypath.Realm) bool { return r.Class == keypath.Event && r.Label != 0 },
}

func (w world) content() string {
	if w.IntN(12) == 0 {
		return string(jsontext.AppendString(nil, w.words(4)))
	}
	var out strings.Builder
	fmt.Fprintf(&out, `{"type":%q`, []string{"note", "Decision", "fact"}[w.IntN(3)])
	for _, member := range []string{"text", "summary", "title", "speaker", "other", "role"} {
		switch w.IntN(3) {
		case 0:
			fmt.Fprintf(&out, `,%q:%s`, member, jsontext.AppendString(nil, w.words(6)))
		}
	}
	if w.IntN(2) == 0 {
		fmt.Fprintf(&out, `,"tags":["Sec.Auth",%q]`, someWords[w.IntN(5)])
	}
	if w.IntN(3) == 0 {
		fmt.Fprintf(&out, `,"channel":%q,"sensitivity":%q`,
			[]string{"public", "team", "private"}[w.IntN(3)], []string{"none", "high"}[w.IntN(2)])
	}
	if w.IntN(4) == 0 {
		fmt.Fprintf(&out, `,"content":{"text":%s,"tool":"fs.read","line_range":[1,2]}`,
			jsontext.AppendString(nil, w.words(6)))
		fmt.Fprintf(&out, `,"actor":{"type":"human","id":"Anna"}`)
	}
	if w.IntN(6) == 0 {
		fmt.Fprintf(&out, `,"created_at":%d`, 1_769_000_000+w.IntN(900_000))
	}
	if w.IntN(4) == 0 {
		word := someWords[w.IntN(len(someWords))]
		fmt.Fprintf(&out, `,"deep":{"list":[1,{"name":%q},-2.5,null,true]}`, word)
	}
	return out.String() + "}"
}

func (w world) records(n int) map[string]log.Record {
	all := map[string]log.Record{}
	for range n {
		r := record(w.key(), w.content(), log.Stamp(1.77e15+w.Int64N(40)*6e10))
		all[r.Key.String()] = r
	}
	return all
}

func (w world) query(t *testing.T) (*Query, string) {
	text := w.words(4)
	for range w.IntN(3) {
		text += " " + []string{
			"config*", "ru*", "牙*", "-Anna", "-牙科", `"Anna ran"`, `"牙科复诊"`, `"Anna ran" "running config"?`, "tag:sec",
			"tag:sec.auth,dentist", "type:note,fact", "-tag:sec,x", "-type:Fact,note",
			"key:/a/b", "yesterday", "2026",
			"May 7, 2026", "星期三", "key:/agent", "key:/session/s", "2026-01-25",
			"con*g", "?un*", "*ist", "d?ntists?",
		}[w.IntN(25)]
	}
	if w.IntN(6) == 0 {
		text = []string{
			"tag:sec", "type:fact key:/a", "key:/a/b/c", "the of", "nothing such", "-Anna",
		}[w.IntN(6)]
	}
	if strings.Count(text, "key:") > 1 {
		text = "key:/a dentist"
	}
	q, err := ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return q, text
}

func recordsOf(m map[string]log.Record) (list []log.Record) {
	for _, r := range m {
		list = append(list, r)
	}
	slices.SortFunc(list, byKey)
	return list
}

// Whatever is searched, in whatever parts the records lie, the search finds what counting by hand
// finds.
func TestSearchIsTheFormula(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := world{rand.New(rand.NewPCG(seed, 1))}
			old := w.records(w.IntN(300))
			fresh := map[string]log.Record{}
			if seed%3 > 0 {
				fresh = w.records(w.IntN(60))
			}
			all := map[string]log.Record{}
			for k, r := range old {
				all[k] = r
			}
			tail := NewTail()
			for k, r := range fresh {
				if w.IntN(4) == 0 {
					r.Content = []byte("null")
				}
				all[k] = r
				tail.Add(r)
			}
			ix := sidecarOf(t, []int{1 << 20, 40_000, 15_000}[seed%3], recordsOf(old))
			rows := recordsOf(old)
			grown := grownTail(t, ix, tail)
			everything := NewTail()
			for _, r := range all {
				everything.Add(r)
			}
			m := *standard
			if seed%2 == 0 {
				m.highDFDocs, m.highDFShare, m.mostFound = 10, 5, 40
			}
			var bags []*bag
			for _, r := range recordsOf(all) {
				bags = append(bags, newBag(r))
			}
			for range 30 {
				q, text := w.query(t)
				load := func(row int) (log.Record, error) { return rows[row], nil }
				opt := Options{Now: 1.772e15, Load: load, Sees: someSees[w.IntN(len(someSees))]}
				want := bruteSearch(&m, bags, q, opt)
				compare(t, text, want, hitsOf(t, &m, ix, tail, q, opt))
				compare(t, text+" (a tail that grew)", want, hitsOf(t, &m, ix, grown, q, opt))
				compare(t, text+" (all in the tail)", want, hitsOf(t, &m, nil, everything, q, opt))
				opt.Limit = 3
				want = want[:min(3, len(want))]
				compare(t, text+" (limit 3)", want, hitsOf(t, &m, ix, tail, q, opt))
			}
		})
	}
}

// grownTail returns a tail of the same records, which came to it between searches, some of them
// after an older one of their key.
func grownTail(t *testing.T, ix *Index, tail *Tail) *Tail {
	t.Helper()
	grown := NewTail()
	for i, d := range tail.added {
		older := d.rec
		other := []byte(`{"text":"Anna ran, 牙科"}`)
		older.Content = [][]byte{[]byte("null"), other, d.rec.Content}[i%3]
		grown.Add(older)
		if i%10 == 9 {
			if _, err := Search(nil, grown, Words("dentist"), Options{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, d := range tail.added {
		if i%3 < 2 {
			grown.Add(d.rec)
		}
		if i%10 == 9 {
			if _, err := Search(ix, grown, Words("running 牙科 config"), Options{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return grown
}

func hitsOf(t *testing.T, m *model, ix *Index, tail *Tail, q *Query, opt Options) []Hit {
	t.Helper()
	res, err := m.search(ix, tail, q, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range res.Hits {
		parts, err := res.Explain(i)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, p := range parts {
			if p.Name != OrderPart {
				sum += p.Value
			}
		}
		if math.Abs(sum-h.Score) > 1e-9 {
			t.Fatalf("%s: parts %v add up to %v, not %v", h.Key, parts, sum, h.Score)
		}
	}
	return res.Hits
}

// compare allows for rounding: equals may change places.
func compare(t *testing.T, what string, want []bruteHit, got []Hit) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d hits, want %d", what, len(got), len(want))
	}
	for i := range want {
		if math.Abs(want[i].score-got[i].Score) > 1e-9 {
			t.Fatalf("%s: hit %d is %s with %v, want %s with %v",
				what, i, got[i].Key, got[i].Score, want[i].key, want[i].score)
		}
		isAlone := func(k int) bool {
			return k < 0 || k == len(want) || math.Abs(want[k].score-want[i].score) > 1e-9 ||
				math.Abs(want[k].by-want[i].by) > 1e-9
		}
		if want[i].key != got[i].Key && isAlone(i+1) && isAlone(i-1) && len(want) > 3 {
			t.Fatalf("%s: hit %d is %s, want %s", what, i, got[i].Key, want[i].key)
		}
	}
}
