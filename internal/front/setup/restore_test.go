package setup

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

// strip removes what add inserted, to the byte; a second add changes nothing; and every value that
// is not ours is what it was.
func TestStripRestoresSettingsByteForByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		client := rapid.SampledFrom(settingsClients).Draw(t, "client")
		h, r := hooksOf(client), requestFor(client)
		x := drawSettings(t)
		y, err := h.add([]byte(x), r)
		if err != nil {
			t.Fatalf("%v in %s", err, x)
		}
		if again, err := h.add(y, r); err != nil || string(again) != string(y) {
			t.Fatalf("added twice: %v\n%s\nis not\n%s", err, again, y)
		}
		if back, err := h.strip(y, []byte(x)); err != nil || string(back) != x {
			t.Fatalf("%v\n got %q\nwant %q\nfrom %q", err, back, x, y)
		}
		got, want := valuesWithoutOurs(t, string(y)), valuesWithoutOurs(t, x)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("what is not ours changed\n got %v\nwant %v", got, want)
		}
		for _, event := range h.Events {
			name := quote(event.Name)
			if !strings.Contains(string(y), name+": [") && !strings.Contains(x, name) {
				t.Fatalf("no %s in %s", name, y)
			}
		}
	})
}

// valuesWithoutOurs decodes a text and drops our handlers and the containers that are empty then.
// It does not use the code that it helps to test.
func valuesWithoutOurs(t *rapid.T, text string) any {
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
			if e = dropOurs(e); e != nil {
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

// dropOurs returns a handler or a group without our handlers, nil if nothing is left of it.
func dropOurs(e any) any {
	m, ok := e.(map[string]any)
	if !ok {
		return e
	}
	command, _ := m["command"].(string)
	args, _ := m["args"].([]any)
	if command == "mem" && args[0] == "hook" || strings.HasPrefix(command, "mem hook") {
		return nil
	}
	list, ok := m["hooks"].([]any)
	if !ok {
		return e
	}
	var kept []any
	for _, h := range list {
		if h = dropOurs(h); h != nil {
			kept = append(kept, h)
		}
	}
	if kept == nil && len(list) > 0 {
		return nil
	}
	m["hooks"] = kept
	return m
}

// drawSettings draws a settings file as people leave them: with comments everywhere, trailing
// commas, a byte order mark, CRLF, hooks of others.
func drawSettings(t *rapid.T) string {
	members := []string{"model", "permissions", "hooks", "env"}
	text := gap(t) + drawObject(t, members, 0) + gap(t)
	if rapid.Bool().Draw(t, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom") + text
}

// gap draws what may stand between two tokens.
func gap(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"", "", "", " ", "\n  ", "\n", "\t", "\n\n",
		" // why, {\n", "/* a */", " /* two\n lines */ ", "\n // x\n // y\n  ",
	}).Draw(t, "gap")
}

func drawObject(t *rapid.T, names []string, depth int) string {
	var parts []string
	for _, name := range names {
		if rapid.IntRange(0, 2).Draw(t, "has") > 0 {
			member := gap(t) + quote(name) + gap(t) + ":" + gap(t)
			parts = append(parts, member+drawValue(t, name, depth+1)+gap(t))
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
		events := []string{"SessionStart", "PreToolUse", "UserPromptSubmit", "BeforeAgent"}
		return drawObject(t, events, depth)
	case depth == 2:
		return drawArray(t, func() string { return drawGroup(t) })
	}
	return rapid.SampledFrom([]string{
		"1.50", `"a\u0041 {"`, "null", "true", `[1,[2]]`, `{"x":{"hooks":null}}`,
	}).Draw(t, "value")
}

func drawGroup(t *rapid.T) string {
	handler := func() string {
		return rapid.SampledFrom([]string{
			foreign, `{"command":"memo hook"}`, `{ }`, `null`, `"mem hook"`,
			`{"command":"mem","args":["set"]}`,
		}).Draw(t, "handler")
	}
	if rapid.Bool().Draw(t, "no group") {
		return handler()
	}
	list := drawArray(t, handler)
	return "{" + gap(t) + `"matcher":"Bash",` + gap(t) + `"hooks":` + list + gap(t) + "}"
}

func FuzzHooks(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"hooks":{"SessionStart":[{"hooks":[` + foreign + `]}]}}`,
		"\ufeff{\r\n\"a\":1, // x\r\n}", `{"a":1/**/}//`,
		`{"hooks":{"SessionStart":[{"hooks":[{"command":"mem hook"}]}]},}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, x []byte) {
		for _, client := range settingsClients {
			h, r := hooksOf(client), requestFor(client)
			y, err := h.add(x, r)
			if err != nil {
				continue
			}
			if again, err := h.add(y, r); err != nil || string(again) != string(y) {
				t.Fatalf("added twice: %v\n%s\nis not\n%s", err, again, y)
			}
			back, err := h.strip(y, x)
			if err != nil || !hasOurs(h, x) && string(back) != string(x) {
				t.Fatalf("%v\n got %q\nwant %q\nfrom %q", err, back, x, y)
			}
		}
	})
}

// hasOurs reports whether a text has a handler of ours already.
func hasOurs(h hooks, text []byte) bool {
	root, all, err := readHooks(text)
	if err != nil || root.kind != '{' {
		return false
	}
	event, _ := h.lastOurs(all)
	return event >= 0
}
