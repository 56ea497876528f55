package pgstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// at opens a place on a directory of copies at a time of the system.
func at(t testing.TB, place *pgstore.Address, cache string, now time.Time) *follower {
	t.Helper()
	f := &follower{t: t, place: place, cache: cache}
	var err error
	f.Store, err = pgstore.Open(f.place, pgstore.Options{CacheDir: f.cache,
		Now:   func() time.Time { return storetest.Noon },
		Clock: func() time.Time { return now },
		Warn:  func(msg string) { f.warns = append(f.warns, msg) }})
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	return f
}

// asOf returns what is said of the copy of a place.
func asOf(t testing.TB, f *follower) string {
	t.Helper()
	place := *f.place
	place.FromCopy = true
	reader := at(t, &place, f.cache, time.Time{})
	reader.live()
	return strings.Join(reader.warns, "\n")
}

// A copy says when it was last held against the server, whether or not that had anything new.
func TestCopySaysAsOfWhen(t *testing.T) {
	place, cache := newPlace(t, database(t)), t.TempDir()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	f := at(t, place, cache, noon)
	f.put("known", "/k/1")
	f.live()
	if got := asOf(t, f); !strings.Contains(got, "as of "+log.StampOf(noon).String()) {
		t.Errorf("after a read: %s", got)
	}
	later := noon.Add(time.Hour)
	at(t, place, cache, later).live()
	if got := asOf(t, f); !strings.Contains(got, "as of "+log.StampOf(later).String()) {
		t.Errorf("after a read of nothing new: %s", got)
	}
	f.put("unread", "/k/2")
	if got := asOf(t, f); !strings.Contains(got, "as of "+log.StampOf(later).String()) {
		t.Errorf("after a write that was not read: %s", got)
	}
}

// A time that is not of what the copy has is not told: a crash may have taken the end of the tail.
func TestCopyThatLostItsEnd(t *testing.T) {
	f := at(t, newPlace(t, database(t)), t.TempDir(), storetest.Noon)
	f.put("kept", "/k/1")
	f.live()
	tail := filepath.Join(f.CopyPath(), "tail-0")
	fi, err := os.Stat(tail)
	must(t, err)
	later := at(t, f.place, f.cache, storetest.Noon.Add(time.Hour))
	later.put("lost", "/k/2")
	later.live()
	must(t, os.Truncate(tail, fi.Size()))
	if got := asOf(t, f); !strings.Contains(got, "whose time is unknown") {
		t.Error(got)
	}
}

// After a purge the copy is another one, of another time.
func TestCopyMadeAnewSaysAsOfWhen(t *testing.T) {
	f := at(t, newPlace(t, database(t)), t.TempDir(), storetest.Noon)
	f.put("purged", "/k/1")
	f.live()
	f.erase("/k/1")
	later := storetest.Noon.Add(time.Hour)
	at(t, f.place, f.cache, later).live()
	if got := asOf(t, f); !strings.Contains(got, log.StampOf(later).String()) {
		t.Error(got)
	}
}
