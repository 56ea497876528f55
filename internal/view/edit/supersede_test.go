package edit_test

import (
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/edit"
)

func TestSupersede(t *testing.T) { onEach(t, testSupersede) }

func testSupersede(t *testing.T, f *fixture) {
	f.Put("/old", `{"text":"the port is 3306"}`)
	f.Put("/new", `{"text":"the port is 5432"}`)
	f.Put("/text", `"text"`)
	f.Must(f.supersede("/old", "/new"))
	f.holds("/old", `{"text":"the port is 3306","superseded_by":"/new",`+
		`"created_at":"2026-02-22T12:00:00.000000Z"}`)
	f.tells("/new /text")
	before := f.Logged()
	f.Must(f.supersede("/old", "/new"))
	for _, c := range []struct {
		old, by string
		want    error
	}{
		{"/new", "/old", edit.ErrCycle}, {"/new", "/new", edit.ErrSame},
		{"/new", "/none", mem.ErrNotFound}, {"/none", "/new", mem.ErrNotFound},
		{"/text", "/new", edit.ErrNoObject}, {"/untrusted/x", "/new", edit.ErrReserved},
	} {
		f.isError(f.supersede(c.old, c.by), c.want, before)
	}
	_, err := f.touch("/old", edit.Changes{Current: true})
	f.Must(err)
	f.tells("/new /old /text")
}

// tells checks which keys a read, and a search for "port", tell by themselves.
func (f *fixture) tells(want string) {
	f.T.Helper()
	page, err := f.Read(ctx, none, mem.ReadOptions{Limit: 1000})
	f.Must(err)
	told := map[string]bool{}
	for _, e := range page.Entries {
		told[e.Key] = true
	}
	hits, err := f.Reader(none).Search(ctx, mem.SearchOptions{Query: "port"})
	f.Must(err)
	for _, h := range hits {
		if !told[h.Record.Key.String()] {
			f.T.Errorf("the search brings %s", h.Record.Key)
		}
	}
	wanted := keys(want)
	if len(told) != len(wanted) {
		f.T.Errorf("told %v, want %s", told, want)
	}
	for _, key := range wanted {
		if !told[key.String()] {
			f.T.Errorf("%s is not told", key)
		}
	}
}

func TestSuccessorIsRenamed(t *testing.T) { onEach(t, testSuccessorIsRenamed) }

// What was superseded names its successor under the new key, and no memory becomes its own.
func testSuccessorIsRenamed(t *testing.T, f *fixture) {
	const created = `,"created_at":"2026-02-22T12:00:00.000000Z"}`
	f.Put("/old", `{"text":"the port is 3306"}`)
	f.Put("/new", `{"text":"the port is 5432"}`)
	f.Put("/other", `{"text":"the port is 5433"}`)
	f.Must(f.supersede("/old", "/new"))
	f.Must(f.rename("/new", "/now", false))
	f.holds("/old", `{"text":"the port is 3306","superseded_by":"/now"`+created)
	f.from("/old", `{"name":"chat","edited":{"verb":"mem mv","at":"2026-02-22T12:00:00.000000Z"}}`)
	before := f.Logged()
	f.isError(f.supersede("/now", "/old"), edit.ErrCycle, before)
	f.isError(f.rename("/old", "/now", true), edit.ErrCycle, before)

	f.Must(f.supersede("/now", "/other"))
	f.isError(f.rename("/old", "/other", true), edit.ErrCycle, f.Logged())
	_, err := f.merge("/other", "/merged")
	f.Must(err)
	f.holds("/now", `{"text":"the port is 5432","created_at":"2026-02-22T12:00:00.000001Z",`+
		`"superseded_by":"/merged"}`)
	f.tells("/merged")
	f.Must(f.rename("/merged", "/now", true))
	f.holds("/now", `{"text":"the port is 5433","created_at":"2026-02-22T12:00:00.000002Z"}`)
}
