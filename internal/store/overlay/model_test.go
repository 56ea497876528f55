package overlay_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/overlay"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

var (
	someKeys = rapid.SampledFrom([]string{"/a", "/a/b", "/b", "/b/c", "/session/s/x",
		"/session/s/y"})
	someContents = rapid.SampledFrom([]string{"null", "1", "2", `{"text":"words"}`})
	someWrites   = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) backend.Write {
		key, content := someKeys.Draw(t, "key"), someContents.Draw(t, "content")
		if rapid.Bool().Draw(t, "imported") {
			return imported(key, content, rapid.IntRange(-2, 6).Draw(t, "seconds"))
		}
		return stamped(key, content)
	}), 0, 4)
)

// model is what an update should see: the fold of the store, the group and its own writes.
type model struct {
	fold state.Fold
	last log.Stamp
}

// append returns the model after some writes; an error where one of them does not win.
func (m model) append(writes []backend.Write, stamps []log.Stamp) (model, error) {
	next := model{maps.Clone(m.fold), m.last}
	for i, w := range writes {
		e := w.Envelope
		if !w.Imported {
			if e.TS = log.StampOf(epoch); e.TS <= next.last {
				e.TS = next.last + 1
			}
		}
		if stamps != nil && stamps[i] != e.TS {
			return m, fmt.Errorf("stamp %s instead of %s", stamps[i], e.TS)
		}
		if !next.fold.Add(log.Record{Envelope: e, Line: e.Line(), Canonical: true}) {
			return m, backend.ErrOlder
		}
		next.last = max(next.last, e.TS)
	}
	return next, nil
}

// Updates that run one after the other see what a fold of everything before has, and leave it in
// their batch; those that fail leave nothing.
func TestUpdatesSeeTheFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stored []log.Envelope
		for i, w := range someWrites.Draw(t, "stored") {
			stored = append(stored, write(w.Key.String(), string(w.Content), i))
		}
		b := newBase(stored...)
		g := b.group()
		m := model{maps.Clone(b.fold), b.last()}
		for range rapid.IntRange(1, 4).Draw(t, "updates") {
			tx, mine := g.Begin(ctx, backend.Caller{}), m
			for range rapid.IntRange(0, 3).Draw(t, "appends") {
				mine = step(t, tx, mine)
				sees(t, tx, mine.fold)
			}
			if rapid.Bool().Draw(t, "taken") {
				g.Take(tx)
				m = mine
			}
		}
		left := newBase(append(stored, g.Batch...)...)
		if got, want := shown(left.fold), shown(m.fold); got != want || g.Last != m.last {
			t.Fatalf("left %s up to %s\ninstead of %s up to %s", got, g.Last, want, m.last)
		}
	})
}

// step appends something and returns the model after it.
func step(t *rapid.T, tx *overlay.Tx, m model) model {
	writes := someWrites.Draw(t, "writes")
	stamps, err := tx.Append(writes...)
	next, wrong := m.append(writes, stamps)
	if errors.Is(err, backend.ErrOlder) != errors.Is(wrong, backend.ErrOlder) ||
		err == nil && wrong != nil {
		t.Fatalf("%v: %v instead of %v", writes, err, wrong)
	}
	return next
}

// sees compares every read of an update with a fold.
func sees(t *rapid.T, tx *overlay.Tx, fold state.Fold) {
	same := func(what string, got, want any, err error) {
		if fmt.Sprint(got) != fmt.Sprint(want) || err != nil {
			t.Fatalf("%s: %v, %v\ninstead of %v", what, got, err, want)
		}
	}
	keys := append(fold.Keys(), keypath.MustParse("/none"))
	live := maps.Clone(fold)
	maps.DeleteFunc(live, func(_ keypath.Key, rec log.Record) bool { return !rec.Valid() })
	ever, err := tx.NewestEver(ctx, keys)
	same("ever", shown(ever), shown(fold), err)
	newest, err := tx.Newest(ctx, keys)
	same("newest", shown(newest), shown(live), err)
	for _, key := range keys {
		rec, ok, err := tx.Get(ctx, key)
		want, found := live[key]
		same("get "+key.String(), ok, found, err)
		if ok {
			same("get "+key.String(), string(rec.Line), string(want.Line), nil)
		}
	}
	for _, under := range []string{"/", "/a", "/session/s"} {
		p, _ := keypath.ParsePrefix(under)
		var got, want []string
		for rec, err := range tx.ScanBelow(ctx, p) {
			same("below", true, true, err)
			got = append(got, string(rec.Line))
		}
		for rec := range live.Sorted() {
			if p.Holds(rec.Key) {
				want = append(want, string(rec.Line))
			}
		}
		same("below "+under, got, want, nil)
		list, err := tx.Select(ctx, backend.Where{Conditions: backend.Conditions{Prefix: p}},
			backend.NewestFirst, 0)
		got = nil
		for _, rec := range list {
			got = append(got, string(rec.Line))
		}
		same("select "+under, slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)),
			err)
	}
	p, _ := keypath.ParsePrefix("/session/s")
	wantLive, wantDeleted := sizeOf(fold, p)
	gotLive, gotDeleted, err := tx.Size(ctx, p)
	same("size", []int64{gotLive, gotDeleted}, []int64{wantLive, wantDeleted}, err)
}

func shown(fold map[keypath.Key]log.Record) string {
	var lines []string
	for _, rec := range fold {
		lines = append(lines, string(rec.Line))
	}
	slices.Sort(lines)
	return fmt.Sprint(lines)
}
