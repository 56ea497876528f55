package filestore_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// underPrefixes returns what is below each prefix: as a whole view has it, and as it is read alone.
func underPrefixes(w *storetest.World, s *filestore.Store) (whole, alone []string) {
	list := func(records iter.Seq2[log.Record, error]) string {
		var lines []string
		for rec, err := range records {
			w.Must(err)
			lines = append(lines, string(rec.Line))
		}
		return strings.Join(lines, "\n")
	}
	v, err := w.Files().Load()
	w.Must(err)
	defer v.Close()
	for _, text := range []string{"/a", "/a/b", "/b", "/a/b/c", "/note", "/none", "/"} {
		p, err := keypath.ParsePrefix(text)
		w.Must(err)
		whole = append(whole, list(v.ScanBelow(context.Background(), p)))
		alone = append(alone, list(s.ScanBelow(context.Background(), p)))
	}
	return whole, alone
}

// What is read below a prefix alone is what a whole view has, whatever an editor, a merge or a
// damage has made of the log.
func TestBelowIsAsAView(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := storetest.NewWorld(t)
		defer func() { w.Dirty = true }()
		s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now }})
		w.Must(err)
		defer s.Close()
		keys := rapid.SampledFrom([]string{"/a", "/a/b", "/a/b/c", "/ab", "/b", "/note/user/m-1"})
		for n := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			key := keys.Draw(rt, "key")
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0:
				w.Compact(storetest.KeepLog)
			case 1:
				w.Compact(storetest.RotateLog)
			case 2:
				w.Set(key, "null")
			case 3:
				seconds := rapid.IntRange(-50, 50).Draw(rt, "seconds")
				w.Now = w.Now.Add(time.Duration(seconds) * time.Second)
			default:
				w.Set(key, fmt.Sprint(n))
			}
		}
		if _, err := os.Stat(w.File(log.File)); err != nil {
			return
		}
		e := log.Envelope{Key: keypath.MustParse(keys.Draw(rt, "edited")), Source: []byte(`"x"`),
			TS:      log.StampOf(w.Now) + log.Stamp(rapid.IntRange(-60, 60).Draw(rt, "ts"))*1e6,
			Content: []byte(`"edited"`)}
		line := strings.Replace(string(e.Line()), "edited", rapid.SampledFrom([]string{"edited",
			"damaged"}).Draw(rt, "text"), 1)
		at := rapid.Bool().Draw(rt, "in front")
		edit := func(b []byte) []byte {
			if at {
				return append([]byte(line+"\n"), b...)
			}
			return append(b, line+"\n"...)
		}
		switch rapid.IntRange(0, 2).Draw(rt, "edit") {
		case 0:
			storetest.Saved(w, edit)
		case 1:
			w.Edit(log.File, edit)
		}
		whole, alone := underPrefixes(w, s)
		for i := range whole {
			if whole[i] != alone[i] {
				rt.Fatalf("prefix %d:\n%s\nwant\n%s", i, alone[i], whole[i])
			}
		}
	})
}

// A store whose full text is lost, or that has none yet, names what is in the log.
func TestNearWithoutAFullText(t *testing.T) {
	ctx := context.Background()
	w := storetest.NewWorld(t)
	s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now }})
	w.Must(err)
	defer s.Close()
	const text = "The writer takes the lock and opens the log"
	near := func(what string, want int) {
		t.Helper()
		got, err := s.Match(ctx, fts.NewNear(text), backend.Where{}, 5)
		if err != nil || len(got) != want {
			t.Errorf("%s: %d near, want %d, %v", what, len(got), want, err)
		}
	}
	near("without a root", 0)
	w.Set("/a", `{"text":"`+text+`"}`)
	near("without a state", 1)
	w.Compact(storetest.KeepLog)
	near("with a full text", 1)
	w.Must(os.RemoveAll(w.File("cache")))
	near("without one", 0)
	w.Set("/b", `{"text":"`+text+`!"}`)
	near("in the log", 1)
	w.Edit(log.File, func(b []byte) []byte { return append(b, "damaged\n"...) })
	near("in a damaged log", 1)
	w.Dirty = true
}
