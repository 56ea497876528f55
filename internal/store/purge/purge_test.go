package purge_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func record(key, content, source string) log.Record {
	e := log.Envelope{Key: keypath.MustParse(key), TS: 1771754400000000, Source: []byte(source),
		Content: []byte(content)}
	return log.Record{Envelope: e, Line: e.Line()}
}

func planOf(keys ...string) *purge.Plan {
	p := &purge.Plan{Horizon: 1771754400000000, Tombstones: true,
		Source: []byte(`{"purged":true}`)}
	for _, key := range keys {
		p.Keys = append(p.Keys, keypath.MustParse(key))
	}
	return p
}

// Every string and number of content and source is found in each spelling; names of members, type
// and kind are nobody's, and what is short is counted.
func TestValues(t *testing.T) {
	v := purge.NewValues()
	v.Add(record("/k", `{"type":"preference","deep":[{"name":"Zoë \"Z\" <b>"}],"n":471108,"x":[7,"ab"],`+
		`"kind":"rarely","b":true}`, `{"kind":"user","name":"slack-42","type":"thread"}`))
	for text, want := range map[string]bool{
		`Zoë "Z" <b>`: true, `x Zoë \"Z\" <b> y`: true, `Zo\u00eb \"Z\" <b>`: true,
		"Zo%C3%AB%20%22Z%22%20%3Cb%3E": true, "Zo%c3%ab%20%22Z%22%20%3cb%3e": true,
		"Zo%C3%AB+%22Z%22+%3Cb%3E": true, url.QueryEscape(`Zoë "Z" <b>`): true,
		"471108": true, "x471108,": true, "1471108": false, "4711080": false,
		"slack-42": true, "thread": true, "rarely": true,
		"preference": false, "user": false, "deep": false, "name": false, "true": false,
		"ab": false, "": false, "Zoë": false,
	} {
		if got := v.FoundIn(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if v.Short() != 2 {
		t.Errorf("%d are too short", v.Short())
	}
}

// The finder finds what a search one by one does.
func TestValuesAreFoundAnywhere(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune(`ab"é%0`)), 0, 8, -1)
	rapid.Check(t, func(rt *rapid.T) {
		v := purge.NewValues()
		var values []string
		for range rapid.IntRange(0, 5).Draw(rt, "values") {
			text := letters.Draw(rt, "value")
			values = append(values, text)
			quoted := fmt.Sprintf("%q", text)
			if strings.Contains(quoted, `\x`) {
				rt.Skip("no JSON")
			}
			v.Add(record("/k", quoted, `"x"`))
		}
		text := letters.Draw(rt, "before") + letters.Draw(rt, "text") + letters.Draw(rt, "after")
		want := false
		for _, value := range values {
			for _, spelled := range []string{value, strings.ReplaceAll(value, `"`, `\"`),
				strings.ReplaceAll(strings.ReplaceAll(value, `"`, `\"`), "é", `\u00e9`),
				url.QueryEscape(value), strings.ToLower(url.QueryEscape(value))} {
				want = want || len(value) >= 4 && strings.Contains(text, spelled)
			}
		}
		if got := v.FoundIn(text); got != want {
			rt.Fatalf("%q in %q: %v, want %v", values, text, got, want)
		}
	})
}

// A plan is read as it was written; what is damaged is no plan.
func TestPlanFile(t *testing.T) {
	dir, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if p, err := purge.Read(dir); p != nil || err != nil {
		t.Errorf("none: %v, %v", p, err)
	}
	p := planOf("/a", "/牙科/x y")
	p.Blobs = []string{"ab", "cd"}
	if err := purge.Write(dir, p); err != nil {
		t.Fatal(err)
	}
	got, err := purge.Read(dir)
	if err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("%+v, %v\nwant %+v", got, err, p)
	}
	text, _ := dir.ReadFile(purge.File, 1<<20)
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 1
		dir.WriteFile(purge.File, damaged)
		if p, err := purge.Read(dir); err == nil && i < len(text)-1 {
			t.Fatalf("byte %d damaged: %+v", i, p)
		}
	}
	if err := purge.Remove(dir); err != nil {
		t.Error(err)
	}
}

