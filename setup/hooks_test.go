package setup

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

var claude = Ask{Client: Named("claude-code"), Program: "mem", Guidance: "# Memory\n"}

func asked(client string) Ask {
	return Ask{Client: Named(client), Program: "mem", Guidance: "# Memory\n"}
}

// kinds are the three forms of a settings file.
var kinds = map[string]hooks{"claude-code": claudeHooks, "codex": codexHooks, "gemini": geminiHooks, "vscode": vscodeHooks}

const foreign = `{"type": "command", "command": "/opt/audit", "timeout": 10}`

func TestAddWritesInTheStyleOfTheFile(t *testing.T) {
	one := hooks{exec: true, want: []hook{{"SessionStart", "", 5}}}
	for _, c := range []struct{ name, text, want string }{
		{"no file", "", `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "mem",
            "args": ["hook", "claude-code"],
            "timeout": 5
          }
        ]
      }
    ]
  }
}
`},
		{"tabs, a comment at the end of the last line", "{\n\t\"a\": 1 // one\n}\n", "{\n\t\"a\": 1, // one\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n" +
			"\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"mem\",\n\t\t\t\t\t\t\"args\": [\"hook\", \"claude-code\"],\n\t\t\t\t\t\t\"timeout\": 5\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}\n"},
		{"one line", `{"a":1}`, `{"a":1, "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mem", "args": ["hook", "claude-code"], "timeout": 5}]}]}}`},
		{"a trailing comma", `{"hooks":{"SessionStart":[{"hooks":[],},],},}`,
			`{"hooks":{"SessionStart":[{"hooks":[],}, {"hooks": [{"type": "command", "command": "mem", "args": ["hook", "claude-code"], "timeout": 5}]},],},}`},
		{"of two members of one name the later one counts", `{"hooks":{"x":1},"hooks":{"SessionStart":[` + foreign + `]}}`,
			`{"hooks":{"x":1},"hooks":{"SessionStart":[` + foreign + `, {"hooks": [{"type": "command", "command": "mem", "args": ["hook", "claude-code"], "timeout": 5}]}]}}`},
	} {
		got, err := one.add([]byte(c.text), claude)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
	}
}

// A handler of ours is told by what it runs, wherever mem lies and whatever flags it has, and made to run what it should. What a person
// chose for it, and every other handler, stays.
func TestAddCorrectsWhatIsOurs(t *testing.T) {
	one := hooks{exec: true, want: []hook{{"SessionStart", "", 5}}}
	moved := Ask{Client: Named("claude-code"), Program: "/new/mem", Flags: []string{"--root", "/m"}}
	now := `{"type":"command","command":"/new/mem","args":["hook", "claude-code", "--root", "/m"],"timeout":9}`
	for was, want := range map[string]string{
		`{"type":"command","command":"/old/mem","args":["hook","claude-code"],"timeout":9}`: now,
		`{"type":"command","command":"C:\\bin\\mem.exe","args":["hook"],"timeout":9}`:       now,
		`{"type":"command","command":"mem","args":["--root","hook","hook"],"timeout":9}`:    now,
		`{"command":"mem --root=/x hook claude-code","timeout":9}`:                          `{"type": "command", "command": "/new/mem", "args": ["hook", "claude-code", "--root", "/m"], "timeout": 9}`,
	} {
		for _, around := range []string{`[%]`, `[` + foreign + `,%]`, `[%,` + foreign + `]`, `[` + foreign + `, % ,` + foreign + `]`} {
			text := `{"hooks":{"SessionStart":[{"matcher":"startup","hooks":` + around + `}]}}`
			got, err := one.add([]byte(strings.Replace(text, "%", was, 1)), moved)
			if err != nil || string(got) != strings.Replace(text, "%", want, 1) {
				t.Errorf("%v\n got %s\nwant %s", err, got, strings.Replace(text, "%", want, 1))
			}
		}
	}
}

