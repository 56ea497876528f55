package union_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"pgregory.net/rapid"
)

var (
	ctx  = context.Background()
	noon = log.StampOf(storetest.Noon)
)

// store is a store under test.
type store struct {
	backend.Backend
	t       testing.TB
	compact func()
}

// newStore returns an empty store of a kind. One of files ends with a full fsck.
func newStore(t testing.TB, kind storetest.Kind) *store {
	t.Helper()
	if kind == storetest.Memory {
		b := memstore.New(func() time.Time { return storetest.Noon })
		return &store{b, t, func() {}}
	}
	files := storetest.NewStore(t, kind)
	b, err := filestore.Open(files.Root, filestore.Options{
		Now: func() time.Time { return storetest.Noon },
	})
	files.Must(err)
	t.Cleanup(func() { b.Close() })
	return &store{b, t, func() {
		_, err := files.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		files.Must(err)
	}}
}

// record is one that is stored with its ts.
type record struct {
	key, content string
	ts           log.Stamp
}

func (s *store) put(list ...record) {
	s.t.Helper()
	var writes []backend.Write
	for _, r := range list {
		writes = append(writes, backend.Write{Imported: true, Envelope: log.Envelope{
			Key: keypath.MustParse(r.key), TS: r.ts, Source: []byte(`"test"`),
			Content: []byte(r.content),
		}})
	}
	must(s.t, s.Update(ctx, backend.Caller{}, "test", func(tx backend.Tx) error {
		_, err := tx.Append(writes...)
		return err
	}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func snapshot(t testing.TB, b backend.Backend) backend.Snapshot {
	t.Helper()
	s, err := b.Snapshot(ctx)
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

func over(members ...union.Member) *union.Backend {
	u := union.New(members...)
	u.Now = func() log.Stamp { return noon }
	return u
}

func prefix(text string) keypath.Prefix {
	p, err := keypath.ParsePrefix(text)
	if err != nil {
		panic(err)
	}
	return p
}

var (
	shelves = []string{"/lib", "/user", "/rules/user", "/note/user", "/kb", "/untrusted", "/agent",
		"/session"}
	words = strings.Fields("dentist appointment postgres database port tabs deploy friday " +
		"牙科 预约 release Ann Bob budget solve recent thing yesterday 7")
)

// drawRecord draws a live record, or seldom a tombstone.
func drawRecord(rt *rapid.T, shelf string) record {
	folder := rapid.SampledFrom([]string{"a", "b", "a/c"}).Draw(rt, "folder")
	key := fmt.Sprintf("%s/%s/%d", shelf, folder, rapid.IntRange(0, 12).Draw(rt, "number"))
	switch number := rapid.IntRange(0, 12).Draw(rt, "owned"); {
	case shelf == "/agent" && number > 0:
		owner := rapid.SampledFrom([]string{"ada", "bob"}).Draw(rt, "owner")
		key = fmt.Sprintf("/agent/%s/core/%026d", owner, number)
	case shelf == "/session" && number > 0:
		key = fmt.Sprintf("/session/%s/mem_%026d", folder[:1], number)
	}
	ts := noon - log.Stamp(rapid.IntRange(0, 40).Draw(rt, "age"))*86400e6
	if rapid.IntRange(0, 9).Draw(rt, "tombstone") == 0 {
		return record{key, "null", ts}
	}
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 6).Draw(rt, "words"), " ")
	body := fmt.Sprintf(`{"type":%q,"text":%q,"importance":%d,"tags":["t%d"]`,
		rapid.SampledFrom([]string{"finding", "preference", "decision"}).Draw(rt, "type"),
		text+rapid.SampledFrom([]string{"", "", "?"}).Draw(rt, "end"),
		rapid.IntRange(0, 10).Draw(rt, "importance"), rapid.IntRange(0, 2).Draw(rt, "tag"))
	switch rapid.IntRange(0, 6).Draw(rt, "more") {
	case 0:
		body += `,"speaker":"Ann"`
	case 1:
		body += `,"expired_at":"2026-02-22T11:00:00Z"`
	case 2:
		body += `,"expired_at":"2026-02-22T13:00:00Z"`
	}
	if rapid.IntRange(0, 3).Draw(rt, "older") == 0 {
		age := log.Stamp(rapid.IntRange(-2, 40).Draw(rt, "age of the memory")) * 86400e6
		body += fmt.Sprintf(`,"created_at":%q`, noon-age)
	}
	return record{key, body + "}", ts}
}

// putAll stores records, some before a compaction and the others after it, in two stores that have
// the same of each key. It leaves out what a key has something newer than.
func putAll(list []record, compactAt int, into func(record) []*store) {
	newest := map[string]log.Stamp{}
	stores := map[*store]bool{}
	for i, r := range list {
		if i == compactAt {
			for s := range stores {
				s.compact()
			}
		}
		for _, s := range into(r) {
			id := fmt.Sprintf("%p %s", s, r.key)
			if ts, known := newest[id]; known && ts >= r.ts {
				continue
			}
			newest[id] = r.ts
			stores[s] = true
			s.put(r)
		}
	}
}

func wheres() []backend.Where {
	list := []backend.Where{
		{}, {Conditions: backend.Conditions{Prefix: prefix("/lib/a")}},
		{Conditions: backend.Conditions{Prefix: prefix("/none")}},
		{Conditions: backend.Conditions{Types: []string{"decision"}}},
		{Tags: []backend.TagRule{{Any: []string{"t1"}}}},
		{Conditions: backend.Conditions{Since: new(noon - 20*86400e6)}},
		{Without: backend.Classes(0).With(keypath.Personal)},
		{Without: backend.Classes(0).With(keypath.Open)}, {Accept: isOdd},
		{Classes: backend.Classes(0).With(keypath.Private), Agent: "ada"},
		{Classes: backend.Classes(0).With(keypath.Remembered)},
		{Classes: backend.Classes(0).With(keypath.Remembered),
			Conditions: backend.Conditions{Prefix: prefix("/session/a")}},
	}
	for i := range list {
		list[i].Now = noon
	}
	return list
}

func isOdd(rec log.Record) bool { return len(rec.Content)%2 == 1 }

func below(t testing.TB, r backend.Reader, under string) (list []string) {
	t.Helper()
	for rec, err := range r.ScanBelow(ctx, prefix(under)) {
		must(t, err)
		list = append(list, fmt.Sprint(rec.Key, " ", rec.TS, " ", string(rec.Content)))
	}
	return list
}

func ranked(t testing.TB, s backend.Snapshot, q readout.Query, w backend.Where) (
	list []string, considered int) {
	t.Helper()
	r, err := s.Rank(ctx, q, w)
	must(t, err)
	for c, err := range r.Rows {
		must(t, err)
		list = append(list, fmt.Sprint(c.Key, " ", c.TS, " ", c.Parts, " ", string(c.Source)))
		if len(list) == q.Most() {
			break
		}
	}
	return list, r.Considered
}

func searched(
	t testing.TB, s backend.Snapshot, text string, w backend.Where, o backend.SearchOptions,
) []backend.Hit {
	t.Helper()
	q, err := fts.ParseQuery(text)
	must(t, err)
	hits, err := s.Search(ctx, q, w, o)
	must(t, err)
	return hits
}

// comparable returns what can be compared of two searches: of those that score the same as the
// last, and might have been cut off, the score alone.
func comparable(hits []backend.Hit, o backend.SearchOptions) (lines []string) {
	for i, h := range hits {
		score := fmt.Sprintf("%.8f", h.Score)
		if len(hits) == o.Limit && score == fmt.Sprintf("%.8f", hits[len(hits)-1].Score) {
			lines = append(lines, score)
			continue
		}
		var parts []string
		for _, p := range h.Parts {
			parts = append(parts, fmt.Sprintf("%s %s %s %.8f", p.Name, p.What, p.In, p.Value))
		}
		slices.Sort(parts)
		lines = append(lines, fmt.Sprint(i, score, h.Record.Key, h.Record.TS,
			string(h.Record.Content), h.FromNeighbor, h.BelowFloor, parts))
	}
	return lines
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
		t.Fatalf("%s:\n got %s\nwant %s", what, g, w)
	}
}

var queries = []string{
	"dentist", "dentist appointment", "postgres OR 牙科预约", "what did Ann say", "dat* po*",
	`"tabs deploy"`, "friday -release", "2026-02-10 budget", "solve recent thing",
	"key:/lib dentist", "tag:t1", "nothing of this sort", "yesterday", "type:decision deploy",
}
