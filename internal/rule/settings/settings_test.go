package settings_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/settings"
	"pgregory.net/rapid"
)

// rows is a table with a row of each kind.
var rows = settings.Table{
	{Name: "version", Want: settings.Text("1.0", "0.9"), Default: `"1.0"`},
	{Name: "storage.max_size_mb", Want: settings.NumberAbove(0), Default: "10"},
	{Name: "storage.auto", Want: settings.Bool(), Default: "true"},
	{Name: "decay.by_type.*.hours", Want: settings.NumberAbove(0), Default: "168"},
	{Name: "decay.by_type.*.on", Want: settings.Bool(), Default: "true"},
	{Name: "decay.least", Want: settings.NumberBetween(0, 1), Default: "0.1"},
	{Name: "limit", Want: settings.Whole(1), Default: "5"},
	{Name: "places", Want: settings.Texts("a list of words", func(s string) bool {
		return !strings.Contains(s, " ")
	})},
	{Name: "label", Want: settings.Text()},
}

// What is wrong with a text is said with its line, the member and the reason.
func TestReadNamesWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"{\n \"storage\": {\n  \"auto\": 1\n }\n}": "line 3: storage.auto: " +
			"want true or false, not 1",
		"{\"storage\":\n{\"max_sise_mb\":1}}": "line 2: storage.max_sise_mb: no such member " +
			"(storage.max_size_mb)",
		`{"storage":{"max_size_mb":0}}`:     "line 1: storage.max_size_mb: want a number above 0, not 0",
		`{"storage":{"max_size_mb":"10"}}`:  `line 1: storage.max_size_mb: want a number above 0, not "10"`,
		`{"storage":{"max_size_mb":1e999}}`: "line 1: storage.max_size_mb: want a number above 0, not 1e999",
		`{"storage":[]}`:                    "line 1: storage: want an object",
		`{"storage":{"auto":{"a":1}}}`:      `line 1: storage.auto: want true or false, not {"a":1}`,
		`{"decay":{"by_type":{"a":1}}}`:     "line 1: decay.by_type.a: want an object",
		`{"decay":{"by_type":{"a":{"our":1}}}}`: "line 1: decay.by_type.a.our: no such member " +
			"(decay.by_type.a.hours)",
		`{"decay":{"least":1.01}}`: "line 1: decay.least: want a number from 0 to 1, not 1.01",
		`{"limit":0}`:              "line 1: limit: want a whole number, 1 or more, not 0",
		`{"limit":1.5}`:            "line 1: limit: want a whole number, 1 or more, not 1.5",
		`{"least":0.5}`:            "line 1: least: no such member (decay.least)",
		`{"zebras":0.5}`:           "line 1: zebras: no such member",
		`{"version":"2.0"}`:        `line 1: version: want 1.0 or 0.9, not "2.0"`,
		`{"label":1}`:              "line 1: label: want a text, not 1",
		`{"label":["` + strings.Repeat("a", 50) + `"]}`: `line 1: label: want a text, not ["` +
			strings.Repeat("a", 38) + "…",
		`{"places":["a b"]}`:          `line 1: places: want a list of words, not ["a b"]`,
		`{"places":[1]}`:              "line 1: places: want a list of words, not [1]",
		`{"places":1}`:                "line 1: places: want a list of words, not 1",
		"[]":                          `line 1: want an object, like {"version":"1.0"}`,
		"{\n\"limit\":1,\n}":          "line 3: not acceptable JSON: ",
		"{\n\"limit\":1\n}\nmore":     "line 4: not acceptable JSON: ",
		"{\"limit\":1,\n\"limit\":2}": "line 2: not acceptable JSON: ",
	} {
		_, err := rows.Read([]byte(text))
		var fault *settings.Fault
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := fault.Error()
		if fault.Near != "" {
			got += " (" + fault.Near + ")"
		}
		if got != want && !(strings.HasSuffix(want, ": ") && strings.HasPrefix(got, want)) {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// What a text says is returned with lines; null says nothing.
func TestReadReturnsWhatIsSaid(t *testing.T) {
	said, err := rows.Read([]byte("\n{ \"limit\" : 7,\n\"decay\": {\"by_type\": {\"a.b\":\n" +
		"{\"on\": false}}, \"least\": null},\n\"places\": [ \"x\" , \"y\" ]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range said {
		got = append(got, fmt.Sprintf("%d %s %s", v.Line, strings.Join(v.Path, "/"), v.Raw))
	}
	want := `2 limit 7; 3 decay {"by_type":{"a.b":{"on":false}},"least":null}; ` +
		`3 decay/by_type {"a.b":{"on":false}}; 3 decay/by_type/a.b {"on":false}; ` +
		`4 decay/by_type/a.b/on false; 5 places ["x","y"]`
	if s := strings.Join(got, "; "); s != want {
		t.Errorf(" got %s\nwant %s", s, want)
	}
	if _, found := said.Get("decay", "least"); found {
		t.Error("null counts as a value")
	}
	if _, found := said.Get("decay", "by_type", "a.b", "on"); !found {
		t.Error("a member was not found")
	}
	for _, empty := range []string{"", " \n", "{}"} {
		if said, err := rows.Read([]byte(empty)); len(said) > 0 || err != nil {
			t.Errorf("%q: %v, %v", empty, said, err)
		}
	}
}

// Names are found, also with dots in what the table leaves open, and else the nearest is named.
func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"limit": "limit", "storage.auto": "storage/auto",
		"decay.by_type.a.hours": "decay/by_type/a/hours",
		"decay.by_type.a.b.on":  "decay/by_type/a.b/on",
		"storage":               "did you mean ", "": "did you mean ",
		"limits": "did you mean limit", "auto": "did you mean storage.auto",
		"storage.atuo": "did you mean storage.auto", "*": "did you mean ",
	} {
		_, path, err := rows.Find(name)
		got := strings.Join(path, "/")
		var fault *settings.Fault
		if errors.As(err, &fault) {
			got = "did you mean " + fault.Near
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// An argument is JSON, and for a text also the text itself.
func TestValue(t *testing.T) {
	for _, c := range []struct{ name, arg, want string }{
		{"limit", " 7 ", "7"}, {"limit", "0", ""}, {"limit", "seven", ""},
		{"limit", "null", "null"},
		{"version", "1.0", `"1.0"`}, {"version", `"1.0"`, `"1.0"`}, {"version", "2", ""},
		{"version", "null", "null"}, {"label", `say "x"`, `"say \"x\""`}, {"label", "", `""`},
		{"label", "true", `"true"`}, {"places", `["a", "b"]`, `["a","b"]`}, {"places", "a", ""},
		{"storage.auto", "yes", ""}, {"storage.auto", "false", "false"},
		{"label", "\xff", `"` + "\xff" + `"`},
	} {
		m, _, err := rows.Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Value(c.arg)
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s %s: %s, %v", c.name, c.arg, got, err)
		}
	}
}

// What changes is one member; all other bytes stay, and a new member is written as its neighbours.
func TestSetKeepsTheRest(t *testing.T) {
	for _, c := range []struct{ text, path, want string }{
		{"", "limit", "{\n  \"limit\": 7\n}\n"},
		{"", "a b c", "{\n  \"a\": {\n    \"b\": {\n      \"c\": 7\n    }\n  }\n}\n"},
		{"{}", "limit", "{\n  \"limit\": 7\n}"},
		{`{"limit": 1 , "x":{"a":[1,{}]}}`, "limit", `{"limit": 7 , "x":{"a":[1,{}]}}`},
		{`{"x":1}`, "a b", `{"x":1,"a":{"b":7}}`},
		{`{"x": 1}`, "a", `{"x": 1, "a": 7}`},
		{`{"x": 1, "y": 2}`, "a", `{"x": 1, "y": 2, "a": 7}`},
		{"{\n\t\"x\" : {\n\t\t\"y\" : 1\n\t}\n}", "x z",
			"{\n\t\"x\" : {\n\t\t\"y\" : 1,\n\t\t\"z\" : 7\n\t}\n}"},
		{"{\r\n \"x\": 1\r\n}", "y", "{\r\n \"x\": 1,\r\n \"y\": 7\r\n}"},
		{`{"a":null}`, "a b", "{\"a\":{\n  \"b\": 7\n}}"},
		{"{\n  \"a\": {}\n}", "a b", "{\n  \"a\": {\n    \"b\": 7\n  }\n}"},
	} {
		got, err := settings.Set([]byte(c.text), strings.Fields(c.path), []byte("7"))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"{\n\"a\":1}": "line 2: a: want an object", "[1]": `line 1: want an object, like {"version":"1.0"}`,
	} {
		if _, err := settings.Set([]byte(text), []string{"a", "b"}, []byte("7")); err == nil ||
			err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is removed takes the objects along that it leaves empty, and nothing else.
func TestRemove(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{`{"a":1}`, "a", "{}"}, {`{"a":1}`, "b", `{"a":1}`}, {"", "a", ""},
		{`{"a":1, "b":2, "c":3}`, "a", `{"b":2, "c":3}`},
		{`{"a":1, "b":2, "c":3}`, "b", `{"a":1, "c":3}`},
		{`{"a":1, "b":2, "c":3 }`, "c", `{"a":1, "b":2 }`},
		{`{"a":{"b":{"c":1}},"d":2}`, "a.b.c", `{"d":2}`},
		{`{"a":{"b":{"c":1,"x":1}},"d":2}`, "a.b.c", `{"a":{"b":{"x":1}},"d":2}`},
		{`{"a":{"b":{"c":1},"x":1},"d":2}`, "a.b.c", `{"a":{"x":1},"d":2}`},
		{`{"a":{"b":{"c":1},"x":1},"d":2}`, "a", `{"d":2}`},
		{`{"a.b":1,"a":{"b":2},"c":3}`, "a.b", `{"a":{"b":2},"c":3}`},
		{`{"a":{"b":1,"c":2}}`, "a.d", `{"a":{"b":1,"c":2}}`},
	} {
		got, err := settings.Remove([]byte(c.text), c.name)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s: %s, %v, want %s", c.text, c.name, got, err, c.want)
		}
	}
	if _, err := settings.Remove([]byte("{"), "a"); err == nil {
		t.Error("no JSON, and no error")
	}
}

// drawn draws an object without empty ones, as somebody may have spelled it.
func drawn(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", " ", "\n", "\n\t ", "\r\n"})
	var text strings.Builder
	text.WriteByte('{')
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "a.b", "é", `q\"`}), 1, 4,
		rapid.ID).Draw(t, "names")
	for i, name := range names {
		if i > 0 {
			text.WriteString("," + space.Draw(t, "space"))
		}
		value := rapid.SampledFrom([]string{"1", `"x,}"`, "[ {} ]", "true"}).Draw(t, "value")
		if depth > 0 && rapid.Bool().Draw(t, "deeper") {
			value = drawn(t, depth-1)
		}
		text.WriteString(space.Draw(t, "space") + `"` + name + `"` + space.Draw(t, "space") + ":" +
			space.Draw(t, "space") + value + space.Draw(t, "space"))
	}
	text.WriteByte('}')
	return text.String()
}

