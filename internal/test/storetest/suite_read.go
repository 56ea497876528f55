package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// library fills a store with memories of every type, some of them replaced, deleted or quarantined,
// before and after the upkeep.
func (s *suite) library() {
	s.Helper()
	types := []string{"finding", "preference", "decision", "conversation", ""}
	words := strings.Fields(
		"dentist appointment postgres database port tabs spaces deploy friday " +
			"budget 牙科 预约 release branch review latency cache index memory",
	)
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			s.pass(37 * time.Minute)
			text := fmt.Sprint(words[i%19], " ", words[i*7%19], " ", words[i*3%17], " ", i)
			s.put(fmt.Sprintf("/lib/%c/%d", 'a'+i%3, i), fmt.Sprintf(
				`{"type":%q,"text":%q,"importance":%d,"tags":["t%d","area.%s"]}`,
				types[i%5], text, i%11, i%4, words[i%5]))
		}
	}
	fill(0, 40)
	s.put("/untrusted/kb/x", `{"text":"dentist appointment from a stranger"}`,
		"/lib/a/expires", `{"text":"dentist until later","expired_at":"2026-02-24T12:00:00Z"}`,
		"/plain", `"a plain text about the dentist"`, "/number", "7",
		"/user/teeth", `{"type":"preference","text":"my dentist","importance":9}`,
		"/note/user/m-1", `{"text":"dentist soon","expired_at":"2026-02-23T20:00:00Z"}`,
		"/lib/a/old", `{"text":"dentist of old","importance":9,"superseded_by":"/user/teeth"}`,
		"/lib/a/back", `{"text":"old dentist","importance":9,"superseded_by":"/user/teeth"}`,
		"/agent/x", `{"text":"deploy dentist","expired_at":"2026-02-25T12:00:00Z"}`,
		"/rules/user/a", `{"text":"expires","expired_at":"2026-02-22T13:00:00Z"}`)
	s.put("/agent/ada/core/"+ulid, `{"type":"finding","text":"dentist of Ada","tags":["t1"]}`,
		"/agent/bob/core/"+ulid, `{"type":"finding","text":"postgres of Bob"}`,
		"/agent/bob/core/notes", `{"type":"finding","text":"dentist beside"}`,
		"/session/s", `{"text":"a session about the dentist"}`,
		"/session/s/mem_"+ulid, `{"text":"dentist told","expired_at":"2026-02-25T12:00:00Z"}`,
		"/old", `{"text":"dentist of yore","created_at":"2025-12-22T12:00:00Z"}`)
	s.between()
	fill(40, 60)
	s.put("/lib/a/3", `{"type":"decision","text":"deploy on monday"}`, "/lib/b/4", "null",
		"/untrusted/kb/y", `{"text":"postgres from a stranger"}`,
		"/agent/x", `{"text":"deploy with the dentist"}`, "/rules/org", `{"text":"tabs"}`,
		"/agent/ada/journal/"+ulid, `{"text":"deploy of Ada, and the dentist"}`,
		"/agent/bob/core/"+ulid, `{"text":"postgres of Bob again, dentist"}`,
		"/session/s/mem_1"+ulid[1:], `{"text":"postgres told","timestamp":"2026-02-01"}`,
		"/older", `{"type":"decision","text":"postgres","timestamp":"2026-01-22T12:00:00Z"}`,
		"/later", `{"type":"decision","text":"postgres","timestamp":"2027-01-22T12:00:00Z"}`,
		"/fine", `{"type":"decision","text":"tabs","importance":0.7049}`,
		"/finer", `{"type":"decision","text":"tabs","importance":0.7050001}`,
		"/lib/a/back", `{"text":"old dentist","importance":9}`,
		"/lib/b/old", `{"text":"deploy of old","importance":9,"superseded_by":"/lib/a/3"}`,
		"/lib/c/pin", `{"type":"finding","text":"deploy never on Friday","pinned":true}`,
		"/lib/c/tagged", `{"type":"note","text":"deploy by hand","tags":["infra","Rule"]}`,
		"/lib/c/tag", `{"type":"finding","text":"tagged alone","tags":["rule"]}`)
	s.take("/lib/c/2", s.now+1e6, `{"type":"finding","text":"imported dentist"}`)
}

const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

