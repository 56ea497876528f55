package session_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

func (f *fixture) measure() session.Metrics {
	f.T.Helper()
	m, err := session.Measure(ctx, f.Store.Store, none)
	f.Must(err)
	return m
}

// What sessions hold is counted of all of them, compactions also of those that are gone.
func TestMetricsCountSessions(t *testing.T) { onEach(t, testMetricsCountSessions) }

func testMetricsCountSessions(t *testing.T, f *fixture) {
	f.remember(session.Record{Text: "old", Importance: importance(0.1),
		At: log.StampOf(f.Clock.Add(-9999 * time.Hour))})
	f.remember(session.Record{Text: "new"})
	other, err := session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "other"})
	f.Must(err)
	f.Put("/user/name", `"of no session"`)
	if m := f.measure(); m.Active != 2 || m.Entries != 2 || m.Bytes != f.show().Bytes ||
		m.Bytes == 0 || m.Compactions != 0 || m.Damaged != 0 {
		t.Errorf("%+v", m)
	}
	for _, id := range []string{f.id, other, other} {
		f.Clock = f.Clock.Add(time.Minute)
		_, err := session.Compact(ctx, f.Store.Store, none, id)
		f.Must(err)
	}
	_, err = session.Close(ctx, f.Store.Store, none, f.id)
	f.Must(err)
	if m := f.measure(); m.Active != 1 || m.Entries != 1 || m.Compactions != 3 {
		t.Errorf("%+v", m)
	}
	_, err = session.Delete(ctx, f.Store.Store, none, other, "")
	f.Must(err)
	if m := f.measure(); m.Active != 0 || m.Entries != 1 || m.Compactions != 3 {
		t.Errorf("%+v", m)
	}
}

// A line that the journal has of each kind is counted where it belongs.
func TestMetricsCountOperations(t *testing.T) { onEach(t, testMetricsCountOperations) }

func testMetricsCountOperations(t *testing.T, f *fixture) {
	before := f.measure()
	f.Put("/user/name", `"Ada"`)
	f.remember(session.Record{Text: "tea"})
	if _, err := f.try(session.Record{Text: ""}); err == nil {
		t.Error("an empty record was stored")
	}
	f.search(mem.SearchOptions{Query: "tea"})
	_, err := session.Stats(ctx, f.Store.Store, none, f.id) // reads, and is no query
	f.Must(err)
	m := f.measure()
	if w, q := m.Writes.Count-before.Writes.Count, m.Queries.Count; w != 2 || q != 1 {
		t.Errorf("%d writes, %d queries", w, q)
	}
}

// Percentiles are over what was done; a lock that was not had is counted apart.
func TestMetricsTellTimes(t *testing.T) { onEach(t, testMetricsTellTimes) }

func testMetricsTellTimes(t *testing.T, f *fixture) {
	before := f.measure()
	f.journal(`{"op":"search","ms":1}`, `{"op":"read","ms":3.25}`,
		`{"op":"inject","ms":2}`, `{"op":"search","ms":90,"code":"input","error":"x"}`,
		`{"op":"set","ms":5000,"code":"locked","error":"locked"}`,
		`{"op":"compact","ms":5000,"code":"locked","error":"locked"}`,
		`{"op":"set","ms":5000,"code":"canceled","error":"interrupted"}`,
		`{"op":"set","ms":5000,"error":"of a build that said no code"}`,
		`{"op":"remember","count":1,"ms":7000}`, `{"op":"compact","ts":"x","ms":8000}`,
		`{"op":"set","ts":"x"`, `[]`, ``)
	m := f.measure()
	q, _ := json.Marshal(m.Queries)
	if string(q) != `{"count":3,"p50":2,"p95":3.25,"p99":3.25}` || m.Contention != 2 ||
		m.Writes.Count != before.Writes.Count {
		t.Errorf("queries %s, %d locks, %d writes", q, m.Contention, m.Writes.Count)
	}
	if text, _ := json.Marshal(before.Queries); string(text) !=
		`{"count":0,"p50":null,"p95":null,"p99":null}` {
		t.Errorf("without queries: %s", text)
	}
}

func (f *fixture) journal(lines ...string) {
	for _, line := range lines {
		f.Journal("ops.jsonl").Append([]byte(line+"\n"), 1<<20)
	}
}

// A percentile is one of the times, and the share of times up to it is no less than it says.
func TestMetricsPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		took := rapid.SliceOfN(rapid.IntRange(0, 50), 1, 300).Draw(t, "ms")
		var times []time.Duration
		for _, ms := range took {
			times = append(times, time.Duration(ms)*time.Millisecond)
		}
		p := session.PercentilesOf(times)
		slices.Sort(took)
		for share, got := range map[int]float64{50: *p.P50, 95: *p.P95, 99: *p.P99} {
			below := func(ms float64) int {
				n := 0
				for _, v := range took {
					if float64(v) <= ms {
						n++
					}
				}
				return n
			}
			if !slices.Contains(took, int(got)) || below(got)*100 < share*len(took) ||
				below(got-1)*100 >= share*len(took) {
				t.Fatalf("p%d of %v is %v", share, took, got)
			}
		}
	})
}

// Lines of sessions that cannot be read are counted, those of others are not.
func TestMetricsCountDamage(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		if f.Root == "" {
			return // nothing there to damage
		}
		f.remember(session.Record{Text: "kettle"})
		f.Put("/user/name", `"kettle"`)
		text, err := os.ReadFile(f.File(log.File))
		f.Must(err)
		f.Dirty = true
		spoilt := strings.ReplaceAll(string(text), "kettle", "kettlf")
		f.Must(os.WriteFile(f.File(log.File), []byte(spoilt), 0o600))
		if m := f.measure(); m.Damaged != 1 {
			t.Errorf("%d", m.Damaged)
		}
	})
}
