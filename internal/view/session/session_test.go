package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
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

var (
	ctx  = context.Background()
	none = mem.Caller{}
)

// fixture is a store with a session.
type fixture struct {
	*storetest.Store
	id string
}

func onEach(t *testing.T, fn func(t *testing.T, f *fixture)) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		f := &fixture{Store: s}
		id, err := session.Create(ctx, s.Store, none, session.CreateOptions{User: "ada"})
		s.Must(err)
		f.id = id
		fn(t, f)
	})
}

// remember stores a record and returns its id.
func (f *fixture) remember(r session.Record) string {
	f.T.Helper()
	id, err := f.try(r)
	f.Must(err)
	return id
}

func (f *fixture) try(r session.Record) (string, error) {
	if r.Type == "" {
		r.Type = "conversation"
	}
	return session.Remember(ctx, f.Store.Store, none, f.id, r, session.Options{})
}

func (f *fixture) show() *session.Summary {
	f.T.Helper()
	sum, err := session.Show(ctx, f.Store.Store, none, f.id)
	f.Must(err)
	return sum
}

func (f *fixture) search(o mem.SearchOptions) []mem.Found {
	f.T.Helper()
	o.Prefix = f.below()
	found, err := session.Search(ctx, f.Store.Store, none, o)
	f.Must(err)
	return found
}

func (f *fixture) below() keypath.Prefix {
	p, err := keypath.ParsePrefix("/session/" + f.id)
	f.Must(err)
	return p
}

func importance(v float64) *float64 { return &v }

// What a record is worth goes by its type, its age and its importance, and by nothing else.
func TestRelevance(t *testing.T) { onEach(t, testRelevance) }

func testRelevance(t *testing.T, f *fixture) {
	start := f.Clock
	for _, c := range []struct {
		kind       string
		importance float64
		hours      float64
		want       float64
	}{
		{"decision", 0.9, 720, 0.45},
		{"conversation", 0.8, 23, 1.0914},
		{"conversation", 0.8, 24, 0.7246},
		{"conversation", 0.8, 168, 0.40},
		{"conversation", 0.8, 600, 0.08},
		{"preference", 0.7, 365 * 24, 0.7},
		{"finding", 1, 336, 0.5},
		{"finding", 1, -48, 1.5}, // the future counts as now
	} {
		f.Clock = start
		at := log.StampOf(start.Add(-time.Duration(c.hours * float64(time.Hour))))
		id := f.remember(session.Record{Type: c.kind, Text: "tea", At: at,
			Importance: importance(c.importance)})
		for _, query := range []string{"", "tea"} {
			var got float64
			all := f.search(mem.SearchOptions{Query: query,
				Conditions: mem.Conditions{Types: []string{c.kind}}})
			for _, found := range all {
				if strings.HasSuffix(found.Record.Key.String(), id) {
					got = found.Score
				}
			}
			if query == "" && math.Abs(got-c.want) > 0.00005 {
				t.Errorf("%+v: %.5f", c, got)
			}
			if query != "" && (got <= 0 || got > c.want+0.00005) {
				t.Errorf("%+v with words: %.5f", c, got)
			}
		}
		_, _, err := f.delete(id)
		f.Must(err)
	}
}

func (f *fixture) delete(id string) ([]mem.Outcome, []keypath.Key, error) {
	op, err := f.Begin(none, policy.VerbNamed("forget"))
	f.Must(err)
	return op.Delete(ctx, "user", []keypath.Key{keypath.MustParse("/session/" + f.id + "/" + id)},
		nil)
}

// The size is that of a recount, a write is judged with its own line, and the limit is exact.
func TestSizeLimit(t *testing.T) { onEach(t, testSizeLimit) }

func testSizeLimit(t *testing.T, f *fixture) {
	f.Configure(`{"storage":{"max_session_size_mb":0.01,"auto_compact":false}}`)
	limit := int64(math.Trunc(0.01 * (1 << 20)))
	line := func(text string) int64 {
		before := f.show().Bytes
		f.remember(session.Record{Text: text})
		return f.show().Bytes - before
	}
	one := line("x")
	for f.show().Bytes+2*one < limit {
		f.remember(session.Record{Text: "x"})
	}
	left := int(limit - f.show().Bytes - one)
	text := strings.Repeat("y", left+1)
	if _, err := f.try(session.Record{Text: text + "y"}); !errors.Is(err, session.ErrFull) ||
		mem.KindOf(err) != mem.KindRefused || !strings.Contains(err.Error(), fmt.Sprint(limit+1)) {
		t.Errorf("one byte too much: %v", err)
	}
	f.remember(session.Record{Text: text})
	if got := f.show().Bytes; got != limit {
		t.Errorf("%d bytes, want %d", got, limit)
	}
}

// A full session drops the least relevant records, and nothing brings it back.
func TestCompactsWhenFull(t *testing.T) { onEach(t, testCompactsWhenFull) }

func testCompactsWhenFull(t *testing.T, f *fixture) {
	f.Configure(`{"storage":{"max_session_size_mb":0.02}}`)
	old := log.StampOf(f.Clock.Add(-1000 * time.Hour))
	kept := f.remember(session.Record{Type: "preference", Text: "tea", At: old,
		Importance: importance(0.01)})
	for range 20 {
		f.remember(session.Record{Text: strings.Repeat("old ", 60), At: old,
			Importance: importance(0.3)})
	}
	n := 0
	for f.show().LastCompact == nil {
		f.remember(session.Record{Text: strings.Repeat("new ", 60)})
		if n++; n > 100 {
			t.Fatal("never compacted")
		}
	}
	sum := f.show()
	if sum.Entries != n+1 || sum.Counts.Preferences != 1 {
		t.Errorf("%+v after %d new ones (kept %s)", sum, n, kept)
	}
	entries, _, err := session.Rebuild(ctx, f.Store.Store, none, f.id)
	f.Must(err)
	if entries != sum.Entries {
		t.Errorf("rebuilt: %d", entries)
	}
	for { // to the limit, where nothing can be dropped
		if _, err := f.try(session.Record{Text: strings.Repeat("new ", 60)}); err != nil {
			if !errors.Is(err, session.ErrFull) {
				t.Fatal(err)
			}
			break
		}
	}
	if !strings.Contains(f.Logged(), `"name":"session-compaction","reason":"relevance 0.03`) {
		t.Error("no tombstone says why")
	}
}

// A search in a session knows wildcards at the end of a word, too.
func TestWildcardsInSessions(t *testing.T) { onEach(t, testWildcardsInSessions) }

func testWildcardsInSessions(t *testing.T, f *fixture) {
	f.remember(session.Record{Text: "The Authorization header"})
	for query, want := range map[string]int{"Authorizat???": 1, "AUTHORIZAT*": 1, "heade?": 1,
		"Authorization??": 1, "Authorizat??": 0} {
		if got := f.search(mem.SearchOptions{Query: query}); len(got) != want {
			t.Errorf("%s: %d hits", query, len(got))
		}
	}
}
