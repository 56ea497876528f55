package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/session"
	"github.com/set-memory/mem/storetest"
)

func export(s *storetest.Store, o session.ExportOptions) string {
	s.T.Helper()
	var out bytes.Buffer
	_, err := session.Export(ctx, s.Store, none, &out, o)
	s.Must(err)
	return out.String()
}

func importInto(s *storetest.Store, text string, o session.ImportOptions) (
	session.ImportReport, error) {
	return session.Import(ctx, s.Store, none,
		session.Incoming{Path: "-", Stream: strings.NewReader(text)}, o)
}

// fill stores records as this build writes them, and as other hands and builds may have.
func fill(rt *rapid.T, f *fixture) {
	awkward := rapid.SampledFrom([]string{"x", "a\nb\r\n\tc", "\x00\x1f", `"\`, "牙科复诊", "😀\u200d",
		"\u2028\u0085", "</script>", "שלום", "{\"a\":1}", strings.Repeat("long ", 2000)})
	text := rapid.OneOf(awkward, rapid.StringN(1, 40, -1))
	value := rapid.SampledFrom([]string{`1e-7`, `-0`, `0.10`, `1E400`, `12345678901234567890`, `null`,
		`"\u0000"`, `[[],{}]`, `{"b":{"d":1,"c":"\u0001"},"a":[true]}`, `"<é>"`})
	for i := range rapid.IntRange(0, 6).Draw(rt, "records") {
		at := log.StampOf(f.Clock.Add(-time.Duration(rapid.IntRange(0, 3000).Draw(rt, "h")) * time.Hour))
		if rapid.Bool().Draw(rt, "own") {
			r := session.Record{Text: "." + text.Draw(rt, "text"), At: at,
				Type: session.Types[rapid.IntRange(0, 3).Draw(rt, "type")].Type}
			if rapid.Bool().Draw(rt, "tagged") {
				r.Tags, r.References = []string{"été", "v1.0"}, []string{"/user/a", "abc"}
			}
			if _, err := f.try(r); err != nil && !errors.Is(err, policy.ErrSecret) {
				rt.Fatal(err)
			}
			continue
		}
		members := []string{`"type":"finding"`,
			fmt.Sprintf(`"unknown\u0041":%s`, value.Draw(rt, "value"))}
		for _, other := range []string{`"finding":"x"`, `"text":"y"`, `"importance":1.0`,
			`"timestamp":"2026-01-10T12:00:00Z"`, `"created_at":1700000000`, `"schema_version":2`,
			`"tags":["a","b"]`, `"tags_":[]`, `"session_id":"` + f.id + `"`} {
			if rapid.Bool().Draw(rt, other) {
				members = append(members, other)
			}
		}
		f.Put(fmt.Sprintf("/session/%s/mem_01ARZ3NDEKTSV4RRFFQ69G5F%02d", f.id, i),
			"{"+strings.Join(members, ",")+"}")
	}
}

// What an export has of a session that was not compacted is what an import stores: in an empty
// store all that was live, and nothing the second time.
func TestRoundTrip(t *testing.T) { storetest.EachKind(t, testRoundTrip) }

func testRoundTrip(t *testing.T, s *storetest.Store) {
	kind := storetest.Files
	if s.Root == "" {
		kind = storetest.Memory
	}
	rapid.Check(t, func(rt *rapid.T) {
		from := &fixture{Store: storetest.NewStore(t, kind)}
		for range rapid.IntRange(1, 2).Draw(rt, "sessions") {
			id, err := session.Create(ctx, from.Store.Store, none, session.CreateOptions{User: "ada",
				Config: []byte(`{"decay_config":{"half_life_hours":336}}`)})
			from.Must(err)
			from.id = id
			fill(rt, from)
		}
		if rapid.Bool().Draw(rt, "closed") {
			_, err := session.Close(ctx, from.Store.Store, none, from.id)
			from.Must(err)
		}
		o := session.ExportOptions{
			Format: rapid.SampledFrom([]session.Format{session.JSON, session.JSONL}).Draw(rt, "format")}
		text := export(from.Store, o)
		to := storetest.NewStore(t, kind)
		to.Clock = to.Clock.Add(time.Hour)
		rep, err := importInto(to, text, session.ImportOptions{})
		if err != nil || rep.New != len(from.All())-rep.Sessions {
			rt.Fatalf("%+v %v\n%s", rep, err, text)
		}
		sameLive(rt, from.Store, to)
		twice(rt, to, text, rep.New)
		twice(rt, from.Store, text, rep.New)
		again(rt, from.Store, to, storetest.NewStore(t, kind))
	})
}

// again exports what was imported: in the same words, but for what is left of an importance by then,
// and for the version of records of an older one.
func again(rt *rapid.T, from, to, third *storetest.Store) {
	lines := session.ExportOptions{Format: session.JSONL}
	from.Clock, third.Clock = to.Clock, to.Clock
	text := export(to, lines)
	_, err := importInto(third, text, session.ImportOptions{})
	third.Must(err)
	same := func(a, b string) {
		if a != b {
			rt.Errorf("exported again:\n%s\nnot\n%s", b, a)
		}
	}
	same(entryLines(text), entryLines(export(third, lines)))
	same(without(`,"schema_version":1|,"checksum":"[^"]*"`, entryLines(export(from, lines))),
		without(`,"schema_version":1|,"checksum":"[^"]*"`, entryLines(text)))
	third.Clock = third.Clock.Add(1000 * time.Hour)
	same(without(`"decay_factor":[^,]*`, entryLines(text)),
		without(`"decay_factor":[^,]*`, entryLines(export(third, lines))))
}

