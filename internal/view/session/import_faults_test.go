package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
)

// example is a store with two entries, and its export in lines.
func example(t *testing.T) (f *fixture, lines []string) {
	f = &fixture{Store: storetest.NewStore(t, storetest.Memory)}
	o := session.CreateOptions{ID: "s1", User: "ada"}
	id, err := session.Create(ctx, f.Store.Store, none, o)
	f.Must(err)
	f.id = id
	f.remember(session.Record{Type: "decision", Text: "JSONL", Rationale: "grep",
		Alternatives: []string{"SQL"}, Tags: []string{"storage"}, References: []string{"/user/a"}})
	f.Clock = f.Clock.Add(time.Second) // by which ids are sorted
	f.remember(session.Record{Text: "hello"})
	text := export(f.Store, session.ExportOptions{Format: session.JSONL})
	return f, strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// A change of any member but decay_factor is found by the checksum, and only that entry is left
// out.
func TestChecksum(t *testing.T) {
	_, lines := example(t)
	for name, change := range map[string][2]string{
		"id": {`"mem_0`, `"mem_1`}, "session": {`"s1"`, `"s2"`}, "time": {`"2026-`, `"2025-`},
		"type": {`"type":"decision"`, `"type":"finding"`}, "text": {`JSONL`, `jsonl`},
		"nested": {`["SQL"]`, `["SQL","x"]`}, "new": {`{"role"`, `{"a":1,"role"`},
		"importance": {`"importance":0.5`, `"importance":0.50`}, "tags": {`["storage"]`, `[]`},
		"references": {`/user/a`, `/user/b`}, "version": {`"schema_version":1`, `"schema_version":2`},
		"gone": {`,"schema_version":1`, ``}, "other": {`{"id"`, `{"x":1,"id"`},
		"sum": {`sha256:`, `sha256:0`}, "null": {`"checksum":"`, `"checksum":null,"x":"`},
		"nested name": {`"rationale"`, `"rational"`},
	} {
		changed := strings.Replace(lines[1], change[0], change[1], 1)
		if changed == lines[1] {
			t.Fatalf("%s: nothing changed in %s", name, changed)
		}
		to := storetest.NewStore(t, storetest.Memory)
		rep, err := importInto(to, lines[0]+"\n"+changed+"\n"+lines[2], session.ImportOptions{})
		if !errors.Is(err, session.ErrChecksum) || mem.KindOf(err) != mem.KindNo ||
			rep.Damaged != 1 || rep.New != 1 ||
			!strings.Contains(err.Error(), "standard input:2: mem_") {
			t.Errorf("%s: %+v %v", name, rep, err)
		}
	}
	for name, same := range map[string]string{
		"decay": strings.Replace(lines[1], `"decay_factor":1`, `"decay_factor":0.3`, 1),
		"order": `{"schema_version":1,` + strings.Replace(lines[1][1:], `"schema_version":1,`, ``, 1),
		"space": strings.ReplaceAll(lines[1], `":`, `" : `),
		"none":  without(`,"checksum":"[^"]*"`, lines[1]),
		"text":  strings.Replace(lines[1], `JSONL`, `J\u0053ONL`, 1),
	} {
		to := storetest.NewStore(t, storetest.Memory)
		if rep, err := importInto(to, same, session.ImportOptions{}); err != nil || rep.New != 1 {
			t.Errorf("%s: %+v %v", name, rep, err)
		}
	}
}

// good is an entry by hand.
const good = `{"id":"mem_01ARZ3NDEKTSV4RRFFQ69G5FAV","session_id":"s1","timestamp":"2026-01-10","type":` +
	`"finding","content":{"finding":"good"}}`

// Every fault is named with its place, and then nothing is written; what is good can be.
func TestFaults(t *testing.T) {
	_, lines := example(t)
	entry := without(`,"checksum":"[^"]*"`, lines[1])
	id := regexp.MustCompile(`mem_\w{26}`).FindString(entry)
	for _, c := range []struct{ from, to, want string }{
		{`"type":"decision"`, `"type":"idea"`, `type "idea": want conversation, decision`},
		{`"type":"decision",`, ``, `type "": want`},
		{id, "mem_1", `id "mem_1": want mem_ and the 26`},
		{`"s1"`, `"s2"`, `session_id "s2": it stands among the entries of s1`},
		{`["storage"]`, `["a b"]`, `tag "a b": `}, {`["storage"]`, `"a"`, `tags: want an array`},
		{`["storage"]`, `[1]`, `tags: want an array`}, {`["/user/a"]`, `["a b"]`, `reference "a b"`},
		{`:0.5`, `:1.5`, `importance: want`}, {`:0.5`, `:-0.1`, `importance: want`},
		{`:0.5`, `:"0.5"`, `importance: want`}, {`:0.5`, `:null`, `importance: want`},
		{`"2026-`, `"x2026-`, `timestamp: want`},
		{`"role"`, `"tags"`, `content.tags: it stands beside`},
		{`"schema_version":1`, `"schema_version":-1`, `schema_version: want`},
		{`{"id"`, `{"extra":1,"id"`, `"extra": there is no such member`},
		{`"JSONL"`, `"` + strings.Repeat("x", session.MaxContent) + `"`, `content: too large: 1000`},
		{`"JSONL"`, `"password=hunter2hunter2Xq9!zT7w"`, `secret`},
		{`"tags":`, `"tags":["a"],"tags":`, `JSON: `}, {entry, entry[:100], `JSON: `},
		{entry, `[1]`, `want an object`},
	} {
		bad := strings.Replace(entry, c.from, c.to, 1)
		text := lines[0] + "\n" + good + "\n" + bad
		to := storetest.NewStore(t, storetest.Memory)
		_, err := importInto(to, text, session.ImportOptions{})
		var batch *mem.BatchError
		if !errors.As(err, &batch) || !strings.HasPrefix(err.Error(), "standard input:3: ") ||
			!strings.Contains(err.Error(), c.want) || to.Made() {
			t.Errorf("%s: %.200v, made %v", c.to[:min(len(c.to), 80)], err, to.Made())
		}
		rep, err := importInto(to, text, session.ImportOptions{KeepGoing: true})
		if err == nil || rep.New != 1 || rep.Refused != 1 {
			t.Errorf("%.80s goes on: %+v %.200v", c.to, rep, err)
		}
	}
}

// What is wrong around the entries is named by its place.
func TestFaultsOfShape(t *testing.T) {
	f, _ := example(t)
	for name, text := range map[string]string{
		`sessions[0].entries[1]: id`: `{"sessions":[{"metadata":{"session_id":"s1"},"entries":[` + good +
			`,{"id":5}]}]}`,
		`session_id "s/1": want`:              strings.Replace(good, `"s1"`, `"s/1"`, 1),
		`metadata: session ""`:                `{"metadata":{},"entries":[]}`,
		`metadata: session config`:            `{"metadata":{"session_id":"a","decay_config":{"enabled":1}}}`,
		`metadata: closed_at: want`:           `{"metadata":{"session_id":"a","closed_at":"x"}}`,
		`metadata: type: want`:                `{"metadata":{"session_id":"a","type":"x"}}`,
		`metadata: user_id: want`:             `{"metadata":{"session_id":"a","user_id":1}}`,
		`of a newer mem`:                      `{"metadata":{"session_id":"a","version":2}}`,
		`metadata: bad input: want an object`: `{"metadata":1,"entries":[]}`,
		`entries: bad input: want an array`:   `{"metadata":{"session_id":"a"},"entries":1}`,
		`sessions: bad input: want an array`:  `{"sessions":1}`,
		`"more": there is no such member`:     `{"sessions":[],"more":1}`,
		`sessions[0]: bad input: want`:        `{"sessions":[1]}`,
		`says something else`:                 good + "\n" + strings.Replace(good, "good", "bad", 1),
		`JSON: `:                              `{"metadata":`,
		`this is no json`:                     export(f.Store, session.ExportOptions{Format: session.Markdown}),
	} {
		to := storetest.NewStore(t, storetest.Memory)
		if _, err := importInto(to, text, session.ImportOptions{}); err == nil ||
			!strings.Contains(err.Error(), name) || to.Made() {
			t.Errorf("want %q: %v", name, err)
		}
	}
}

// However an export is laid out, it says the same.
func TestShapes(t *testing.T) {
	f, lines := example(t)
	one := export(f.Store, session.ExportOptions{ID: "s1"})
	var pretty bytes.Buffer
	f.Must(json.Indent(&pretty, []byte(one), "", "  "))
	for name, text := range map[string]string{
		"one": one, "pretty": pretty.String(),
		"crlf": strings.ReplaceAll(pretty.String(), "\n", "\r\n"),
		"mark": "\ufeff" + one, "all": export(f.Store, session.ExportOptions{}),
		"lines": strings.Join(lines, "\r\n"), "blank": "\n\n" + strings.Join(lines, "\n\n") + "\n",
		"twice":    strings.Join(append(lines, lines...), "\n"),
		"entries":  strings.Join(lines[1:], "\n"),
		"sessions": one + one,
	} {
		to := storetest.NewStore(t, storetest.Memory)
		rep, err := importInto(to, text, session.ImportOptions{})
		if err != nil || rep.New != 2 || rep.Sessions != 1 {
			t.Errorf("%s: %+v %v", name, rep, err)
		}
	}
	to := storetest.NewStore(t, storetest.Memory)
	if rep, err := importInto(to, "\n", session.ImportOptions{}); err != nil || to.Made() {
		t.Errorf("nothing: %+v %v", rep, err)
	}
}

// FuzzImport: no text makes the reader panic, and one that is refused leaves nothing.
func FuzzImport(f *testing.F) {
	for _, text := range []string{``, `{}`, `{"metadata":{"session_id":"a"},"entries":[{"id":1}]}`,
		`{"sessions":[{"entries":[{}]}]}`, "{\"metadata\":{}}\n[", `[]`, `{"id":null}`, "\ufeff{", "# x",
		`{"metadata":{"session_id":"a","user_id":"","closed_at":"2026"}}`,
		`{"id":"mem_01ARZ3NDEKTSV4RRFFQ69G5FAV","session_id":"s","timestamp":0,"type":"finding",` +
			`"content":{"a":[[{"b":"\u0000"}]]},"tags":["a"],"importance":1e-7}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := storetest.NewStore(t, storetest.Memory)
		rep, err := importInto(s, text, session.ImportOptions{})
		if err == nil {
			again, err := importInto(s, text, session.ImportOptions{})
			if err != nil || again.New > 0 || again.Unchanged != rep.New {
				t.Errorf("twice: %+v %v", again, err)
			}
			return
		}
		if k := mem.KindOf(err); k == mem.KindBug || k == mem.KindIO {
			t.Errorf("%v: %v", k, err)
		}
		if !errors.Is(err, session.ErrChecksum) && s.Made() {
			t.Error("refused, and yet written")
		}
	})
}
