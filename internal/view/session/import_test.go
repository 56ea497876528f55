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

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/log"
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
		hours := rapid.IntRange(0, 3000).Draw(rt, "hours")
		at := log.StampOf(f.Clock.Add(-time.Duration(hours) * time.Hour))
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
		kind := rapid.SampledFrom([]string{`"finding"`, `"rumour"`, `""`, `7`, `null`})
		members := []string{`"type":` + kind.Draw(rt, "kind"),
			fmt.Sprintf(`"unknown\u0041":%s`, value.Draw(rt, "value"))}
		for _, other := range []string{`"finding":"x"`, `"text":"y"`, `"importance":1.0`,
			`"timestamp":"2026-01-10T12:00:00Z"`, `"created_at":1700000000`, `"schema_version":2`,
			`"tags":["a b",1,""]`, `"tags_":[]`, `"references":["a b",{}]`, `"session_id":"` + f.id + `"`} {
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
			o := session.CreateOptions{User: "ada",
				Config: []byte(`{"decay_config":{"half_life_hours":336}}`)}
			id, err := session.Create(ctx, from.Store.Store, none, o)
			from.Must(err)
			from.id = id
			fill(rt, from)
		}
		if rapid.Bool().Draw(rt, "closed") {
			_, err := session.Close(ctx, from.Store.Store, none, from.id)
			from.Must(err)
		}
		formats := []session.Format{session.JSON, session.JSONL}
		o := session.ExportOptions{Format: rapid.SampledFrom(formats).Draw(rt, "format")}
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

// again exports what was imported: in the same words, but for what is left of an importance by
// then, and for the version of records of an older one.
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

func without(what, text string) string {
	return regexp.MustCompile(what).ReplaceAllString(text, "")
}

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
			added := []string{"type", "session_id", "timestamp", "importance", "schema_version"}
			if !slices.Contains(added, name) {
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
