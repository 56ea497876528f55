package mem_test

import (
	"context"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
)

// The journal says of each failure what kind it was, and nothing of the kind where there was none.
func TestJournalNamesTheKindOfAFailure(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		ctx := context.Background()
		s.Put("/user/name", `"Ada"`)
		never := mem.SetOptions{IfAbsent: true}
		_, lost := s.Set(ctx, mem.Caller{}, storetest.Write("/user/name", `"Eve"`), never)
		_, refused := s.Set(ctx, mem.Caller{}, storetest.Write("/kb/x", `1`), mem.SetOptions{})
		_, wrong := s.Set(ctx, mem.Caller{}, storetest.Write("/user/x", `{`), mem.SetOptions{})
		_, err := s.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "ada"})
		s.Must(err)
		ran, err := s.Store.Journaled()
		s.Must(err)
		want := []mem.Ran{{Op: "set", Code: mem.KindDone}, {Op: "set", Code: mem.KindOf(lost)},
			{Op: "set", Code: mem.KindOf(refused)}, {Op: "set", Code: mem.KindOf(wrong)},
			{Op: "search", Code: mem.KindDone}}
		if len(ran) != len(want) {
			t.Fatalf("%+v", ran)
		}
		for i, r := range ran {
			if r.Op != want[i].Op || r.Code != want[i].Code || (r.TS != "") != (i == 0) {
				t.Errorf("line %d: %+v, want %+v", i+1, r, want[i])
			}
		}
	})
}
