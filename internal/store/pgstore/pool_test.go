package pgstore_test

import (
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Who has the space gets what it asks for, however few connections a process may have: else nobody
// could write any more.
func TestOneConnectionUnderTheLock(t *testing.T) {
	place := newPlace(t, database(t))
	small, err := pgstore.ParseURL(place.URL() + "&pool_max_conns=1")
	must(t, err)
	s, other := openPlace(t, small), openPlace(t, place)
	must(t, put(ctx, s, "/k/a", `"one"`, true))
	must(t, put(ctx, other, "/k/b", `"two"`, true)) // so that the first try is too early
	release := pgstore.Hold(t, place)
	time.AfterFunc(300*time.Millisecond, release)
	below, err := keypath.ParsePrefix("/k")
	must(t, err)
	found := 0
	must(t, s.Update(ctx, backend.Caller{}, "test", func(tx backend.Tx) error {
		found = 0
		for rec, err := range tx.ScanBelow(ctx, below) {
			if err != nil {
				return err
			}
			if _, _, err := s.Get(ctx, rec.Key); err != nil {
				return err
			}
			if _, _, err := tx.Get(ctx, keypath.MustParse(rec.Key.String()+"/x")); err != nil {
				return err
			}
			found++
		}
		if _, err := tx.Select(ctx, backend.Where{}, backend.NewestFirst, 5); err != nil {
			return err
		}
		_, err := tx.Append(backend.Write{Envelope: log.Envelope{Key: keypath.MustParse("/k/c"),
			Content: []byte("1"), Source: []byte(`"test"`)}})
		return err
	}))
	if found != 2 {
		t.Errorf("%d keys", found)
	}
}