func TestAddLeavesOneOfTwo(t *testing.T) {
	one := hooks{want: []hook{{"SessionStart", "", 5}}}
	mine := `{"type":"command","command":"mem hook codex"}`
	text := `{"hooks":{"SessionStart":[{"hooks":[` + mine + `]}, {"hooks":[` + foreign + `, ` + mine + `]}, {"hooks":[` + mine + `]}]}}`
	want := `{"hooks":{"SessionStart":[{"hooks":[` + mine + `]}, {"hooks":[` + foreign + `]}]}}`
	got, err := one.add([]byte(text), asked("codex"))
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

// Neighbours in the same group stay, and so does what a person wrote around ours since.
func TestStripLeavesNeighbours(t *testing.T) {
	mine := `{"type":"command","command":"/old/mem hook codex --root /x"}`
	for text, want := range map[string]string{
		`{"hooks":{"SessionStart":[{"matcher":"startup","hooks":[` + foreign + `, ` + mine + `, ` + foreign + `]}]}}`: `{"hooks":{"SessionStart":[{"matcher":"startup","hooks":[` + foreign + `, ` + foreign + `]}]}}`,
		`{"hooks":{"SessionStart":[{"hooks":[` + mine + `,` + foreign + `,]}]}}`:                                      `{"hooks":{"SessionStart":[{"hooks":[` + foreign + `,]}]}}`,
		`{"hooks":{"Stop":[{"hooks":[` + mine + `]}],"SessionStart":[{"hooks":[` + foreign + `]}]}}`:                  `{"hooks":{"SessionStart":[{"hooks":[` + foreign + `]}]}}`,
		"{\"hooks\":{ // keep\n\"Stop\":[{\"hooks\":[" + mine + "]}]}}":                                               "{\"hooks\":{ // keep\n}}",
		"{\"a\":1, // one\n\"hooks\":{\"Stop\":[" + mine + ",{\"hooks\":[" + mine + "]}]}}":                           "{\"a\":1, // one\n\"hooks\":{\"Stop\":[" + mine + "]}}", // no group: not ours to touch
	} {
		got, err := codexHooks.strip([]byte(text), nil)
		if err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
}

func TestWhatIsNotOurs(t *testing.T) {
	for line, want := range map[string]bool{
		"mem hook codex": true, "/usr/bin/mem hook": true, `'/a b/mem' hook codex --root '/x y'`: true, `"C:\Program Files\mem\mem.exe" hook codex`: true,
		`/a\ b/mem hook`: true, "mem -q --root /x hook gemini": true, "MEM hook": true,
		"mem": false, "mem set hook": false, "memo hook": false, "/mem/run hook": false, "echo mem hook": false, "": false, "mem --root hook": false, "mem hooks": false,
	} {
		if got := isOurs(splitWords(line)); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

func TestShellLinesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune(`ab/ '"\$&;牙-`))), 1, 4).Draw(t, "words")
		if got := splitWords(shellLine(words, false)); !slices.Equal(got, words) {
			t.Fatalf("%q came back as %q by %s", words, got, shellLine(words, false))
		}
	})
}

// What is refused is refused by line and column.
func TestRefused(t *testing.T) {
	deepest := strings.Repeat("[", 100_000)
	for text, want := range map[string]string{
		`{"hooks":null}`:                     "line 1, column 10: hooks is null, want an object",
		`{"hooks":"x"}`:                      "line 1, column 10: hooks is a string, want an object",
		"{\n \"hooks\":[]}":                  "line 2, column 10: hooks is a list, want an object",
		`{"hooks":{"SessionStart":null}}`:    "line 1, column 26: hooks.SessionStart is null, want a list",
		"{\"hooks\":{\n\"SessionStart\":{}}": "line 2, column 19: parsing object after value: unexpected EOF",
		`[1]`:                                "line 1, column 1: it is a list, want an object",
		`{"a":1`:                             "line 1, column 7: parsing object after value: unexpected EOF",
		"{\n  \"a\": 1,\n  b: 2\n}":          "line 3, column 3: invalid literal: b",
		"{} {}":                              "line 1, column 4: invalid character '{' after top-level value",
		deepest:                              "nested too deeply",
		"\x00\xff":                           "line 1, column 1: invalid character '\\u0000' at start of value",
	} {
		for name, h := range kinds {
			if _, err := h.add([]byte(text), asked(name)); err == nil || strings.ReplaceAll(err.Error(), h.want[0].event, "SessionStart") != want {
				t.Errorf("%s: %.60q: %v, want %s", name, text, err, want)
			}
		}
	}
}

// strip takes out what add put in, to the byte; a second add changes nothing; and every value that is not ours is what it was.
func TestAddAndStripGiveBackEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"claude-code", "codex", "gemini", "vscode"}).Draw(t, "client")
		h, ask := kinds[name], asked(name)
		x := drawSettings(t)
		y, err := h.add([]byte(x), ask)
		if err != nil {
			t.Fatalf("%v in %s", err, x)
		}
		if again, err := h.add(y, ask); err != nil || string(again) != string(y) {
			t.Fatalf("added twice: %v\n%s\nis not\n%s", err, again, y)
		}
		if back, err := h.strip(y, []byte(x)); err != nil || string(back) != x {
			t.Fatalf("%v\n got %q\nwant %q\nfrom %q", err, back, x, y)
		}
		if got, want := withoutOurs(t, string(y)), withoutOurs(t, x); !reflect.DeepEqual(got, want) {
			t.Fatalf("what is not ours changed\n got %v\nwant %v", got, want)
		}
		for _, want := range h.want {
			if n := strings.Count(string(y), quote(want.event)+": ["); n < 1 && !strings.Contains(x, quote(want.event)) {
				t.Fatalf("no %s in %s", want.event, y)
			}
		}
	})
}

