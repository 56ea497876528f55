package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// testLeftOut holds hits under conditions by class and on single records against those without,
// less what does not meet them: they change no score, and come before the limit.
func testLeftOut(s *suite) {
	s.library()
	snap := s.snapshot()
	defer snap.Close()
	for _, text := range []string{"dentist", "postgres tabs", `"deploy on monday"`, "tag:t1"} {
		q, err := fts.ParseQuery(text)
		s.must(err)
		for _, w := range s.wheres() {
			if w.Prefix != prefix("") || w.Classes != 0 {
				continue // which changes what is rare
			}
			everything := backend.Where{Now: s.now,
				Conditions: backend.Conditions{Superseded: w.Superseded}} // as that does
			all, err := snap.Search(s.ctx, q, everything, backend.SearchOptions{})
			s.must(err)
			var want []backend.Hit
			for _, h := range all {
				if w.Shows(h.Record.Key.Realm()) && w.Accepts(h.Record) &&
					w.Holds(h.Record.TS, content.Parse(h.Record.Content)) {
					want = append(want, h)
				}
			}
			slices.SortStableFunc(want, func(a, b backend.Hit) int { return a.Compare(&b) })
			for _, o := range []backend.SearchOptions{{Bare: true}, {Bare: true, Limit: 3}} {
				if o.Limit > 0 {
					want = want[:min(fts.Enough(o.Limit), len(want))]
				}
				got, err := snap.Search(s.ctx, q, w, o)
				s.must(err)
				if w.Chooses() && o.Limit > 0 {
					continue
				}
				if w.Chooses() { // a neighbor needs a hit beside it that meets the conditions
					got, want = withWords(got), withWords(want)
				}
				s.same(fmt.Sprintf("%s %+v %+v", text, w, o), s.hits(got, o),
					s.hits(bare(want), o))
			}
		}
	}
}

// bare returns hits without what of their records is not told.
func bare(hits []backend.Hit) (list []backend.Hit) {
	for _, h := range hits {
		h.Record = log.Record{Envelope: log.Envelope{Key: h.Record.Key, TS: h.Record.TS}}
		list = append(list, h)
	}
	return list
}

// withWords returns the hits that have a word of the query.
func withWords(hits []backend.Hit) []backend.Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(h backend.Hit) bool { return h.FromNeighbor })
}

// testNeighbors searches for a word with a condition: a memory that meets the condition and lacks
// the word is found beside one that meets it too, and not beside one that does not.
func testNeighbors(s *suite) {
	for i, text := range []string{
		`{"type":"finding","text":"alpha fails"}`, `{"type":"decision","text":"gamma stays"}`,
		`{"type":"finding","text":"delta"}`, `{"type":"decision","text":"omega goes"}`,
		`{"type":"finding","text":"sigma"}`, `{"type":"decision","text":"alpha goes"}`,
	} {
		s.put(fmt.Sprintf("/talk/m%d", i), text)
	}
	snap := s.snapshot()
	defer snap.Close()
	for query, want := range map[string]string{
		"alpha": "/talk/m5 /talk/m3", "alpha type:decision": "/talk/m5 /talk/m3",
		"fails": "", "fails type:decision": "", "fails -finding": "",
	} {
		q, err := fts.ParseQuery(query)
		s.must(err)
		w := backend.Where{Now: s.now, Conditions: backend.Conditions{Types: []string{"decision"}}}
		hits, err := snap.Search(s.ctx, q, w, backend.SearchOptions{})
		s.must(err)
		var keys []string
		for _, h := range hits {
			keys = append(keys, h.Record.Key.String())
		}
		s.same(query, strings.Join(keys, " "), want)
	}
}

// testHas holds what a snapshot says it has against what it returns.
func testHas(s *suite) {
	s.library()
	snap := s.snapshot()
	defer snap.Close()
	keys := append(s.folded().Keys(), keysOf("/none", "/lib/a", "/lib/a/", "/zzz")...)
	for _, later := range []log.Stamp{0, 24 * 3600e6, 72 * 3600e6} {
		at := s.now + later
		for _, key := range keys {
			rec, found, err := snap.Get(s.ctx, key)
			s.must(err)
			has, err := snap.Has(s.ctx, key, at)
			s.must(err)
			s.same(key.String(), has, found && !content.Expired(rec.Content, at))
		}
	}
}

var errStats = errors.New("no numbers")

// testStats checks that scores go by the numbers that the caller returns, and what a search without
// records brings.
func testStats(s *suite) {
	s.library()
	snap := s.snapshot()
	defer snap.Close()
	q, w := fts.Words("dentist deploy"), backend.Where{Now: s.now}
	find := func(o backend.SearchOptions) []backend.Hit {
		hits, err := snap.Search(s.ctx, q, w, o)
		s.must(err)
		return hits
	}
	alone := find(backend.SearchOptions{Relevant: true})
	asked := 0
	o := backend.SearchOptions{Relevant: true, Stats: func(own fts.Stats) (fts.Stats, error) {
		asked++
		return own, nil
	}}
	s.same("its own numbers", s.hits(find(o), o), s.hits(alone, o))
	s.same("asked", asked, 1)
	o.Stats = func(own fts.Stats) (fts.Stats, error) {
		return own.Plus(fts.Stats{Docs: 1e6, Words: 1e7, Folders: 10}), nil
	}
	if rarer := find(o); rarer[0].Score <= alone[0].Score {
		s.Errorf("among more records a word is worth %v, not more than %v", rarer[0].Score,
			alone[0].Score)
	}
	o.Stats = func(fts.Stats) (fts.Stats, error) { return fts.Stats{}, errStats }
	_, err := snap.Search(s.ctx, q, w, o)
	s.same("error", errors.Is(err, errStats), true)

	evident := 0
	slices.SortStableFunc(alone, func(a, b backend.Hit) int { return a.Compare(&b) })
	for i, h := range find(backend.SearchOptions{Relevant: true, Bare: true}) {
		s.same("key", h.Record.Key, alone[i].Record.Key)
		s.same("bare", []any{len(h.Record.Line), h.BelowFloor}, []any{0, false})
		if h.Evident {
			evident++
		}
	}
	s.same("evident", evident, 1)
}

// testPersonal checks that a person's own is shown as everything else is, unless it is left out.
func testPersonal(s *suite) {
	s.put("/user/a", `{"text":"words"}`, "/kb/b", `{"text":"words"}`, "/username",
		`{"text":"words"}`)
	s.between()
	s.put("/rules/org/c", `{"text":"words"}`)
	snap := s.snapshot()
	defer snap.Close()
	w := backend.Where{Now: s.now}
	s.same("all", s.rankedKeys(snap, w), "/kb/b /rules/org/c /user/a /username")
	s.finds(snap, "words", "/kb/b /rules/org/c /user/a /username")
	w.Without = w.Without.With(keypath.Personal)
	s.same("without", s.rankedKeys(snap, w), "/kb/b /username")
}
