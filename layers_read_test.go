package mem_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Two stores read together: what each verb that reads says of them.
func TestTogether(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, user *storetest.Store) {
		project := storetest.NewStore(t, storetest.Files)
		all := mem.JoinStores(mem.Options{Now: user.Now},
			mem.LayerMember{
				Store: project.Store, Layer: "project",
				Without: backend.Classes(0).With(keypath.Personal),
				Accept: func(rec log.Record) bool {
					return !strings.Contains(string(rec.Content), "planted")
				},
			},
			mem.LayerMember{Store: user.Store, Layer: "user"})
		if all.Exists() != user.Exists() {
			t.Errorf("of two stores that were not made: %v", all.Exists())
		}
		isPage(t, all, "", "")
		user.Put("/user/style", `{"text":"likes tabs"}`)
		user.Put("/kb-x/port", `{"text":"port 1"}`)
		if !all.Exists() {
			t.Error("one of them was made")
		}
		project.Put("/kb-x/port", `{"text":"port 2"}`)
		project.Put("/user/style", `{"text":"likes planted spaces"}`)
		project.Put("/kb-x/open", `{"text":"planted tabs"}`)

		isPage(t, all, "", "project /kb-x/port, user /user/style")
		isPage(t, all, "port tabs", "project /kb-x/port, user /user/style")
		found, err := all.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "tabs OR spaces"})
		user.Must(err)
		if len(found) != 1 || found[0].Record.Layer != "user" {
			t.Errorf("search: %+v", found)
		}
		isWhatShows(t, all)
		user.Must(all.Close())
		if got := user.Content("/kb-x/port") + project.Content("/kb-x/port"); got !=
			`{"text":"port 1"}{"text":"port 2"}` {
			t.Errorf("the stores are closed, or changed: %s", got)
		}
	})
}

// isWhatShows checks that a key and a list show what a read does, and nothing that is left out.
func isWhatShows(t *testing.T, all *mem.Store) {
	t.Helper()
	rec, err := all.Get(ctx, mem.Caller{}, keypath.MustParse("/user/style"), false)
	if err != nil || rec.Layer != "user" {
		t.Errorf("get: %s %v", rec.Layer, err)
	}
	listed := 0
	see := func(log.Record) error { listed++; return nil }
	if err := all.List(ctx, mem.Caller{}, mem.Filter{}, see); err != nil || listed != 2 {
		t.Errorf("%d listed, %v", listed, err)
	}
	_, err = all.Set(ctx, mem.Caller{}, storetest.Write("/kb-x/y", "1"), mem.SetOptions{})
	if !errors.Is(err, union.ErrReadOnly) {
		t.Errorf("set: %v", err)
	}
}

// isPage checks which memories a read shows, of which layers.
func isPage(t *testing.T, s *mem.Store, query, want string) {
	t.Helper()
	page, err := s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 500, Query: query})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range page.Entries {
		lines = append(lines, e.Layer+" "+e.Key)
	}
	if got := strings.Join(lines, ", "); got != want {
		t.Errorf("read %q: %s, want %s", query, got, want)
	}
	accept := func(log.Record) bool { return false }
	o := mem.ReadOptions{Limit: 500, Query: query, Accept: accept}
	if page, err = s.Read(ctx, mem.Caller{}, o); err != nil || len(page.Entries) > 0 {
		t.Errorf("what nobody accepts: %+v %v", page.Entries, err)
	}
}