// wheres are conditions of every kind, as callers of every kind have them.
func (s *suite) wheres() []backend.Where {
	start := log.StampOf(Noon)
	list := []backend.Where{
		{}, {Conditions: backend.Conditions{Prefix: prefix("/lib/a")}},
		{Conditions: backend.Conditions{Prefix: prefix("/none")}},
		{Conditions: backend.Conditions{Types: []string{"Decision"}}},
		{Conditions: backend.Conditions{Types: []string{"finding", "preference"},
			MinImportance: 0.5}},
		{Tags: []backend.TagRule{{Any: []string{"t1", "T2"}}}},
		{Tags: []backend.TagRule{{Any: []string{"area"}}, {Any: []string{"t3"}, Not: true}}},
		{Conditions: backend.Conditions{Since: new(start + 10*3600e6)}},
		{Conditions: backend.Conditions{Until: new(start + 10*3600e6), Prefix: prefix("/lib")}},
		{Conditions: backend.Conditions{Prefix: prefix("/untrusted")}},
		{Without: backend.Classes(0).With(keypath.Personal)},
		{Without: backend.Classes(0).With(keypath.Open),
			Conditions: backend.Conditions{Types: []string{"preference", ""}}},
		{Without: backend.Classes(0).With(keypath.Open)}, {Accept: isOdd},
		{Conditions: backend.Conditions{Superseded: true}},
		{Conditions: backend.Conditions{Superseded: true, Prefix: prefix("/lib")}},
		{Accept: isOdd, Conditions: backend.Conditions{Since: new(start + 10*3600e6)}},
		{Shadowed: func(key keypath.Key) bool { return strings.HasPrefix(key.String(), "/lib/a") }},
		{Classes: classes(keypath.Private), Agent: "ada"},
		{Classes: classes(keypath.Private, keypath.Remembered), Agent: "bob",
			Conditions: backend.Conditions{MinImportance: 0.5}},
		{Classes: classes(keypath.Private), Agent: "bob",
			Conditions: backend.Conditions{Prefix: prefix("/agent")}},
		{Classes: classes(keypath.Remembered),
			Conditions: backend.Conditions{Prefix: prefix("/session/s")}},
		{Classes: classes(keypath.Remembered),
			Conditions: backend.Conditions{Until: new(start - 24*3600e6)}},
		{Classes: classes(keypath.Quarantined)},
		{Conditions: backend.Conditions{MinImportance: 0.70495}},
		{Written: start + 10*3600e6}, {Written: start + 10*3600e6, Accept: isOdd},
		{Rules: true}, {Rules: true,
			Conditions: backend.Conditions{Prefix: prefix("/lib/c"), Superseded: true}},
		{Rules: true, Accept: isOdd,
			Conditions: backend.Conditions{Types: []string{"finding", "note"}}},
	}
	for i := range list {
		list[i].Now = s.now
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[backend.Conditions]()) {
		if !slices.ContainsFunc(list, func(w backend.Where) bool {
			return !reflect.ValueOf(w.Conditions).FieldByIndex(f.Index).IsZero()
		}) {
			s.Fatalf("internal/test/storetest/suite_read.go: no row of wheres has %s", f.Name)
		}
	}
	return list
}

func classes(list ...keypath.Class) (set backend.Classes) {
	for _, c := range list {
		set = set.With(c)
	}
	return set
}

// isOdd accepts a record by what only the whole of it tells.
func isOdd(rec log.Record) bool { return len(rec.Line)%2 == 1 && !rec.Key.IsZero() }

// testRead holds a ranking against one of all records by their scores.
func testRead(s *suite) {
	s.library()
	fold := s.folded()
	snap := s.snapshot()
	defer snap.Close()
	for _, q := range []readout.Query{
		{Limit: 100}, {Limit: 2000}, {Limit: 200, Tags: []string{"t1", "area.port"}},
		{Limit: 300, Weights: readout.Weights{Importance: 1}}, {},
	} {
		for _, w := range s.wheres() {
			q.Now = s.now
			s.ranked(snap, q, w, fold)
		}
	}
}

func (s *suite) ranked(snap backend.Snapshot, q readout.Query, w backend.Where, fold state.Fold) {
	s.Helper()
	want, considered := rankedBy(q, w, fold)
	ranking, err := snap.Rank(s.ctx, q, w)
	s.must(err)
	var got []string
	for c, err := range ranking.Rows {
		s.must(err)
		got = append(got, fmt.Sprint(c.Key, " ", c.TS, " ", c.Parts, " ", string(c.Source)))
	}
	n := min(q.Most(), len(want))
	if len(got) < n {
		s.Fatalf("%+v %+v: %d rows, want %d", q, w, len(got), n)
	}
	s.same(fmt.Sprintf("%+v %+v", q, w), strings.Join(got[:n], "\n"), strings.Join(want[:n], "\n"))
	s.same("considered", ranking.Considered, considered)
}