func without(what, text string) string { return regexp.MustCompile(what).ReplaceAllString(text, "") }

// twice imports what is there.
func twice(rt *rapid.T, s *storetest.Store, text string, n int) {
	before := s.Logged()
	rep, err := importInto(s, text, session.ImportOptions{})
	if err != nil || rep.Unchanged != n || rep.New+rep.Stale+rep.Deleted > 0 ||
		s.Logged() != before {
		rt.Errorf("twice: %+v %v", rep, err)
	}
}

// entryLines returns the lines of entries.
func entryLines(text string) string {
	return without(`(?m)^\{"metadata".*\n`, text)
}

// sameLive compares what is live. What an entry always has, a record of other hands may lack.
func sameLive(rt *rapid.T, from, to *storetest.Store) {
	want, got := from.All(), to.All()
	if a, b := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(a, b) {
		rt.Fatalf("keys %v, want %v", b, a)
	}
	for key, text := range want {
		w, g := decoded(rt, text), decoded(rt, got[key])
		for name, value := range w {
			if !reflect.DeepEqual(g[name], value) && name != "schema_version" {
				rt.Errorf("%s: %s is %v, was %v", key, name, g[name], value)
			}
			delete(g, name)
		}
		for name := range g {
			if !slices.Contains([]string{"session_id", "timestamp", "importance", "schema_version"},
				name) {
				rt.Errorf("%s: %s is new", key, name)
			}
		}
	}
}

// decoded returns the members of an object, numbers as they are spelled.
func decoded(rt *rapid.T, text string) (members map[string]any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		rt.Fatal(err)
	}
	return members
}

