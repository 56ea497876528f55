package pgstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/pgstore"
)

// A writer that came too late waits for the lock first, until it has been alone for a while, and
// stores all the same.
func TestCrowd(t *testing.T) {
	place := newPlace(t, database(t))
	ahead, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir(),
		Now: func() time.Time { return time.Now().Add(time.Hour) }})
	must(t, err)
	defer ahead.Close()
	s := openPlace(t, place)
	must(t, add(ctx, s, "/k/first", `"first"`))
	if s.InCrowd() {
		t.Error("it is alone")
	}
	must(t, add(ctx, ahead, "/other", `"other"`))
	must(t, add(ctx, s, "/k/late", `"late"`))
	if !s.InCrowd() {
		t.Error("another process has written meanwhile")
	}
	for i := range pgstore.Calm {
		must(t, add(ctx, s, fmt.Sprint("/k/", i), `"alone"`))
	}
	if s.InCrowd() {
		t.Error("it has been alone for a while")
	}
	must(t, add(ctx, s, "/k/last", `"last"`))
	follow(t, place, t.TempDir()).right("at the end")
}