// withoutOurs decodes a text and takes every handler of ours out of what it means, with the containers that are empty, by other code than the edits.
func withoutOurs(t *rapid.T, text string) any {
	std, err := hujson.Standardize([]byte(strings.TrimPrefix(text, "\ufeff")))
	var v map[string]any
	if err == nil {
		err = json.Unmarshal(std, &v)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	events, _ := v["hooks"].(map[string]any)
	for event, list := range events {
		var kept []any
		for _, e := range list.([]any) {
			if e = lessOurs(e); e != nil {
				kept = append(kept, e)
			}
		}
		if events[event] = kept; kept == nil {
			delete(events, event)
		}
	}
	if len(events) == 0 {
		delete(v, "hooks")
	}
	return v
}

func lessOurs(e any) any {
	m, ok := e.(map[string]any)
	if !ok {
		return e
	}
	args, _ := m["args"].([]any)
	if c, _ := m["command"].(string); c == "mem" && args[0] == "hook" || strings.HasPrefix(c, "mem hook") {
		return nil
	}
	list, ok := m["hooks"].([]any)
	if !ok {
		return e
	}
	var kept []any
	for _, h := range list {
		if h = lessOurs(h); h != nil {
			kept = append(kept, h)
		}
	}
	if kept == nil && len(list) > 0 {
		return nil
	}
	m["hooks"] = kept
	return m
}

// drawSettings draws a settings file as people leave them: with comments everywhere, trailing commas, a byte order mark, CRLF, foreign hooks.
func drawSettings(t *rapid.T) string {
	text := gap(t) + drawObject(t, []string{"model", "permissions", "hooks", "env"}, 0) + gap(t)
	if rapid.Bool().Draw(t, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom") + text
}

// gap draws what may stand between two things.
func gap(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", " ", "\n  ", "\n", "\t", " // why, {\n", "/* a */", " /* two\n lines */ ", "\n // x\n // y\n  ", "\n\n"}).Draw(t, "gap")
}

func drawObject(t *rapid.T, names []string, depth int) string {
	var parts []string
	for _, name := range names {
		if rapid.IntRange(0, 2).Draw(t, "has") > 0 {
			parts = append(parts, gap(t)+quote(name)+gap(t)+":"+gap(t)+drawValue(t, name, depth+1)+gap(t))
		}
	}
	return "{" + joined(t, parts) + "}"
}

func drawArray(t *rapid.T, draw func() string) string {
	var parts []string
	for range rapid.IntRange(0, 3).Draw(t, "n") {
		parts = append(parts, gap(t)+draw()+gap(t))
	}
	return "[" + joined(t, parts) + "]"
}

func joined(t *rapid.T, parts []string) string {
	text := strings.Join(parts, ",")
	if len(parts) == 0 {
		return gap(t)
	}
	return text + rapid.SampledFrom([]string{"", ",", "," + gap(t)}).Draw(t, "trailing")
}

func drawValue(t *rapid.T, name string, depth int) string {
	switch {
	case name == "hooks" && depth == 1:
		return drawObject(t, []string{"SessionStart", "PreToolUse", "UserPromptSubmit", "BeforeAgent"}, depth)
	case depth == 2:
		return drawArray(t, func() string { return drawGroup(t) })
	}
	return rapid.SampledFrom([]string{"1.50", `"a\u0041 {"`, "null", "true", `[1,[2]]`, `{"x":{"hooks":null}}`}).Draw(t, "value")
}

func drawGroup(t *rapid.T) string {
	handler := func() string {
		return rapid.SampledFrom([]string{foreign, `{"command":"memo hook"}`, `{ }`, `null`, `"mem hook"`, `{"command":"mem","args":["set"]}`}).Draw(t, "handler")
	}
	if rapid.Bool().Draw(t, "bare") {
		return handler()
	}
	return "{" + gap(t) + `"matcher":"Bash",` + gap(t) + `"hooks":` + drawArray(t, handler) + gap(t) + "}"
}

func FuzzHooks(f *testing.F) {
	for _, text := range []string{"", "{}", `{"hooks":{"SessionStart":[{"hooks":[` + foreign + `]}]}}`, "\ufeff{\r\n\"a\":1, // x\r\n}", `{"hooks":{"SessionStart":[{"hooks":[{"command":"mem hook"}]}]},}`, `{"a":1/**/}//`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, x []byte) {
		for name, h := range kinds {
			y, err := h.add(x, asked(name))
			if err != nil {
				continue
			}
			if again, err := h.add(y, asked(name)); err != nil || string(again) != string(y) {
				t.Fatalf("added twice: %v\n%s\nis not\n%s", err, again, y)
			}
			had := false
			if root, all, err := readHooks(x); err == nil && root.kind == '{' {
				event, _ := h.lastOurs(all)
				had = event >= 0
			}
			if back, err := h.strip(y, x); err != nil || !had && string(back) != string(x) {
				t.Fatalf("%v\n got %q\nwant %q\nfrom %q", err, back, x, y)
			}
		}
	})
}