// The plan has a fixed form, which later builds read.
func TestPlanText(t *testing.T) {
	dir, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	p := &purge.Plan{Keys: []keypath.Key{keypath.MustParse("/a/é<b>")}, Horizon: 1e6, Lock: 1 << 63,
		Tombstones: true, Source: []byte(`{"name":"<é>\u0041"}`), Blobs: []string{"00"}}
	if err := purge.Write(dir, p); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir.Join(purge.File))
	want := `{"v":1,"horizon":"1970-01-01T00:00:01.000000Z","keys":["/a/é<b>"],"tombstones":true,` +
		`"source":{"name":"<é>\u0041"},"lock":9223372036854775808,"blobs":["00"],` +
		`"checksum":"sha256:`
	if err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("%s, %v, want\n%s", text, err, want)
	}
}

// Earlier builds named the archives that they replaced, with their sizes.
func TestPlanOfAnEarlierBuild(t *testing.T) {
	dir, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	text := log.Seal([]byte(`{"v":1,"horizon":"2026-02-22T10:00:00.000000Z","keys":["/a","/b"],` +
		`"tombstones":true,"source":{"purged":true},"lock":0,"archives":[{"name":` +
		`"archive/x.jsonl","old_size":9,"old_sum":"s","size":1,"sum":"t"}],"blobs":["00"]}`))
	if err := dir.WriteFile(purge.File, append(text, '\n')); err != nil {
		t.Fatal(err)
	}
	p, err := purge.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := planOf("/a", "/b")
	if want.Blobs = []string{"00"}; !reflect.DeepEqual(p.ReplacedArchives(),
		[]string{"archive/x.jsonl"}) {
		t.Errorf("archives: %v", p.ReplacedArchives())
	}
	if p.Archives = nil; !reflect.DeepEqual(p, want) {
		t.Errorf("%+v, want\n%+v", p, want)
	}
}

// A copy has what the file has besides some spans, and they say how much of it lay before a place.
func TestCopy(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringN(0, 9, -1), 0, 9).Draw(rt, "lines")
		var text, want []byte
		var spans []purge.Span
		for _, line := range lines {
			line = strings.ReplaceAll(line, "\n", " ") + "\n"
			if rapid.Bool().Draw(rt, "goes") {
				spans = append(spans, purge.Span{Off: int64(len(text)), Len: int64(len(line))})
			} else {
				want = append(want, line...)
			}
			text = append(text, line...)
		}
		var rest bytes.Buffer
		src, size := bytes.NewReader(text), int64(len(text))
		if err := purge.Copy(&rest, src, size, spans); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(rest.Bytes(), want) || size-purge.Before(spans, size) != int64(len(want)) {
			rt.Fatalf("%q without %v: %q, want %q", text, spans, rest.Bytes(), want)
		}
	})
}

// Lines of the keys go, up to the horizon; damaged ones by the key that they had before one bit
// flipped, or show, or by a value.
func TestLines(t *testing.T) {
	p := planOf("/k")
	late := record("/k", `"late"`, `"x"`)
	late.TS++
	mark := log.Envelope{Key: keypath.MustParse("/k"), TS: p.Horizon, Source: p.Source,
		Content: []byte("null")}
	v := purge.NewValues()
	text := ""
	var want []string
	add := func(line string, goes bool) {
		text += line + "\n"
		if goes {
			want = append(want, line)
		}
	}
	add(string(record("/k", `"zanzibar"`, `"x"`).Line), true)
	add(string(record("/kk", `"zanzibar"`, `"x"`).Line), false)
	add(`{"ts":"2026-02-22T09:00:00Z","source":"x","content":"by hand","key":"\u002fk"}`, true)
	add(`{"key":"/k","ts":"2026-`, true)
	add(`{"key":"/other","ts":"2026- zanzibar`, false)
	add(strings.Replace(string(record("/k", `"lamu"`, `"x"`).Line), "/k", "/o", 1), true)
	add(strings.Replace(string(record("/o", `"lamu"`, `"x"`).Line), "/o", "/k", 1), false)
	add(`xx zanzibar`, true)
	add(`xx mombasa`, false)
	add(string(late.Envelope.Line()), false)
	add(string(mark.Line()), false)
	spans, doubts, err := p.Lines(strings.NewReader(text), "log.jsonl", v.Add)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range purge.AddDoubtful(spans, doubts, v) {
		got = append(got, strings.TrimSpace(text[s.Off:s.Off+s.Len]))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want\n%q", got, want)
	}
	if p.Tombstones = false; !p.Takes(log.Record{Envelope: mark}) {
		t.Error("the tombstone should go")
	}
}