// rankedBy ranks all records of a fold, one by one. Those that are refused singly are considered
// all the same.
func rankedBy(q readout.Query, w backend.Where, fold state.Fold) (list []string, considered int) {
	type row struct {
		readout.Candidate
		line string
	}
	var rows []row
	for rec := range fold.Sorted() {
		it := readout.Item{
			Key: rec.Key.String(), TS: rec.TS, Fields: content.Parse(rec.Content),
			Content: rec.Content, Source: rec.Source,
		}
		parts, ok := q.Score(it)
		if !ok || !w.Prefix.Holds(rec.Key) || !w.Shows(rec.Key.Realm()) ||
			!w.Holds(it.TS, it.Fields) {
			continue
		}
		considered++
		if w.Accepts(rec) {
			line := fmt.Sprint(it.Key, " ", it.TS, " ", parts, " ", string(it.Source))
			rows = append(rows, row{q.NewCandidate(&it, parts), line})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return a.Compare(&b.Candidate) })
	for _, r := range rows {
		list = append(list, r.line)
	}
	return list, considered
}

// testSelect holds a selection against one of all records, one by one.
func testSelect(s *suite) {
	s.library()
	fold := s.folded()
	snap := s.snapshot()
	defer snap.Close()
	for _, w := range append(s.wheres(), backend.Where{Now: s.now,
		Conditions: backend.Conditions{Types: []string{"finding", "decision"},
			Until: new(s.now - 3600e6)}}, backend.Where{Now: s.now,
		Conditions: backend.Conditions{Prefix: prefix("/lib/b/7")}}) {
		s.selects(snap, w, fold)
		s.selected(snap, w, fold)
	}
}

// selected holds what a selection yields one by one against what it returns.
func (s *suite) selected(r backend.Snapshot, w backend.Where, fold state.Fold) {
	s.Helper()
	for _, order := range []backend.Order{backend.NewestFirst, backend.MostImportantFirst, odd} {
		var got []log.Record
		for p, err := range r.Selected(s.ctx, w, order) {
			s.must(err)
			want := backend.PlaceRecord(order, p.Record, content.Parse(p.Record.Content))
			s.same("its place", order.Compare(p.Place, want.Place), 0)
			got = append(got, p.Record.Clone())
		}
		want := selectedBy(w, order, fold)
		s.same(fmt.Sprintf("order %T of %+v, one by one", order, w), lines(got), lines(want))
		for range r.Selected(s.ctx, w, order) { // which may end early
			break
		}
	}
}

// testSelectInUpdate selects from what an update finds, and from what it has appended itself.
func testSelectInUpdate(s *suite) {
	s.library()
	s.must(s.update(func(tx backend.Tx) error {
		_, err := appendTo(tx, envelopes("/lib/a/6", "null", "/lib/b/7", `{"importance":9}`,
			"/lib/a/new", `{"type":"finding","expired_at":"2026-02-25T12:00:00Z"}`)...)
		fold := state.Fold{}
		for rec, err := range tx.ScanBelow(s.ctx, keypath.Prefix{}) {
			s.must(err)
			fold.Add(rec.Clone())
		}
		for _, w := range s.wheres() {
			s.selects(tx, w, fold)
		}
		return err
	}))
}

func (s *suite) selects(r backend.Reader, w backend.Where, fold state.Fold) {
	s.Helper()
	for _, order := range []backend.Order{backend.NewestFirst, backend.MostImportantFirst, odd} {
		want := selectedBy(w, order, fold)
		for _, limit := range []int{0, 1, 7, 1000} {
			got, err := r.Select(s.ctx, w, order, limit)
			s.must(err)
			n := len(want)
			if limit > 0 {
				n = min(n, limit)
			}
			s.same(fmt.Sprintf("%d of order %T of %+v", limit, order, w), lines(got),
				lines(want[:n]))
		}
	}
}

// odd is an order by all that a place has.
var odd = backend.ByScore(func(p backend.SortKey) float64 {
	key, ok := p.Key()
	if !ok {
		return -1
	}
	if p.HasExpiry {
		return float64(p.Expires % 7)
	}
	return p.Importance*float64(len(p.Type)+1) + float64(len(key.String())%3)
})

// selectedBy returns what meets the conditions, in an order.
func selectedBy(w backend.Where, order backend.Order, fold state.Fold) (list []log.Record) {
	for rec := range fold.Sorted() {
		if rec.Valid() && w.Prefix.Holds(rec.Key) && w.Shows(rec.Key.Realm()) &&
			w.Holds(rec.TS, content.Parse(rec.Content)) && w.Accepts(rec) {
			list = append(list, rec)
		}
	}
	backend.SortRecords(order, list)
	return list
}

func lines(list []log.Record) string {
	var text strings.Builder
	for _, rec := range list {
		fmt.Fprintf(&text, "%s\n", rec.Line)
	}
	return text.String()
}
