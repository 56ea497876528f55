package filestore_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// opened opens a world as the backend that it is to programs.
func opened(w *storetest.World) *filestore.Store {
	w.T.Helper()
	s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now }})
	w.Must(err)
	return s
}

// history returns the lines that a store has had, each once, and their envelopes.
func history(w *storetest.World) map[string]log.Envelope {
	w.T.Helper()
	s := opened(w)
	defer s.Close()
	lines := map[string]log.Envelope{}
	for rec, err := range s.History(context.Background()) {
		w.Must(err)
		lines[string(rec.Envelope.Line())] = rec.Envelope.Clone()
	}
	return lines
}

func merge(w *storetest.World, lines ...log.Envelope) error {
	s := opened(w)
	defer s.Close()
	return s.Merge(context.Background(), backend.Caller{}, "sync", nil,
		func(map[keypath.Key]log.Record) []log.Envelope { return lines })
}

// liveOf folds lines by hand.
func liveOf(lines map[string]log.Envelope) map[string]string {
	newest, live := map[keypath.Key]log.Record{}, map[string]string{}
	for line, e := range lines {
		rec := log.Record{Envelope: e, Line: []byte(line)}
		if old, ok := newest[e.Key]; !ok || rec.Wins(old) {
			newest[e.Key] = rec
		}
	}
	for key, rec := range newest {
		if rec.Valid() {
			live[key.String()] = string(rec.Content)
		}
	}
	return live
}

// Copies that were written to apart, compacted and rotated, and give each other lines in any order
// and more than once, show at each moment the fold of all lines that they have had.
func TestMergedCopiesAgree(t *testing.T) {
	merges := 0
	rapid.Check(t, func(rt *rapid.T) {
		worlds := []*storetest.World{storetest.NewWorld(t), storetest.NewWorld(t)}
		worlds[1].Now = worlds[1].Now.Add(-11 * time.Hour)
		number := 0
		for range rapid.IntRange(4, 20).Draw(rt, "steps") {
			i := rapid.IntRange(0, 1).Draw(rt, "world")
			w := worlds[i]
			w.Now, w.Boot = w.Now.Add(time.Minute), disk.BootID()
			switch rapid.SampledFrom([]string{"set", "set", "delete", "fold", "rotate", "merge",
				"reboot"}).Draw(rt, "step") {
			case "set":
				number++
				w.Set(fmt.Sprintf("/k/%d", rapid.IntRange(0, 5).Draw(rt, "key")),
					fmt.Sprintf(`"text %d"`, number))
			case "delete":
				w.Set(fmt.Sprintf("/k/%d", rapid.IntRange(0, 5).Draw(rt, "key")), "null")
			case "fold":
				w.Compact(storetest.KeepLog)
			case "rotate":
				w.Compact(storetest.RotateLog)
			case "reboot":
				w.Boot = "another"
			case "merge":
				merges++
				lines := slices.Collect(maps.Values(history(worlds[1-i])))
				w.Must(merge(w, lines[:rapid.IntRange(0, len(lines)).Draw(rt, "lines")]...))
			}
			storetest.Same(t, "the fold", w.Live(), liveOf(history(w)))
		}
		for i, w := range worlds {
			w.Must(merge(w, slices.Collect(maps.Values(history(worlds[1-i])))...))
		}
		one, two := history(worlds[0]), history(worlds[1])
		if !maps.EqualFunc(one, two, func(a, b log.Envelope) bool { return true }) {
			rt.Errorf("%d lines and %d", len(one), len(two))
		}
		storetest.Same(t, "the other", worlds[0].Live(), worlds[1].Live())
		for _, w := range worlds {
			if found := w.Check(); len(found) > 0 {
				rt.Errorf("%v", found)
			}
		}
	})
	if merges < testkit.Extent(12, 50, 50) {
		t.Errorf("only %d merges", merges)
	}
}

// The mark of a purge elsewhere removes what is older here, and nothing newer.
func TestEraseMarked(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/p/a", content("one"), "/p/b", content("two"), "/c", `"kept"`)
	w.Compact(storetest.RotateLog)
	w.Set("/p/a", content("three"))
	source := []byte(`{"kind":"user","name":"mem forget","purged":true}`)
	at := log.StampOf(w.Now.Add(time.Second))
	marks := []log.Envelope{
		{Key: keypath.MustParse("/p/b"), TS: at, Source: source, Content: []byte("null")},
		{Key: keypath.MustParse("/p/a"), TS: at + 1, Source: source, Content: []byte("null")}}
	w.Now = w.Now.Add(time.Minute)
	w.Set("/p/b", `"anew"`)
	w.Must(merge(w, marks...))
	s := opened(w)
	defer s.Close()
	for i := range 2 { // the second time there is nothing to do
		proof, err := s.EraseMarked(context.Background(), "sync", marks)
		w.Must(err)
		if len(proof.Remains) > 0 || (proof.Versions == 3) != (i == 0) {
			t.Errorf("%+v", proof)
		}
	}
	storetest.Same(t, "live", w.Live(), map[string]string{"/p/b": `"anew"`, "/c": `"kept"`})
	for line := range history(w) {
		if strings.Contains(line, marker) {
			t.Errorf("it is there: %s", line)
		}
	}
	if n := len(history(w)); n != 4 {
		t.Errorf("%d lines", n)
	}
}

// A mark takes a line that is newer than itself, by its time: what was written between is live
// again, also where the purge is killed at any call and done again.
func TestKilledEraseOfALineAhead(t *testing.T) {
	key := keypath.MustParse("/k")
	line := func(at log.Stamp, text, source string) log.Envelope {
		return log.Envelope{Key: key, TS: at, Source: []byte(source), Content: []byte(text)}
	}
	for n := 1; ; n++ {
		w := storetest.NewWorld(t)
		w.Set("/k", content("first"), "/other", `"kept"`)
		w.Compact(storetest.RotateLog)
		now, day := log.StampOf(w.Now), log.Stamp(24*time.Hour/time.Microsecond)
		mark := line(now+60e6, "null", fmt.Sprintf(`{"kind":"user","name":"mem forget",`+
			`"purged":true,"seen":%q,"besides":[%q]}`, now+30e6, now+30*day))
		w.Must(merge(w, mark, line(now+90e6, `"NEW"`, `"x"`),
			line(now+30*day, content("ahead"), `"x"`)))
		calls := killAt(n)
		s := opened(w)
		_, err := s.EraseMarked(context.Background(), "sync", []log.Envelope{mark})
		s.Close()
		total := calls()
		if live := w.Live(); live["/other"] != `"kept"` {
			t.Errorf("killed at call %d: %v", n, live)
		}
		s = opened(w)
		_, again := s.EraseMarked(context.Background(), "sync", []log.Envelope{mark})
		w.Must(again)
		s.Close()
		storetest.Same(t, fmt.Sprintf("again after call %d", n), w.Live(),
			map[string]string{"/k": `"NEW"`, "/other": `"kept"`})
		w.Must(filepath.WalkDir(w.Path, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), marker) {
				t.Errorf("killed at call %d: it is in %s", n, path)
			}
			return err
		}))
		if err == nil && total < n {
			return
		}
	}
}
