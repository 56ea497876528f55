package pgstore_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// What the server cannot read any more is put back from this machine's copy, and what cannot be is
// not taken out of the copy.
func TestDamagedLineIsInTheCopy(t *testing.T) {
	url := otherDatabase(t)
	f := follow(t, newPlace(t, url), t.TempDir())
	f.put("sound words", "/k/a", "/k/b", "/k/c")
	f.right("before")
	execute(t, url, `UPDATE mem.envelopes SET line = replace(line, 'sound', 'SOUND')
		WHERE key IN ('/k/a', '/k/b')`)
	found, err := check(ctx, f, false)
	must(t, err)
	if len(found) < 2 || found[0].Name != "damaged" || found[0].Mended ||
		!strings.Contains(found[0].Detail, "copy has the line") {
		t.Errorf("check: %+v", found)
	}
	found, err = check(ctx, f, true)
	must(t, err)
	for _, one := range found {
		if !one.Mended {
			t.Errorf("%+v", one)
		}
	}
	if found, err = check(ctx, f, false); err != nil || len(found) > 0 {
		t.Errorf("after the repair: %+v, %v", found, err)
	}
	rec, ok, err := f.Get(ctx, keypath.MustParse("/k/a"))
	if err != nil || !ok || !strings.Contains(string(rec.Line), "sound words") {
		t.Errorf("%s %v %v", rec.Line, ok, err)
	}
	f.right("after")
}

// Where the line cannot be put back the copy that has it is kept.
func TestCopyOfADamagedLineIsKept(t *testing.T) {
	url := otherDatabase(t)
	place := newPlace(t, url)
	f := follow(t, place, t.TempDir())
	f.put("only here", "/k/a")
	f.put("newer", "/k/b")
	f.right("before")
	execute(t, url, `UPDATE mem.envelopes SET line = 'garbage' WHERE key = '/k/a'`)
	execute(t, url, `CREATE FUNCTION mem.no() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION 'not now'; END $$;
		CREATE TRIGGER no BEFORE DELETE ON mem.envelopes EXECUTE FUNCTION mem.no()`)
	if _, err := check(context.Background(), f, true); err != nil {
		t.Fatal(err)
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

// check checks a space, and repairs it if that is asked for.
func check(ctx context.Context, s backend.Upkeep, repair bool) ([]backend.Finding, error) {
	rep, err := s.Check(ctx, backend.Caller{}, backend.CheckOptions{Repair: repair})
	return rep.Found, err
}
