package setup

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// saying returns guidance of one text, whoever reads it.
func saying(text string) func([]*Client, string) string {
	return func([]*Client, string) string { return text }
}

func requestFor(client string) Request {
	return Request{Client: ClientByName(client), Program: "mem", Guidance: saying("# Memory\n"),
		More: func(program string) string { return "# More of " + program + "\n" }}
}

func hooksOf(client string) hooks { return hooks{ClientByName(client).Hooks} }

// startHooks returns hooks of one event.
func startHooks(form hookForm) hooks {
	start := Event{Name: SessionStart, Timeout: 5}
	return hooks{Hooks{Form: form, Events: []Event{start}}}
}

// settingsClients are the clients whose hooks stand in a settings file, in every form.
var settingsClients = []string{"claude-code", "codex", "gemini", "qwen", "copilot",
	"droid", "vscode"}

// foreign is the handler of another program.
const foreign = `{"type": "command", "command": "/opt/audit", "timeout": 10}`

const inManyLines = `{
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
`

const inOneLine = `{"hooks": [{"type": "command", "command": "mem", ` +
	`"args": ["hook", "claude-code"], "timeout": 5}]}`

func TestAddWritesInTheStyleOfTheFile(t *testing.T) {
	withTabs := strings.ReplaceAll(inManyLines, "  ", "\t")
	for _, c := range []struct{ name, text, want string }{
		{"no file", "", inManyLines},
		{
			"tabs, a comment at the end of the last line",
			"{\n\t\"a\": 1 // one\n}\n",
			"{\n\t\"a\": 1, // one\n" + strings.TrimPrefix(withTabs, "{\n"),
		},
		{
			"one line",
			`{"a":1}`,
			`{"a":1, "hooks": {"SessionStart": [` + inOneLine + `]}}`,
		},
		{
			"a trailing comma",
			`{"hooks":{"SessionStart":[{"hooks":[],},],},}`,
			`{"hooks":{"SessionStart":[{"hooks":[],}, ` + inOneLine + `,],},}`,
		},
		{
			"of two members of one name the later one counts",
			`{"hooks":{"x":1},"hooks":{"SessionStart":[` + foreign + `]}}`,
			`{"hooks":{"x":1},"hooks":{"SessionStart":[` + foreign + `, ` + inOneLine + `]}}`,
		},
	} {
		got, err := startHooks(argsHooks).add([]byte(c.text), requestFor("claude-code"))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
	}
}

// A handler of ours is recognized by what it runs, wherever mem is and whatever flags it has, and
// made to run what it should. What a person chose for it, and every other handler, stays.
func TestAddCorrectsWhatIsOurs(t *testing.T) {
	moved := requestFor("claude-code")
	moved.Program, moved.Flags = "/new/mem", []string{"--root", "/m"}
	const args = `["hook", "claude-code", "--root", "/m"]`
	const now = `{"type":"command","command":"/new/mem","args":` + args + `,"timeout":9}`
	for was, want := range map[string]string{
		`{"type":"command","command":"/old/mem","args":["hook","claude-code"],"timeout":9}`: now,
		`{"type":"command","command":"C:\\bin\\mem.exe","args":["hook"],"timeout":9}`:       now,
		`{"type":"command","command":"mem","args":["--root","hook","hook"],"timeout":9}`:    now,
		`{"command":"mem --root=/x hook claude-code","timeout":9}`: `{"type": "command", ` +
			`"command": "/new/mem", "args": ` + args + `, "timeout": 9}`,
	} {
		for _, around := range []string{
			`%`, foreign + `,%`, `%,` + foreign, foreign + `, % ,` + foreign,
		} {
			text := `{"hooks":{"SessionStart":[{"matcher":"startup","hooks":[` + around + `]}]}}`
			want := strings.Replace(text, "%", want, 1)
			text = strings.Replace(text, "%", was, 1)
			got, err := startHooks(argsHooks).add([]byte(text), moved)
			if err != nil || string(got) != want {
				t.Errorf("%v\n got %s\nwant %s", err, got, want)
			}
		}
	}
}