// Whatever the spelling: what was set is there and is all that differs, and what was added goes
// without a trace.
func TestSetAndRemove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawn(t, 2)
		path := rapid.SliceOfN(rapid.SampledFrom([]string{"new", "a", "b"}), 1, 4).Draw(t, "path")
		changed, err := settings.Set([]byte(text), path, []byte(`"set"`))
		if err != nil {
			return // something in the way is no object
		}
		var was, now any
		if json.Unmarshal([]byte(text), &was) != nil || json.Unmarshal(changed, &now) != nil {
			t.Fatalf("%s: %s is no JSON", text, changed)
		}
		put(was.(map[string]any), path, "set")
		if a, b := fmt.Sprint(was), fmt.Sprint(now); a != b {
			t.Fatalf("%s: %v: %s, want %s", text, path, b, a)
		}
		if path[0] != "new" {
			return
		}
		back, err := settings.Remove(changed, strings.Join(path, "."))
		if err != nil || string(back) != text {
			t.Fatalf("%q: %v: %q, then %q, %v", text, path, changed, back, err)
		}
	})
}

func put(object map[string]any, path []string, value any) {
	if len(path) == 1 {
		object[path[0]] = value
		return
	}
	next, ok := object[path[0]].(map[string]any)
	if !ok {
		next = map[string]any{}
		object[path[0]] = next
	}
	put(next, path[1:], value)
}

// A change names a type that a record of a session may have; a file may name others, which can be
// taken out.
func TestChangeKnowsTheTypes(t *testing.T) {
	const name = "decay.type_specific.opinion.half_life_hours"
	if _, _, err := settings.Change(nil, name, "5"); err == nil ||
		!strings.Contains(err.Error(), "want conversation, decision, finding or preference") {
		t.Errorf("opinion: %v", err)
	}
	for _, kind := range []string{"conversation", "decision", "finding", "preference"} {
		member := "decay.type_specific." + kind + ".decay_enabled"
		if _, _, err := settings.Change(nil, member, "true"); err != nil {
			t.Error(err)
		}
	}
	old := []byte(`{"decay":{"type_specific":{"opinion":{"half_life_hours":5}}}}`)
	if next, left, err := settings.Change(old, name, "null"); err != nil || left != nil ||
		strings.Contains(string(next), "half_life") {
		t.Errorf("%s, %v, %v", next, left, err)
	}
}
