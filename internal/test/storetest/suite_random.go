package storetest

import (
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"pgregory.net/rapid"
)

// model is what a store should hold: the fold of what was acknowledged.
type model struct {
	fold   state.Fold
	lines  int
	newest log.Stamp
}

func (m *model) add(list []log.Envelope, stamps []log.Stamp) {
	for i, e := range list {
		e.TS = stamps[i]
		m.fold.Add(log.Record{Envelope: e, Line: e.Line()})
		m.lines++
		m.newest = max(m.newest, e.TS)
	}
}

// testRandom does random things to a store and holds it against the model after each.
func testRandom(s *suite) {
	outer := s
	rapid.Check(s.T, func(rt *rapid.T) {
		s := outer.again()
		m := &model{fold: state.Fold{}, newest: log.MinStamp}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			s.step(rt, m)
			s.meets(m)
			if s.Failed() {
				rt.FailNow()
			}
		}
		s.Close()
	})
}

var (
	randomKeys = rapid.SampledFrom([]string{
		"/a", "/A", "/a/b", "/b", "/b/c/d", "/用户/牙科", "/untrusted/x", "/note/user/m-3",
		"/note/workspace/m-3-abcdef", "/note/user/u-12-abcd",
		"/agent/ada/core/" + ulid, "/agent/ada/core/1" + ulid[1:], "/session/s/mem_" + ulid,
	})
	randomContents = rapid.SampledFrom([]string{
		"null", "null", "1", `"words"`, `{"text":"words and more","type":"decision"}`,
		`{"text":"more","importance":9,"tags":["t"]}`,
		`{"text":"words once","expired_at":"2026-02-22T12:00:30Z"}`,
		`{"text":"words of yore","created_at":"2026-02-01"}`,
	})
)

// step is one thing that happens to a store.
func (s *suite) step(rt *rapid.T, m *model) {
	steps := rapid.SampledFrom([]string{"put", "put", "older", "fail", "upkeep", "clock"})
	switch steps.Draw(rt, "step") {
	case "put":
		list := s.draw(rt, m)
		stamps, err := write(s.ctx, s, s.caller(), "test", list...)
		s.must(err)
		m.add(list, stamps)
	case "older":
		if keys := m.fold.Keys(); len(keys) > 0 {
			key, by := rapid.SampledFrom(keys).Draw(rt, "key"), rapid.IntRange(1, 3).Draw(rt, "by")
			s.refuses(key.String(), m.fold[key].TS-log.Stamp(by), "1")
		}
	case "fail":
		list := s.draw(rt, m)
		err := s.update(func(tx backend.Tx) error {
			_, err := appendTo(tx, list...)
			s.must(err)
			return errRefused
		})
		s.same("error", err, errRefused)
	case "upkeep":
		s.between()
	case "clock":
		s.now += log.Stamp(rapid.IntRange(-60e6, 60e6).Draw(rt, "microseconds"))
	}
}

// draw returns envelopes, some of which bring a time with which they win.
func (s *suite) draw(rt *rapid.T, m *model) []log.Envelope {
	var pairs []string
	for range rapid.IntRange(1, 4).Draw(rt, "writes") {
		pairs = append(pairs, randomKeys.Draw(rt, "key"), randomContents.Draw(rt, "content"))
	}
	list := envelopes(pairs...)
	for i := range list {
		if rapid.IntRange(0, 3).Draw(rt, "imported") > 0 {
			continue
		}
		e := list[i]
		e.TS = log.StampOf(Noon) + log.Stamp(rapid.IntRange(-3, 3).Draw(rt, "ts"))
		old, known := m.fold[e.Key]
		twice := slices.ContainsFunc(list[:i], func(o log.Envelope) bool { return o.Key == e.Key })
		if !twice && (!known || log.Record{Envelope: e, Line: e.Line()}.Wins(old)) {
			list[i] = e
		}
	}
	return list
}

// meets holds a store against the model.
func (s *suite) meets(m *model) {
	s.Helper()
	snap := s.snapshot()
	defer snap.Close()
	plain := state.NewView(nil, m.fold, nil)
	for _, under := range []string{"", "/a", "/b", "/untrusted"} {
		want := s.ofView(plain, under)
		s.same("below "+under, s.below(snap, under), want)
		s.same("without a snapshot below "+under, s.below(s, under), want)
		s.must(s.update(func(tx backend.Tx) error {
			s.same("in an update below "+under, s.below(tx, under), want)
			return nil
		}))
	}
	s.same("newest", snap.Newest(), m.newest)
	s.same("history", len(s.history()), m.lines)
	s.ranked(snap, readout.Query{Now: s.now, Limit: 500}, backend.Where{Now: s.now}, m.fold)
	s.selects(snap, backend.Where{Now: s.now}, m.fold)
	for _, w := range []backend.Where{
		{Now: s.now},
		{Now: s.now, Classes: classes(keypath.Private, keypath.Remembered), Agent: "ada"},
	} {
		o := backend.SearchOptions{}
		got, err := snap.Search(s.ctx, fts.Words("words more"), w, o)
		s.must(err)
		seen := state.NewView(nil, seenIn(m.fold, w), nil)
		want, err := seen.Search(s.ctx, fts.Words("words more"), w, o)
		s.must(err)
		s.same("search", s.hits(got, o), s.hits(want, o))
	}
	for key, rec := range m.fold {
		want := none
		if rec.Valid() {
			want = string(rec.Content)
		}
		s.same(key.String(), s.contentOf(s.Get(s.ctx, key)), want)
	}
	s.numberIsNew(m)
	s.numbered(m)
}

// numbered checks which notes ever had a number, deleted ones too.
func (s *suite) numbered(m *model) {
	s.Helper()
	all, err := s.Numbers(s.ctx)
	s.must(err)
	defer all.Close()
	for _, n := range []int64{1, 3, 12, 13} {
		var want []keypath.Key
		for _, key := range m.fold.Keys() {
			if _, number, ok := key.Number(); ok && number == n {
				want = append(want, key)
			}
		}
		got, err := all.Of(n)
		s.must(err)
		s.same(fmt.Sprint("number ", n), fmt.Sprint(got), fmt.Sprint(want))
	}
}

// ofView is below for a view.
func (s *suite) ofView(v *state.View, under string) string {
	var text string
	for rec, err := range v.ScanBelow(s.ctx, prefix(under)) {
		s.must(err)
		if text != "" {
			text += " "
		}
		text += rec.Key.String() + "=" + string(rec.Content)
	}
	return text
}

// numberIsNew checks the next number, and what an update says is newest.
func (s *suite) numberIsNew(m *model) {
	s.Helper()
	s.must(s.update(func(tx backend.Tx) error {
		n, err := tx.NextNumber(s.ctx, "note")
		s.must(err)
		if _, used := m.fold[keypath.MustParse(fmt.Sprint("/note/user/m-", n))]; used {
			s.Errorf("%d was used", n)
		}
		keys := append(m.fold.Keys(), keypath.MustParse("/never"))
		ever, err := tx.NewestEver(s.ctx, keys)
		s.must(err)
		s.same("keys that ever were", len(ever), len(m.fold))
		for key, rec := range m.fold {
			s.same(key.String(), string(ever[key].Line), string(rec.Line))
		}
		return nil
	}))
}