// example is a store with two entries, and its export in lines.
func example(t *testing.T) (f *fixture, lines []string) {
	f = &fixture{Store: storetest.NewStore(t, storetest.Memory)}
	id, err := session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "s1", User: "ada"})
	f.Must(err)
	f.id = id
	f.remember(session.Record{Type: "decision", Text: "JSONL", Rationale: "grep",
		Alternatives: []string{"SQL"}, Tags: []string{"storage"}, References: []string{"/user/a"}})
	f.remember(session.Record{Text: "hello"})
	text := export(f.Store, session.ExportOptions{Format: session.JSONL})
	return f, strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// A change of any member but decay_factor is found by the checksum, and only that entry is left out.
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
			rep.Damaged != 1 || rep.New != 1 || !strings.Contains(err.Error(), "standard input:2: mem_") {
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

// Every fault is named with its place, and then nothing is written; what is good can be.
func TestFaults(t *testing.T) {
	f, lines := example(t)
	entry := without(`,"checksum":"[^"]*"`, lines[1])
	good := `{"id":"mem_01ARZ3NDEKTSV4RRFFQ69G5FAV","session_id":"s1","timestamp":"2026-01-10","type":` +
		`"finding","content":{"finding":"good"}}`
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
		"one": one, "pretty": pretty.String(), "crlf": strings.ReplaceAll(pretty.String(), "\n", "\r\n"),
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

// What is stored here counts, and what was deleted here stays deleted.
func TestImportedOver(t *testing.T) { storetest.EachKind(t, testImportedOver) }

func testImportedOver(t *testing.T, s *storetest.Store) {
	_, lines := example(t)
	text := strings.Join(lines, "\n")
	from := strings.Replace(text, `"user_id":"ada"`, `"user_id":"bob","mood":"good"`, 1)
	imported := func(step string, o session.ImportOptions, want session.ImportReport) {
		t.Helper()
		want.Sessions = 1
		for _, dry := range []bool{true, false} {
			before := s.Logged()
			o.DryRun, want.DryRun = dry, dry
			if rep, err := importInto(s, from, o); err != nil || rep != want {
				t.Errorf("%s: %+v %v", step, rep, err)
			}
			if dry && s.Logged() != before {
				t.Errorf("%s: a dry run writes", step)
			}
		}
	}
	imported("new", session.ImportOptions{}, session.ImportReport{New: 2})
	if got := s.Content("/session/s1"); !strings.Contains(got, `"mood":"good"`) ||
		strings.Contains(got, "statistics") {
		t.Error(got)
	}
	f := &fixture{Store: s, id: "s1"}
	ids := regexp.MustCompile(`"id":"(mem_\w+)"`).FindAllStringSubmatch(text, -1)
	_, _, err := f.delete(ids[0][1])
	s.Must(err)
	s.Put("/session/s1/"+ids[1][1], `{"type":"finding","text":"another"}`)
	from = text
	imported("over", session.ImportOptions{}, session.ImportReport{Deleted: 1, Stale: 1})
	if got := s.Content("/session/s1"); !strings.Contains(got, "bob") {
		t.Error(got)
	}
	_, err = session.Delete(ctx, s.Store, none, "s1", "")
	s.Must(err)
	from += "\n" + `{"id":"mem_01ARZ3NDEKTSV4RRFFQ69G5FAV","session_id":"s1","timestamp":"2026-01-10",` +
		`"type":"finding","content":{}}`
	imported("deleted", session.ImportOptions{}, session.ImportReport{Deleted: 3})
	if len(s.All()) > 0 {
		t.Error(s.All())
	}
}

// A closed session takes nothing new, by no import.
func TestImportIntoClosed(t *testing.T) { storetest.EachKind(t, testImportIntoClosed) }

func testImportIntoClosed(t *testing.T, s *storetest.Store) {
	f, lines := example(t)
	s.Put("/session/s1", `{"type":"session","version":1,"closed_at":"2026-01-10T00:00:00Z"}`)
	before := s.Logged()
	closed := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, session.ErrClosed) || mem.KindOf(err) != mem.KindRefused ||
			s.Logged() != before {
			t.Errorf("%s: %v", what, err)
		}
	}
	text := strings.Join(lines, "\n")
	_, err := importInto(s, text, session.ImportOptions{})
	closed("import", err)
	_, err = importInto(s, text, session.ImportOptions{DryRun: true})
	closed("dry run", err)
	rep, err := importInto(s, text, session.ImportOptions{KeepGoing: true})
	closed("keep going", err)
	if rep.Refused != 2 {
		t.Errorf("%+v", rep)
	}
	var plain strings.Builder
	f.Must(f.List(ctx, none, mem.Filter{}, func(rec log.Record) error {
		if rec.Key.Class() == keypath.Told {
			fmt.Fprintf(&plain, "%s\n", rec.Line)
		}
		return nil
	}))
	closed("plain", guarded(s, plain.String()))
}

