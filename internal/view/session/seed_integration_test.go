package session_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A session from its making to its end.
func TestFullSessionLifecycle(t *testing.T) { onEach(t, testFullSessionLifecycle) }

func testFullSessionLifecycle(t *testing.T, f *fixture) {
	f.various(8)
	sum := f.show()
	want := session.Counts{Conversations: 2, Decisions: 2, Findings: 2, Preferences: 2}
	if sum.User != "ada" || sum.Entries != 8 || sum.Counts != want || sum.Closed != nil ||
		sum.Bytes != f.recount() {
		t.Errorf("%+v", sum)
	}
	created := sum.Created
	_, err := session.Close(ctx, f.Store.Store, none, f.id)
	f.Must(err)
	if _, err := f.try(session.Record{Text: "x"}); !errors.Is(err, session.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if n := len(f.search(mem.SearchOptions{})); n != 8 {
		t.Errorf("%d found in a closed session", n)
	}
	_, err = session.Compact(ctx, f.Store.Store, none, f.id)
	f.Must(err)
	_, err = session.Reopen(ctx, f.Store.Store, none, f.id)
	f.Must(err)
	f.remember(session.Record{Text: "x"})
	if sum := f.show(); sum.Created != created || sum.LastCompact == nil || sum.Closed != nil {
		t.Errorf("open again: %+v", sum)
	}
	entries := f.show().Entries
	n, err := session.Delete(ctx, f.Store.Store, none, f.id, "asked to")
	if f.Must(err); n != entries || len(f.All()) > 0 {
		t.Errorf("%d deleted of %d, left: %v", n, entries, f.All())
	}
	if _, err := f.try(session.Record{Text: "x"}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	_, err = session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: f.id})
	if !errors.Is(err, session.ErrTaken) {
		t.Errorf("made again: %v", err)
	}
}

// At its limit a session drops what is least relevant, and tells why; what was just said and what
// somebody prefers stays, and the record that found no room is there.
func TestLimitReachedThenCompaction(t *testing.T) { onEach(t, testLimitReachedThenCompaction) }

func testLimitReachedThenCompaction(t *testing.T, f *fixture) {
	f.Configure(`{"storage":{"max_session_size_mb":0.02,"compaction_threshold":1}}`)
	old := log.StampOf(f.Clock.AddDate(-2, 0, 0))
	preferred := f.remember(session.Record{Type: "preference", Text: "tea", At: old,
		Importance: importance(0)})
	kept := f.remember(session.Record{Type: "decision", Text: "tea", At: old,
		Importance: importance(1)})
	for f.show().LastCompact == nil {
		if f.show().Bytes > 1<<20 {
			t.Fatal("never compacted")
		}
		f.Clock = f.Clock.Add(time.Second)
		last := f.remember(session.Record{Text: strings.Repeat("x", 500), At: old,
			Importance: importance(0.1)})
		if f.Content("/session/"+f.id+"/"+last) == "(none)" {
			t.Fatal("what was just said is dropped")
		}
	}
	sum := f.show()
	if sum.Entries != 3 || sum.Bytes != f.recount() { // the decision, the preference and the last
		t.Errorf("%+v, want 3 entries and %d bytes", sum, f.recount())
	}
	for _, id := range []string{preferred, kept} {
		if f.Content("/session/"+f.id+"/"+id) == "(none)" {
			t.Errorf("%s is dropped", id)
		}
	}
	if n := strings.Count(f.Logged(),
		`"name":"session-compaction","reason":"relevance 0.010"`); n < 15 {
		t.Errorf("%d tombstones say why", n)
	}
	entries, _, err := session.Rebuild(ctx, f.Store.Store, none, f.id)
	if f.Must(err); entries != 3 {
		t.Errorf("a rebuild brings back %d", entries-3)
	}
}

// A damaged line in the middle is left out, told of and counted; the rest is there, and a repair
// keeps the bytes.
func TestCorruptionRecovery(t *testing.T) { onFiles(t, testCorruptionRecovery) }

