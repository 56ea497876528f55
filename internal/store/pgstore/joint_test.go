package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// record adds an envelope by a version of the configuration.
func record(s *pgstore.Store, version, key, content string) error {
	return s.UpdateBy(context.Background(), backend.Caller{}, "test", version,
		func(tx backend.Tx) error {
			_, err := tx.Append(backend.Write{Envelope: log.Envelope{Key: keypath.MustParse(key),
				Source: []byte(`"test"`), Content: []byte(content)}})
			return err
		})
}

// Spaces of a server that are written to at the same time share a transaction. One that is locked,
// and one whose configuration is another, take nothing from the others.
func TestSpacesShareATransaction(t *testing.T) {
	url := database(t)
	newRole(t, url)
	of := newServer(t, url, pgstore.DefaultConns)
	var all []*pgstore.Store
	var places []*pgstore.Address
	var names []string
	for range 5 {
		place := newPlace(t, url)
		s := openOf(t, of, place)
		must(t, add(ctx, s, "/first", `"first"`))
		all, places, names = append(all, s), append(places, place), append(names, place.Space)
	}
	must(t, all[3].SetConfig(ctx, backend.Caller{}, func([]byte) ([]byte, error) {
		return []byte(`{}`), nil
	}))
	must(t, add(ctx, openPlace(t, places[4]), "/other", `"of another process"`))

	unlock := pgstore.Hold(t, places[2])
	release := pgstore.HoldJoint(of)
	ended := make([]chan error, len(all))
	for i, s := range all {
		ended[i] = make(chan error, 1)
		go func() { ended[i] <- record(s, "", fmt.Sprint("/k/", i), `"new"`) }()
	}
	release(len(all))
	for _, i := range []int{0, 1, 4} {
		must(t, <-ended[i])
	}
	if err := <-ended[3]; !errors.Is(err, backend.ErrConfig) {
		t.Errorf("by an old configuration: %v", err)
	}
	select {
	case err := <-ended[2]:
		t.Errorf("a space that is locked: %v", err)
	default:
	}
	unlock()
	must(t, <-ended[2])

	var commits, rows int
	must(t, pgstore.Through{Store: openPlace(t, places[0])}.QueryRow(ctx, `SELECT count(*),
		count(DISTINCT xmin::text) FROM mem.envelopes WHERE key LIKE '/k/%' AND space = ANY ($1)`,
		names).Scan(&rows, &commits))
	if rows != 4 || commits != 2 {
		t.Errorf("%d records in %d transactions, want 4 in 2", rows, commits)
	}
	for _, place := range places {
		follow(t, place, t.TempDir()).right("at the end")
	}
}