func TestAddLeavesOneOfTwo(t *testing.T) {
	const ours = `{"hooks":[{"type":"command","command":"mem hook codex"}]}`
	const both = `{"hooks":[` + foreign + `, {"type":"command","command":"mem hook codex"}]}`
	text := `{"hooks":{"SessionStart":[` + ours + `, ` + both + `, ` + ours + `]}}`
	guarded := strings.Replace(ours, "codex", "codex || :", 1)
	want := `{"hooks":{"SessionStart":[` + guarded + `, {"hooks":[` + foreign + `]}]}}`
	got, err := startHooks(lineHooks).add([]byte(text), requestFor("codex"))
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

// Neighbours in the same group stay, and so does what a person wrote around ours since.
func TestStripLeavesNeighbours(t *testing.T) {
	const ours = `{"type":"command","command":"/old/mem hook codex --root /x"}`
	const start = `{"hooks":{"SessionStart":[`
	const otherGroup = `{"hooks":[` + foreign + `]}`
	for _, c := range []struct{ text, want string }{
		{
			start + `{"matcher":"x","hooks":[` + foreign + `, ` + ours + `, ` + foreign + `]}]}}`,
			start + `{"matcher":"x","hooks":[` + foreign + `, ` + foreign + `]}]}}`,
		},
		{
			start + `{"hooks":[` + ours + `,` + foreign + `,]}]}}`,
			start + `{"hooks":[` + foreign + `,]}]}}`,
		},
		{
			`{"hooks":{"Stop":[{"hooks":[` + ours + `]}],"SessionStart":[` + otherGroup + `]}}`,
			start + otherGroup + `]}}`,
		},
		{
			"{\"hooks\":{ // keep\n\"Stop\":[{\"hooks\":[" + ours + "]}]}}",
			"{\"hooks\":{ // keep\n}}",
		},
		{
			// Setup writes no handler without a group for this client.
			"{\"a\":1, // one\n\"hooks\":{\"Stop\":[" + ours + ",{\"hooks\":[" + ours + "]}]}}",
			"{\"a\":1, // one\n\"hooks\":{\"Stop\":[" + ours + "]}}",
		},
	} {
		got, err := hooksOf("codex").strip([]byte(c.text), nil)
		if err != nil || string(got) != c.want {
			t.Errorf("%v\n got %s\nwant %s", err, got, c.want)
		}
	}
}

func TestIsOurs(t *testing.T) {
	for _, line := range []string{
		"mem hook codex", "/usr/bin/mem hook", `'/a b/mem' hook codex --root '/x y'`,
		`"C:\Program Files\mem\mem.exe" hook codex`, `/a\ b/mem hook`,
		"mem -q --root /x hook gemini", "MEM hook",
	} {
		if !isOurs(splitWords(line)) {
			t.Errorf("%s is not ours", line)
		}
	}
	for _, line := range []string{
		"", "mem", "mem set hook", "memo hook", "/mem/run hook", "echo mem hook",
		"mem --root hook", "mem hooks",
	} {
		if isOurs(splitWords(line)) {
			t.Errorf("%s is ours", line)
		}
	}
}

func TestSplitWordsReadsShellLines(t *testing.T) {
	letters := rapid.SampledFrom([]rune(`ab/ '"\$&;牙-`))
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(letters), 1, 4).Draw(t, "words")
		line := shellLine(words, false)
		if got := splitWords(line); !slices.Equal(got, words) {
			t.Fatalf("%q came back as %q by %s", words, got, line)
		}
	})
}

// What is refused is refused with line and column.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"hooks":null}`, "1, column 10: hooks is null, want an object"},
		{`{"hooks":"x"}`, "1, column 10: hooks is a string, want an object"},
		{"{\n \"hooks\":[]}", "2, column 10: hooks is a list, want an object"},
		{
			`{"hooks":{"SessionStart":null}}`,
			"1, column 26: hooks.SessionStart is null, want a list",
		},
		{
			"{\"hooks\":{\n\"SessionStart\":{}}",
			"2, column 19: parsing object after value: unexpected EOF",
		},
		{`[1]`, "1, column 1: it is a list, want an object"},
		{`{"a":1`, "1, column 7: parsing object after value: unexpected EOF"},
		{"{\n  \"a\": 1,\n  b: 2\n}", "3, column 3: invalid literal: b"},
		{"{} {}", "1, column 4: invalid character '{' after top-level value"},
		{"\x00\xff", `1, column 1: invalid character '\u0000' at start of value`},
	} {
		wantRefused(t, c.text, "line "+c.want)
	}
	wantRefused(t, strings.Repeat("[", 100_000), "nested too deeply")
}

// wantRefused adds hooks of every form to a text, which must fail.
func wantRefused(t *testing.T, text, want string) {
	t.Helper()
	for _, client := range settingsClients {
		_, err := hooksOf(client).add([]byte(text), requestFor(client))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %.60q: %v, want %s", client, text, err, want)
		}
	}
}