func testCorruptionRecovery(t *testing.T, f *fixture) {
	ids := f.various(9)
	path := f.File("log.jsonl")
	text, err := os.ReadFile(path)
	f.Must(err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := slices.IndexFunc(lines, func(line []byte) bool {
		return bytes.Contains(line, []byte(ids[4]))
	})
	lines[at] = bytes.Replace(lines[at], []byte("green"), []byte("grey!"), 1)
	f.Must(f.Close())
	f.Must(os.WriteFile(path, bytes.Join(lines, nil), 0o600))
	f.Open()
	f.loseIndex()
	check := func(when string, damaged int) {
		t.Helper()
		sum, err := session.Stats(ctx, f.Store.Store, none, f.id)
		f.Must(err)
		entries, _, err := session.Rebuild(ctx, f.Store.Store, none, f.id)
		f.Must(err)
		if sum.Entries != 8 || entries != 8 || sum.DamagedLines != damaged ||
			len(f.search(mem.SearchOptions{})) != 8 {
			t.Errorf("%s: %+v, %d rebuilt; want 8 entries, %d damaged", when, sum, entries, damaged)
		}
	}
	check("damaged", 1)
	if warned := strings.Join(f.Warnings, "\n"); !strings.Contains(warned, "log.jsonl") {
		t.Errorf("warned of %q", warned)
	}
	if found := f.repair(); len(found) == 0 {
		t.Error("fsck found nothing")
	}
	check("repaired", 0)
	f.various(1)
	kept, err := os.ReadDir(f.File("quarantine"))
	if err != nil || len(kept) == 0 {
		t.Errorf("the damaged bytes are gone: %v", err)
	}
}

// loseIndex removes all that is derived.
func (f *fixture) loseIndex() {
	f.T.Helper()
	f.Must(f.Close())
	for _, name := range []string{"index", "cache", "state.jsonl", "checkpoint.json", "watermark"} {
		f.Must(os.RemoveAll(f.File(name)))
	}
	f.Open()
}

// A search of all sessions weighs each record by the settings of its own.
func TestCrossSessionQueries(t *testing.T) { storetest.EachKind(t, testCrossSessionQueries) }

func testCrossSessionQueries(t *testing.T, s *storetest.Store) {
	for name, config := range map[string]string{
		"usual": "", "never": `{"decay_config":{"enabled":false}}`,
		"slow": `{"decay_config":{"half_life_hours":1e6}}`,
		"fast": `{"decay_config":{"type_specific":{"finding":{"half_life_hours":1}}}}`,
	} {
		_, err := session.Create(ctx, s.Store, none, session.CreateOptions{ID: name,
			Config: []byte(config)})
		s.Must(err)
		for _, text := range []string{"green tea", "water"} {
			_, err := session.Remember(ctx, s.Store, none, name, session.Record{Type: "finding",
				Text: text, Importance: importance(1)}, session.Options{})
			s.Must(err)
		}
	}
	s.Put("/project/tea", `{"type":"finding","text":"green tea","importance":1.0}`)
	s.Clock = s.Clock.Add(336 * time.Hour)
	all, err := keypath.ParsePrefix("/session")
	s.Must(err)
	for range 2 {
		for query, text := range map[string]string{"": "water", "tea": "green tea"} {
			found, err := session.Search(ctx, s.Store, none,
				mem.SearchOptions{Query: query, Conditions: mem.Conditions{Prefix: all}})
			s.Must(err)
			var got []string
			for _, f := range found {
				if strings.Contains(string(f.Record.Content), text) {
					got = append(got, strings.Split(f.Record.Key.String(), "/")[2])
				}
			}
			if want := []string{"never", "slow", "usual", "fast"}; !slices.Equal(got, want) {
				t.Errorf("%q: %q, want %q", query, got, want)
			}
		}
		_, err = s.Compact(ctx, none, mem.CompactOptions{})
		s.Must(err)
	}
}

// An export has no deleted record.
func TestDeletionAndExport(t *testing.T) { onEach(t, testDeletionAndExport) }

func testDeletionAndExport(t *testing.T, f *fixture) {
	ids := f.various(6)
	for _, format := range []session.Format{session.JSON, session.JSONL} {
		whole := export(f.Store, session.ExportOptions{Format: format})
		for _, id := range ids {
			if strings.Count(whole, `"id":"`+id+`"`) != 1 {
				t.Errorf("%s: %s is not in it once", format, id)
			}
		}
	}
	_, _, err := f.delete(ids[1])
	f.Must(err)
	for _, format := range []session.Format{session.JSON, session.JSONL} {
		now := export(f.Store, session.ExportOptions{Format: format})
		if strings.Contains(now, ids[1]) || strings.Contains(now, "black tea in a cup1") {
			t.Errorf("%s has what was deleted:\n%s", format, now)
		}
	}
	_, err = session.Delete(ctx, f.Store.Store, none, f.id, "")
	f.Must(err)
	if now := export(f.Store, session.ExportOptions{}); strings.Contains(now, "mem_") {
		t.Errorf("a deleted session is in an export: %s", now)
	}
}
