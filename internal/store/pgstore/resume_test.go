package pgstore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// TestFirstCopyResumes is a first copy over a connection that never lasts for all of it: what came
// before a cut is kept.
func TestFirstCopyResumes(t *testing.T) {
	pgstore.SmallCopies(t)
	const keys = 3000
	ctx, place := context.Background(), newPlace(t, database(t))
	must(t, openPlace(t, place).Update(ctx, backend.Caller{}, "test", func(tx backend.Tx) error {
		for i := range keys {
			_, err := tx.Append(backend.Write{Envelope: log.Envelope{
				Key: keypath.MustParse(fmt.Sprint("/a/", i)), Content: []byte("1"),
				Source: []byte(`"test"`)}})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	between, behind := newProxy(t, place.URL(), 3)
	between.every = keys / 3
	s := openPlace(t, behind)
	between.begin()
	snap, err := s.Snapshot(ctx)
	cuts := between.end()
	must(t, err)
	defer snap.Close()
	n := 0
	for _, err := range snap.ScanBelow(ctx, keypath.Prefix{}) {
		must(t, err)
		n++
	}
	if t.Logf("%d records over %d cuts", n, cuts); n != keys || cuts < 3 {
		t.Errorf("%d records over %d cuts, want %d over some", n, cuts, keys)
	}
}
