package foreign_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/keypath"
	"pgregory.net/rapid"
)

// read reads a graph line by line and stops at the first fault.
func read(text []byte) (*foreign.Graph, error) {
	g := foreign.NewGraph()
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := g.Add(n, line); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func lines(g *foreign.Graph) string {
	var out strings.Builder
	for line := range g.Lines() {
		out.Write(line)
	}
	return out.String()
}

// stored is the graph after a stay in a store; two names under one key would show as something
// missing.
func stored(t interface{ Fatalf(string, ...any) }, g *foreign.Graph) *foreign.Graph {
	held := map[keypath.Key][]byte{}
	for rec, err := range g.Records() {
		if err != nil {
			t.Fatalf("no key for %s: %v", rec.Content, err)
		}
		if _, err := jsontext.Compact(nil, rec.Content); err != nil {
			t.Fatalf("content %s: %v", rec.Content, err)
		}
		if len(rec.Key.String()) > keypath.MaxLen-300 {
			t.Fatalf("no room for a prefix before %s", rec.Key)
		}
		held[rec.Key] = rec.Content
	}
	back := foreign.NewGraph()
	for _, content := range held {
		if !back.AddContent(content) {
			t.Fatalf("%s is of no graph", content)
		}
	}
	return back
}

// A file as the reference server wrote it (2026.8.31), with every kind of name.
func TestGraphOfTheReferenceServer(t *testing.T) {
	text, err := os.ReadFile("testdata/server-memory.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	g, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(strings.Lines(strings.TrimSuffix(string(text), "\n") + "\n"))
	if got := slices.Sorted(strings.Lines(lines(stored(t, g)))); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Names that are easily taken for each other have keys of their own.
func TestEveryNameHasAKeyOfItsOwn(t *testing.T) {
	long := strings.Repeat("牙", 100)
	names := []string{
		"a", "A", "a/b", "a_b", "a//b", "/a", "a/", "", ".", "..", "...", " ", "\x00", "\n", "a\nb",
		"a b", "\u202e", "\u2028", "e\u0301", "é", "\u0344", "\u0308\u0301",
		strings.Repeat("a", 200), strings.Repeat("a", 201), long, long + "x",
		strings.Repeat("\u0301", 50), "a" + strings.Repeat("\u0301", 50), "con", "~", "%",
		"x~0123456789abcdef", "x~0123456789abcdef0123",
	}
	seen := map[string]string{}
	for _, name := range names {
		g := foreign.NewGraph()
		line := append(jsontext.AppendString([]byte(`{"type":"entity","name":`), name), '}')
		if err := g.Add(1, line); err != nil {
			t.Fatal(err)
		}
		for rec, err := range g.Records() {
			key := rec.Key.String()
			if err != nil || strings.Count(key, "/") != 3 {
				t.Errorf("%q: key %q, %v", name, key, err)
			}
			if other, taken := seen[key]; taken {
				t.Errorf("%q and %q share %s", name, other, key)
			}
			seen[key] = name
			if !strings.Contains(string(rec.Content),
				`"name":`+string(jsontext.AppendString(nil, name))) {
				t.Errorf("%q is not in %s", name, rec.Content)
			}
			// Who chooses as a name what another name's key ends in does not get that key.
			at := strings.LastIndexByte(key, '/')
			if key[at+1:] != name {
				names = append(names[:len(names):len(names)], key[at+1:])
			}
		}
	}
	for _, name := range names {
		g, _ := read(append(jsontext.AppendString([]byte(`{"type":"entity","name":`), name), '}'))
		for rec := range g.Records() {
			if other := seen[rec.Key.String()]; other != "" && other != name {
				t.Errorf("%q takes the key of %q", name, other)
			}
		}
	}
}

// Two entities of one name are one, as the reference server finds them.
func TestEntitiesOfOneName(t *testing.T) {
	g, err := read([]byte(
		`{"type":"entity","name":"a","entityType":"first","observations":["x","x","y"]}
{"type":"entity","name":"a","entityType":"second","observations":["y","z","z"]}
{"type":"relation","from":"a","to":"a","relationType":"r"}
{"type":"relation","relationType":"r","to":"a","from":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"entity","name":"a","entityType":"first","observations":["x","x","y","z"]}
{"type":"relation","from":"a","to":"a","relationType":"r"}
`
	if got := lines(g); got != want {
		t.Errorf("got %s", got)
	}
}

func TestGraphRefuses(t *testing.T) {
	for _, line := range []string{
		`[]`, `"x"`, `7`, `{}`, `{"type":"other"}`, `{"type":7}`, `{"type":"entity"}`,
		`{"type":"entity","name":null}`, `{"type":"entity","name":"a","entityType":{}}`,
		`{"type":"entity","name":"a","observations":{}}`,
		`{"type":"entity","name":"a","observations":[1]}`,
		`{"type":"relation","from":"a","to":"b"}`,
		`{"type":"relation","from":"a","relationType":"b"}`,
		`{"type":"relation","to":"a","relationType":"b"}`,
		`{"type":"relation","from":1,"to":"a","relationType":"b"}`,
	} {
		g := foreign.NewGraph()
		if err := g.Add(1, []byte(line)); !errors.Is(err, foreign.ErrFormat) {
			t.Errorf("%s: %v", line, err)
		}
		if lines(g) != "" || g.AddContent([]byte(line)) {
			t.Errorf("%s left something in the graph", line)
		}
	}
	for _, line := range []string{`{`, ``, `{"type":"entity","name":"a","name":"b"}`,
		`{"type":"entity","name":"\ud800"}`} {
		if err := foreign.NewGraph().Add(1, []byte(line)); !errors.Is(err, jsontext.ErrJSON) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestCovers(t *testing.T) {
	have, err := read([]byte(`{"type":"entity","name":"a","entityType":"t","observations":["x","y"]}
{"type":"relation","from":"a","to":"b","relationType":"r"}`))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{
		``: true,
		`{"type":"entity","name":"a","entityType":"t","observations":["y"]}`: true,
		`{"type":"entity","name":"a","entityType":"t","observations":["z"]}`: false,
		`{"type":"entity","name":"a","entityType":"u","observations":[]}`:    false,
		`{"type":"entity","name":"b","entityType":"t","observations":[]}`:    false,
		`{"type":"relation","from":"a","to":"b","relationType":"r"}`:         true,
		`{"type":"relation","from":"b","to":"a","relationType":"r"}`:         false,
	} {
		other, err := read([]byte(line))
		if err != nil || have.Covers(other) != want {
			t.Errorf("%s: %v, want %v (%v)", line, !want, want, err)
		}
	}
}

func TestDetect(t *testing.T) {
	for line, want := range map[string]foreign.Format{
		`{"type":"entity","name":"a"}`:   foreign.MCP,
		`{"from":"a","type":"relation"}`: foreign.MCP, ``: foreign.JSONL,
		`no JSON`: foreign.JSONL, `[]`: foreign.JSONL,
		`{"key":"/a","type":"entity"}`:             foreign.JSONL,
		`{"key":"/a","content":{"type":"entity"}}`: foreign.JSONL,
		`{"type":"note"}`:                          foreign.JSONL,
	} {
		if got := foreign.Detect([]byte(line)); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// name draws what a name may be, mostly what is awkward.
var name = rapid.OneOf(rapid.String(),
	rapid.SampledFrom([]string{"a", "b", "a/b", "..", "", "é", "e\u0301", "\x00", "牙科",
		"x~0123456789abcdef0123"}), rapid.StringN(190, 210, 800))

// What a graph says survives the store and the way out, however its names look.
func TestGraphComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			text = append(append(text, drawLine(t)...), '\n')
		}
		g, err := read(text)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		want := lines(g)
		if got := lines(stored(t, g)); got != want {
			t.Fatalf("stored and back:\n%s\nwant\n%s", got, want)
		}
		again, err := read([]byte(want))
		if err != nil || lines(again) != want {
			t.Fatalf("read again (%v):\n%s\nwant\n%s", err, lines(again), want)
		}
		if !g.Covers(again) || !again.Covers(g) {
			t.Fatal("a graph does not cover itself")
		}
	})
}

func drawLine(t *rapid.T) []byte {
	if rapid.Bool().Draw(t, "relation") {
		line := jsontext.AppendString([]byte(`{"type":"relation","from":`), name.Draw(t, "from"))
		line = jsontext.AppendString(append(line, `,"to":`...), name.Draw(t, "to"))
		return append(jsontext.AppendString(append(line, `,"relationType":`...),
			name.Draw(t, "kind")), '}')
	}
	line := jsontext.AppendString([]byte(`{"type":"entity","name":`), name.Draw(t, "name"))
	line = append(jsontext.AppendString(append(line, `,"entityType":`...), name.Draw(t, "kind")),
		`,"observations":[`...)
	for i := range rapid.IntRange(0, 3).Draw(t, "observations") {
		if i > 0 {
			line = append(line, ',')
		}
		line = jsontext.AppendString(line, name.Draw(t, "observation"))
	}
	return append(line, "]}"...)
}

func FuzzGraph(f *testing.F) {
	text, err := os.ReadFile("testdata/server-memory.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"type":"entity","id":"a","name":"b","entity_type":"c"}` + "\n" +
		`{"type":"relation","from_id":"a","to_id":"b","relation_type":"c"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := read(text)
		if err != nil {
			if !errors.Is(err, jsontext.ErrJSON) && !errors.Is(err, foreign.ErrFormat) {
				t.Fatalf("%v", err)
			}
			return
		}
		if want, got := lines(g), lines(stored(t, g)); got != want || !utf8.ValidString(got) {
			t.Fatalf("%q becomes\n%s\nwant\n%s", text, got, want)
		}
	})
}
