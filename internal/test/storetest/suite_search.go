package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// testSearch holds hits against those of a search over nothing but the records that may be seen.
func testSearch(s *suite) {
	s.library()
	fold := s.folded()
	snap := s.snapshot()
	defer snap.Close()
	for _, text := range []string{
		"dentist", "dentist appointment", "postgres OR 牙科", `"deploy on monday"`, "tabs -spaces",
		"datab*", "area", "nothing of this sort", "type:decision deploy",
	} {
		q, err := fts.ParseQuery(text)
		s.must(err)
		for _, w := range s.wheres() {
			plain := state.NewView(nil, seenIn(fold, w), nil)
			for _, o := range []backend.SearchOptions{
				{}, {Limit: 3}, {Limit: 20, Relevant: true}, {Limit: 5, Explain: true},
				{Limit: 20, Relevant: true, Focus: true},
			} {
				want, err := plain.Search(s.ctx, q, w, o)
				s.must(err)
				got, err := snap.Search(s.ctx, q, w, o)
				s.must(err)
				s.same(fmt.Sprintf("%s %+v %+v", text, w, o), s.hits(got, o), s.hits(want, o))
			}
		}
	}
	s.finds(snap, `"deploy on monday"`, "/lib/a/3")
	s.finds(snap, "imported", "/lib/c/2")
	s.finds(snap, "stranger", "")
}

// seenIn returns the records that the caller of a search may see.
func seenIn(fold state.Fold, w backend.Where) state.Fold {
	seen := maps.Clone(fold)
	maps.DeleteFunc(seen, func(key keypath.Key, _ log.Record) bool { return !w.Sees(key.Realm()) })
	return seen
}

// hits returns what can be compared of two searches. In which order the parts of a score were added
// up shows in its last bits, and so in the order of those that score the same.
func (s *suite) hits(list []backend.Hit, o backend.SearchOptions) string {
	s.Helper()
	score := func(h backend.Hit) string { return fmt.Sprintf("%.9f", h.Score) }
	var lines []string
	s.inOrder(list, o)
	for _, h := range list {
		if o.Limit > 0 && len(list) >= o.Limit && score(h) == score(list[len(list)-1]) {
			lines = append(lines, score(h)) // any of those that score the same
			continue
		}
		lines = append(lines, fmt.Sprintln(score(h), h.Record.Key, h.Record.TS,
			string(h.Record.Content), h.FromNeighbor, h.BelowFloor, h.Parts, evidenceIn(h)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// evidenceIn returns the evidence of a hit, but for the last bits.
func evidenceIn(h backend.Hit) string {
	e := &h.Evidence
	text := fmt.Sprintf("%v %.9f %v", e.Time, e.Own, e.Clear)
	for _, t := range e.Terms {
		text += fmt.Sprintf(" %s %.9f %v", t.Term, t.Worth, t.Name)
	}
	return text
}

// inOrder checks that hits stand as they are to be shown. Of a part of them nobody can tell.
func (s *suite) inOrder(list []backend.Hit, o backend.SearchOptions) {
	s.Helper()
	if o.Limit > 0 && len(list) >= o.Limit && !o.Bare {
		return
	}
	want := slices.Clone(list)
	slices.SortStableFunc(want, func(a, b backend.Hit) int { return a.Compare(&b) })
	if !o.Bare {
		fts.Arrange(want, func(h *backend.Hit) (score, lift float64) { return h.Score, h.Lift })
		fts.PutFirst(want, func(h *backend.Hit) bool { return !h.BelowFloor })
	}
	for i, h := range list {
		s.same("place "+fmt.Sprint(i), h.Record.Key.String(), want[i].Record.Key.String())
	}
}

// finds checks which keys hold what is looked for.
func (s *suite) finds(snap backend.Snapshot, text, want string) {
	s.Helper()
	q, err := fts.ParseQuery(text)
	s.must(err)
	hits, err := snap.Search(s.ctx, q, backend.Where{Now: s.now}, backend.SearchOptions{})
	s.must(err)
	var keys []string
	for _, h := range hits {
		if !h.FromNeighbor {
			keys = append(keys, h.Record.Key.String())
		}
	}
	slices.Sort(keys)
	s.same(text, strings.Join(keys, " "), want)
}

// rankedKeys returns the keys that a read may show, sorted.
func (s *suite) rankedKeys(snap backend.Snapshot, w backend.Where) string {
	s.Helper()
	ranking, err := snap.Rank(s.ctx, readout.Query{Now: w.Now, Limit: 1000}, w)
	s.must(err)
	var keys []string
	for c, err := range ranking.Rows {
		s.must(err)
		keys = append(keys, c.Key)
	}
	s.same("considered", ranking.Considered, len(keys))
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

// What is below /untrusted is there for who asks for it by its key, and never comes by itself.
func testQuarantine(s *suite) {
	s.put("/untrusted/kb/a", `{"text":"planted words"}`, "/b", `{"text":"sound words"}`)
	s.between()
	s.put("/untrusted/c", `{"text":"more planted words"}`, "/untrustedly/d", `{"text":"words"}`)
	snap := s.snapshot()
	defer snap.Close()
	s.finds(snap, "words", "/b /untrustedly/d")
	s.finds(snap, "planted", "")
	s.same("read", s.rankedKeys(snap, backend.Where{Now: s.now}), "/b /untrustedly/d")
	s.same("read below it", s.rankedKeys(snap, backend.Where{Now: s.now,
		Conditions: backend.Conditions{Prefix: prefix("/untrusted")}}), "")
	s.same("get", s.got(snap, "/untrusted/c"), `{"text":"more planted words"}`)
	s.same("below", s.below(snap, "/untrusted"),
		`/untrusted/c={"text":"more planted words"} /untrusted/kb/a={"text":"planted words"}`)
	s.between()
	s.put("/untrusted/c", "null")
	s.same("rejected", s.contentOf(s.Get(s.ctx, keypath.MustParse("/untrusted/c"))), none)
}

// What has expired no longer comes from Rank or Search; who asks for its key, or lists, gets it
// and judges by himself.
func testExpiry(s *suite) {
	s.put("/a", `{"text":"words","expired_at":"2026-02-22T13:00:00Z"}`)
	s.between()
	s.put("/b", `{"text":"words","expired_at":"2026-02-22T12:30:00Z"}`, "/c", `{"text":"words"}`)
	for _, c := range []struct {
		after time.Duration
		want  string
	}{
		{0, "/a /b /c"},
		{30 * time.Minute, "/a /b /c"},
		{30*time.Minute + time.Microsecond, "/a /c"},
		{time.Hour + time.Microsecond, "/c"},
	} {
		at := log.StampOf(Noon.Add(c.after))
		s.now = at
		snap := s.snapshot()
		s.same(
			fmt.Sprint("read after ", c.after),
			s.rankedKeys(snap, backend.Where{Now: at}),
			c.want,
		)
		s.finds(snap, "words", c.want)
		s.same("below", len(strings.Fields(s.below(snap, ""))), 3)
		snap.Close()
	}
	s.between()
	if got := s.contentOf(s.Get(s.ctx, keypath.MustParse("/b"))); !strings.Contains(got, "12:30") {
		s.Errorf("get: %s", got)
	}
}
