package pgstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
)

// A repair keeps the copy that has the sound version of a damaged line.
func TestCopyOfADamagedLineIsKept(t *testing.T) {
	url := otherDatabase(t)
	place := newPlace(t, url)
	f := follow(t, place, t.TempDir())
	f.put("only here", "/k/a")
	f.put("newer", "/k/b")
	f.right("before")
	execute(t, url, `UPDATE mem.envelopes SET line = 'garbage' WHERE key = '/k/a'`)
	found, err := check(ctx, f, true)
	if err != nil || len(found) == 0 || found[0].Name != "damaged" || found[0].Mended {
		t.Errorf("%+v, %v", found, err)
	}
	held := false
	must(t, filepath.WalkDir(f.CopyPath(), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			must(t, err)
			held = held || strings.Contains(string(text), "only here")
		}
		return err
	}))
	if !held {
		t.Error("the only sound version is gone")
	}
}

// A repair makes the columns of a row what its line says, as the role of a space may do.
func TestColumnsAreMended(t *testing.T) {
	url := database(t)
	place := newRole(t, url)
	f := follow(t, place, t.TempDir())
	f.put("a text", "/k/a", "/k/b", "/k/c")
	f.put("newer", "/k/a")
	wrong := func(column string, seq int) {
		execute(t, url, fmt.Sprintf("UPDATE mem.envelopes SET %s WHERE space = '%s' AND seq = %d",
			column, place.Space, seq))
	}
	wrong("live = false", 2)
	wrong("key = '/k/other'", 3)
	wrong("ts = ts - interval '1 hour'", 4)
	for _, c := range []struct{ repair, mended bool }{{false, false}, {true, true}} {
		found, err := check(ctx, f, c.repair)
		n := 0
		for _, one := range found {
			if one.Name == "columns" && one.Mended == c.mended {
				n++
			}
		}
		if err != nil || n != 3 {
			t.Errorf("repair %v: %+v, %v", c.repair, found, err)
		}
	}
	if found, err := check(ctx, f, false); err != nil || len(found) > 0 {
		t.Errorf("after a repair: %+v, %v", found, err)
	}
	f.right("after a repair")
}

// check checks a space, and repairs it if that is asked for.
func check(ctx context.Context, s backend.Upkeep, repair bool) ([]backend.Finding, error) {
	rep, err := s.Check(ctx, backend.Caller{}, backend.CheckOptions{Repair: repair})
	return rep.Found, err
}