func TestScrub(t *testing.T) {
	p := planOf("/k")
	v := purge.NewValues()
	v.Add(record("/k", `"zanzibar"`, `"source"`))
	own, other := string(record("/k", `"zanzibar"`, `"x"`).Line), string(record("/o", `"zanzibar"`, `"x"`).Line)
	indented, _ := log.Indent([]byte(own))
	foreign, _ := log.Indent([]byte(other))
	flipped := strings.Replace(own, "/k", "/o", 1)
	flippedOther := strings.Replace(other, "/o", "/k", 1)
	for text, want := range map[string]string{
		own + "\n" + other + "\n":    other + "\n",
		flipped + "\nof another\n":   "of another\n",
		flippedOther:                 flippedOther,
		other + own + "\n":           other + "\n",
		own + "\v" + other + "\n":    other + "\n",
		string(indented):             "",
		string(foreign):              string(foreign),
		"a\nzanzibar\nb":             "a\nb",
		`{"key": "/k", half`:         "",
		"":                           "",
		"nothing of it\n":            "nothing of it\n",
		`{"key":"/o","x":"zanzibar"`: `{"key":"/o","x":"zanzibar"`,
	} {
		kept, changed := p.Scrub([]byte(text), v)
		if string(kept) != want || changed != (text != want) {
			t.Errorf("%q: %q, %v", text, kept, changed)
		}
	}
}

func TestJournal(t *testing.T) {
	p := planOf("/k")
	v := purge.NewValues()
	v.Add(record("/k", `"zanzibar"`, `"mombasa"`))
	for text, want := range map[string]string{
		`{"op":"set","key":"/k","source":"x"}`:                                "",
		`{"op":"set","first":"/k","key":"/o"}`:                                "",
		`{"op":"set","key":"/o","source":"mombasa"}`:                          `{"op":"set","key":"/o","source":"mombasa"}`,
		`{"op":"set","error":"zanzibar"}`:                                     "",
		`{"op":"set","error":"other"}`:                                        `{"op":"set","error":"other"}`,
		`{"memories":[{"key":"/o","ts":1},{"key":"/k","ts":2}],"left_out":0}`: `{"memories":[{"key":"/o","ts":1}],"left_out":0}`,
		`{"renamed":[{"from":"/a","to":"/b","key":"/k"}]}`:                    `{"renamed":[]}`,
		`{"memories":[{"key":"/zanzibar","ts":1}]}`:                           `{"memories":[{"key":"/zanzibar","ts":1}]}`,
		`torn zanzibar`: "",
		`torn`:          `torn`,
	} {
		kept, changed := p.Journal([]byte(text+"\n"), v)
		if strings.TrimSpace(string(kept)) != want || changed != (text != want) {
			t.Errorf("%s\n%s (%v), want\n%s", text, kept, changed, want)
		}
	}
}

// A memory that only names one which goes is told apart from one with its text; one that it names,
// as its successor, is neither.
func TestSearchNames(t *testing.T) {
	p, v := planOf("/kept"), purge.NewValues()
	v.Add(record("/kept", `{"text":"zanzibar","superseded_by":"/next"}`,
		`{"locator":{"key":"/kept"}}`))
	s := purge.NewSearch(p, v)
	for key, content := range map[string]string{
		"/next": `"anew"`, "/ref": `{"references":["/kept"]}`,
		"/both": `{"text":"zanzibar","references":["/kept"]}`,
	} {
		s.Lines(record(key, content, `"x"`).Line, "log.jsonl")
	}
	want := "[{log.jsonl /both false} {log.jsonl /ref true}]"
	if got := fmt.Sprint(s.OtherPlaces()); got != want {
		t.Errorf("others %s, want %s", got, want)
	}
}

