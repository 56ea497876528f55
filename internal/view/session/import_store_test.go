package session_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// What is stored here counts, and what was deleted here stays deleted.
func TestImportedOver(t *testing.T) { storetest.EachKind(t, testImportedOver) }

func testImportedOver(t *testing.T, s *storetest.Store) {
	_, lines := example(t)
	text := strings.Join(lines, "\n")
	from := strings.Replace(text, `"user_id":"ada"`, `"user_id":"bob","my_config":"good"`, 1)
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
	if got := s.Content("/session/s1"); !strings.Contains(got, `"my_config":"good"`) ||
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
	op, err := s.Begin(none, policy.VerbNamed("import"))
	s.Must(err)
	session.Tend(op)
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
	_, records, _ := strings.Cut(f.Logged(), "\n")
	for _, lines := range []string{f.Logged(), records} {
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

// A session of many groups is stored as one of few, also where it is closed, and where a compaction
// at the end would drop what came first.
func TestImportInGroups(t *testing.T) { storetest.EachKind(t, testImportInGroups) }

func testImportInGroups(t *testing.T, s *storetest.Store) {
	f := &fixture{Store: storetest.NewStore(t, storetest.Memory), id: "s1"}
	_, err := session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "s1"})
	f.Must(err)
	for i := range 9 {
		f.remember(session.Record{Text: strings.Repeat(fmt.Sprint(i, "\x00 é "), 85_000),
			Importance: importance(0.1), At: log.StampOf(f.Clock.Add(-9000 * time.Hour))})
	}
	_, err = session.Close(ctx, f.Store.Store, none, "s1")
	f.Must(err)
	text := export(f.Store, session.ExportOptions{})
	s.Configure(`{"storage":{"max_session_size_mb":8.5}}`)
	rep, err := importInto(s, text, session.ImportOptions{})
	got, want := s.All(), f.All()
	if !strings.Contains(got["/session/s1"], `"last_compaction"`) {
		t.Error("nothing was compacted: the test is void")
	}
	delete(got, "/session/s1")
	delete(want, "/session/s1")
	if err != nil || rep.New != 9 || !maps.Equal(got, want) {
		t.Errorf("%+v %v", rep, err)
	}
	// What the compaction left of itself is of that store.
	third := storetest.NewStore(t, storetest.Memory)
	_, err = importInto(third, export(s, session.ExportOptions{}), session.ImportOptions{})
	third.Must(err)
	if head := third.Content("/session/s1"); strings.Contains(head, "last_compaction") ||
		strings.Contains(head, "idle_bytes") || !strings.Contains(head, "closed_at") {
		t.Error(head)
	}
}