// guarded is an import of lines by another view.
func guarded(s *storetest.Store, text string) error {
	op, err := s.Begin(none, "import")
	s.Must(err)
	session.Guard(op)
	writes, bad, err := op.ReadLines(ctx, strings.NewReader(text), mem.BatchOptions{
		Source: []byte(`"chat"`)}, keypath.Prefix{})
	s.Must(err)
	s.Must(mem.WithBadLines(nil, bad))
	_, err = op.PutAll(ctx, writes)
	return err
}

// With a store come its closed sessions, and what is in a closed one can be deleted.
func TestGuardLetsAStoreIn(t *testing.T) { storetest.EachKind(t, testGuardLetsAStoreIn) }

func testGuardLetsAStoreIn(t *testing.T, s *storetest.Store) {
	f, _ := example(t)
	_, err := session.Close(ctx, f.Store.Store, none, "s1")
	f.Must(err)
	s.Must(guarded(s, f.Logged()))
	if got, want := s.All(), f.All(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	s.Must(guarded(s, f.Logged()))
	for key := range f.All() {
		if strings.Contains(key, "mem_") {
			s.Must(guarded(s, fmt.Sprintf(`{"key":%q,"content":null}`, key)))
		}
	}
	s.Must(guarded(s, `{"key":"/session/none/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV","content":{"text":"x"}}`))
}

// An import is judged by the limit as any write: it makes room first.
func TestImportTooLarge(t *testing.T) { storetest.EachKind(t, testImportTooLarge) }

func testImportTooLarge(t *testing.T, s *storetest.Store) {
	f := &fixture{Store: storetest.NewStore(t, storetest.Memory)}
	_, err := session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "s1"})
	f.Must(err)
	f.id = "s1"
	for range 30 {
		f.remember(session.Record{Text: strings.Repeat("new ", 150)})
	}
	text := export(f.Store, session.ExportOptions{Format: session.JSONL})
	s.Configure(`{"storage":{"max_session_size_mb":0.02}}`)
	before := s.Logged()
	if _, err := importInto(s, text, session.ImportOptions{}); !errors.Is(err, session.ErrFull) ||
		mem.KindOf(err) != mem.KindRefused || s.Logged() != before {
		t.Errorf("too much: %v", err)
	}
	for _, lines := range []string{f.Logged(), strings.Join(strings.SplitAfter(f.Logged(), "\n")[1:],
		"")} {
		if err := guarded(s, lines); !errors.Is(err, session.ErrFull) || s.Logged() != before {
			t.Errorf("too much, plain: %v", err)
		}
	}
	full := &fixture{Store: s, id: "s1"}
	_, err = session.Create(ctx, s.Store, none, session.CreateOptions{ID: "s1"})
	s.Must(err)
	for range 16 {
		full.remember(session.Record{Text: strings.Repeat("old ", 150), Importance: importance(0.1),
			At: log.StampOf(s.Clock.Add(-9000 * time.Hour))})
	}
	half := strings.Join(strings.SplitAfter(text, "\n")[:17], "")
	rep, err := importInto(s, half, session.ImportOptions{})
	if err != nil || rep.New != 16 || full.show().LastCompact == nil || full.show().Entries != 16 {
		t.Errorf("%+v %v %+v", rep, err, full.show())
	}
}

// A session of many groups is stored as one of few, also where it is closed.
func TestImportInGroups(t *testing.T) { storetest.EachKind(t, testImportInGroups) }

func testImportInGroups(t *testing.T, s *storetest.Store) {
	f := &fixture{Store: storetest.NewStore(t, storetest.Memory), id: "s1"}
	_, err := session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "s1"})
	f.Must(err)
	for i := range 9 {
		f.remember(session.Record{Text: strings.Repeat(fmt.Sprint(i, "\x00 é "), 85_000)})
	}
	_, err = session.Close(ctx, f.Store.Store, none, "s1")
	f.Must(err)
	text := export(f.Store, session.ExportOptions{})
	rep, err := importInto(s, text, session.ImportOptions{})
	if err != nil || rep.New != 9 || !maps.Equal(s.All(), f.All()) {
		t.Errorf("%+v %v", rep, err)
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
