package pgstore_test

import (
	"context"
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

// check checks a space, and repairs it if that is asked for.
func check(ctx context.Context, s backend.Upkeep, repair bool) ([]backend.Finding, error) {
	rep, err := s.Check(ctx, backend.Caller{}, backend.CheckOptions{Repair: repair})
	return rep.Found, err
}
