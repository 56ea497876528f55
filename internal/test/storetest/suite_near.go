package storetest

import (
	"context"
	"fmt"
	"iter"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// below is whoever yields what is live under a prefix.
type below interface {
	ScanBelow(ctx context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error]
}

// testNear holds what is near against all records, one by one.
func testNear(s *suite) {
	s.library()
	s.put("/near/a", `{"text":"The writer takes the lock and opens the log"}`,
		"/near/b", `{"text":"The writer takes the lock and opens the door"}`,
		"/near/zh", `{"text":"用户不喜欢吃香菜和葱","importance":9}`,
		"/near/gone", `{"text":"The reader takes no lock, nor does it wait"}`,
		"/near/other", `{"text":"The reader takes no lock, nor does it ever wait"}`,
		"/near/crowd", `{"text":"Strangers say it in many voices"}`,
		"/agent/ada/core/"+ulid, `{"text":"The writer takes the lock and opens a log"}`)
	for i := range 12 {
		s.put(fmt.Sprint("/untrusted/", i), `{"text":"Strangers say it in many voices"}`)
	}
	s.between()
	s.put("/near/gone", "null", "/near/other", `{"text":"Nothing of this sort"}`,
		"/near/a", `{"text":"The writer takes the lock, and opens the log"}`,
		"/near/c", `{"text":"A writer takes the lock and opens the log"}`,
		"/near/d", `{"text":"A writer takes the lock and opens the log","superseded_by":"/near/c"}`,
		"/near/e", `{"text":"A writer takes the lock and opens the log"}`)
	s.put("/near/e", "7")
	fold := s.folded()
	for _, text := range []string{
		"The writer takes the lock and opens the log", "the WRITER takes a lock and opens the log",
		"用户不喜欢吃香菜", "The reader takes no lock, nor does it wait", "nothing of this sort",
		"Strangers say it in many voices", "deploy friday branch 12", "dentist", "",
	} {
		for _, w := range s.wheres() {
			nearIs(s, text, w, fold)
		}
	}
	near := fts.NewNear("A writer takes the lock and opens the log")
	got, err := s.Match(s.ctx, near, backend.Where{}, 2)
	s.must(err)
	s.same("the nearest", keysIn(got), "[/near/c /near/a]")
}

// nearIs checks that all that is near may be shown and says so, and that the nearest is among it.
func nearIs(s *suite, text string, w backend.Where, fold state.Fold) {
	s.Helper()
	n := fts.NewNear(text)
	best, shown := 0.0, map[keypath.Key]string{}
	for _, rec := range selectedBy(w, backend.NewestFirst, fold) {
		if share, near := n.Share(rec); near {
			shown[rec.Key], best = string(rec.Line), max(best, share)
		}
	}
	for _, limit := range []int{1, 100} {
		got, err := s.Match(s.ctx, n, w, limit)
		s.must(err)
		what := fmt.Sprintf("%q %+v", text, w)
		if len(got) > limit || len(shown) > 0 && len(got) == 0 {
			s.Fatalf("%s: %d near, of %d", what, len(got), len(shown))
		}
		last := best
		for i, rec := range got {
			s.same(what+": "+rec.Key.String(), string(rec.Line), shown[rec.Key])
			share, _ := n.Share(rec)
			if share > last || i == 0 && share < best {
				s.Errorf("%s: %s is near by %v, after %v", what, rec.Key, share, last)
			}
			last = share
		}
	}
}

func keysIn(list []log.Record) (keys []string) {
	for _, rec := range list {
		keys = append(keys, rec.Key.String())
	}
	return keys
}