// What a line of another key holds belongs to that; what no key owns, or the key still has, is
// left.
func TestSearch(t *testing.T) {
	p := planOf("/k")
	v := purge.NewValues()
	v.Add(record("/k", `{"a":"zanzibar","b":"common"}`, `"x"`))
	var lines []string
	for i := range 5 {
		lines = append(lines, string(record(fmt.Sprint("/c", i), `"common"`, `"x"`).Line))
	}
	lines = append(lines, string(record("/o", `"zanzibar"`, `"x"`).Line))
	for _, c := range []struct {
		line   string
		remain bool
	}{
		{"", false},
		{string(record("/k", `"zanzibar"`, `"x"`).Line), true},
		{string(record("/k", `"new"`, `"x"`).Line), false},
		{`no line, zanzibar`, true},
		{`{"key":"/o","ts": zanzibar`, false},
	} {
		s := purge.NewSearch(p, v)
		text := strings.Join(append(lines, c.line), "\n")
		if err := s.Segment(strings.NewReader(text), "log.jsonl"); err != nil {
			t.Fatal(err)
		}
		s.ResolveUnkeyed()
		if got := len(s.Remains()) > 0; got != c.remain {
			t.Errorf("%q: left %v", c.line, s.Remains())
		}
		if got := fmt.Sprint(s.OtherPlaces()); got != "[{log.jsonl /o false}]" {
			t.Errorf("%q: others %s", c.line, got)
		}
	}
	s := purge.NewSearch(p, v)
	long := string(record("/o", `"`+strings.Repeat("y", 3<<20)+`zanzibar"`, `"x"`).Line)
	err := s.Segment(strings.NewReader(long+"\nzanzibar"), "x")
	if s.ResolveUnkeyed(); err != nil || len(s.OtherPlaces()) != 1 || len(s.Remains()) != 1 {
		t.Errorf("a long line: %v, %v, %v", s.OtherPlaces(), s.Remains(), err)
	}
}

// A memory does not hold another's text because one agent wrote both in one conversation, a
// person approved both that it proposed there, or one verb edited both.
func TestSharedOrigin(t *testing.T) {
	for _, source := range []string{
		`{"kind":"agent","name":"claude-code","locator":{"session":"3f2b9f7e","agent":"adam",` +
			`"project":"shop","url":"https://a.example"}}`,
		`{"kind":"user","name":"mem approve","locator":{"sessions":["3f2b9f7e"]},"given":` +
			`{"kind":"agent","name":"claude-code","class":"request","evidence":["https://a.example"]}}`,
		`{"kind":"user","name":"claude-code","locator":{"channel":"prompt","session":"3f2b9f7e",` +
			`"project":"shop","url":"https://a.example"}}`,
		`{"kind":"user","edited":{"verb":"mem undo","command":"forget"},"url":"https://a.example"}`,
	} {
		p, v := planOf("/k"), purge.NewValues()
		v.Add(record("/k", `"zanzibar"`, source))
		s := purge.NewSearch(p, v)
		other := strings.Replace(source, "a.example", "b.example", 1)
		lines := string(record("/o", `"other"`, other).Line) +
			"\n" + string(record("/u", `"other"`, `"https://a.example"`).Line)
		if err := s.Segment(strings.NewReader(lines), "log.jsonl"); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(s.OtherPlaces()); got != "[{log.jsonl /u false}]" {
			t.Errorf("%s: others %s", source, got)
		}
	}
}

func FuzzScrub(f *testing.F) {
	f.Add([]byte(`{"key":"/k","ts":"2026-02-22T10:00:00.000000Z"}`))
	f.Add([]byte("zanzibar\n{\"key\": \"/k\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		p := planOf("/k")
		v := purge.NewValues()
		v.Add(record("/k", `"zanzibar"`, `"x"`))
		for _, fn := range []func([]byte, *purge.Values) ([]byte, bool){p.Scrub, p.Journal} {
			kept, changed := fn(text, v)
			again, more := fn(kept, v)
			if more || !bytes.Equal(kept, again) || !changed && !bytes.Equal(kept, text) {
				t.Fatalf("%q: %q, then %q", text, kept, again)
			}
		}
	})
}

// A purge of a key that was purged before may have the reason of that one: it was no memory.
func TestReasonAgain(t *testing.T) {
	source := `{"kind":"user","name":"mem forget","reason":"asked to"%s}`
	for member, want := range map[string]bool{"": true, `,"purged":true`: false} {
		v := purge.NewValues()
		v.Add(record("/k", `null`, fmt.Sprintf(source, member)))
		if got := v.MatchFold("Asked to"); got != want {
			t.Errorf("%q: %t, want %t", member, got, want)
		}
	}
}
