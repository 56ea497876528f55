package pgstore_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/keypath"
)

// An update that appends nothing looks at the newest all the same, whatever this process knew.
func TestVerdictOfNewest(t *testing.T) {
	ctx := context.Background()
	place := newPlace(t, database(t))
	a, b := openPlace(t, place), openPlace(t, place)
	must(t, put(ctx, a, "/x", `"one"`, true))
	must(t, put(ctx, b, "/y", `"two"`, true))
	found := false
	must(t, a.Update(ctx, backend.Caller{}, "test", func(tx backend.Tx) (err error) {
		_, found, err = tx.Get(ctx, keypath.MustParse("/y"))
		return err
	}))
	if !found {
		t.Error("an update missed what was acknowledged before it began")
	}
}

// Whatever a role's encoding and the database's isolation are, lines stay as they are, and writers
// do not disturb each other.
func TestSettingsOfDatabase(t *testing.T) {
	ctx := context.Background()
	url := otherDatabase(t)
	place := newPlace(t, url)
	execute(t, url, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET client_encoding = LATIN1',
		current_database()); EXECUTE format(
		'ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database());
		END $$`)
	encoded, err := pgstore.ParseURL(place.URL() + "&client_encoding=LATIN1")
	must(t, err)
	for i, p := range []*pgstore.Address{place, encoded} {
		s, text := openPlace(t, p), fmt.Sprintf(`"é ü 日本 %d"`, i)
		must(t, put(ctx, s, "/enc", text, false))
		rec, _, err := s.Get(ctx, keypath.MustParse("/enc"))
		if err != nil || string(rec.Content) != text {
			t.Errorf("%s: %v", rec.Content, err)
		}
	}
	var told verdicts
	stores := []*pgstore.Store{openPlace(t, place), openPlace(t, place), openPlace(t, place)}
	var writers sync.WaitGroup
	for i := range 9 {
		writers.Go(func() {
			for n := range 10 {
				content := fmt.Sprintf(`"%d of %d"`, n, i)
				err := put(ctx, stores[i%3], "/w", content, false)
				told.add(verdict{content: content, err: err})
			}
		})
	}
	writers.Wait()
	for _, one := range told.all {
		must(t, one.err)
	}
	told.holdAcknowledged(t, stores[0])
}

// A line that is damaged keeps nobody from writing, to its own key or to another.
func TestDamagedLine(t *testing.T) {
	ctx := context.Background()
	url := otherDatabase(t)
	place := newPlace(t, url)
	s := openPlace(t, place)
	must(t, put(ctx, s, "/bad", `"one"`, true))
	execute(t, url, "UPDATE mem.envelopes SET line = 'garbage' WHERE key = '/bad'")
	must(t, put(ctx, s, "/fine", `"two"`, true))
	must(t, put(ctx, s, "/bad", `"three"`, false))
	rec, ok, err := s.Get(ctx, keypath.MustParse("/bad"))
	if !ok || err != nil || string(rec.Content) != `"three"` {
		t.Errorf("%s %v", rec.Content, err)
	}
	found, err := check(ctx, s, false)
	must(t, err)
	if len(found) != 1 || found[0].Name != "damaged" {
		t.Errorf("check: %v", found)
	}
}

// What the server refuses fails alone: updates that share its transaction are stored.
func TestRefusedAlone(t *testing.T) {
	ctx := context.Background()
	s := openPlace(t, newPlace(t, database(t)))
	entered, end := make(chan struct{}), make(chan struct{})
	enter := sync.OnceFunc(func() { close(entered) }) // the function may run again
	var all sync.WaitGroup
	all.Go(func() {
		must(t, s.Update(ctx, backend.Caller{}, "hold", func(backend.Tx) error {
			enter()
			<-end
			return nil
		}))
	})
	<-entered
	errs := make([]error, 9)
	for i := range errs {
		all.Go(func() {
			content := fmt.Sprintf(`"%d"`, i)
			if i == 4 {
				content = "\"\xff\"" // no UTF-8: nothing above would let it through
			}
			errs[i] = put(ctx, s, fmt.Sprint("/k/", i), content, true)
		})
	}
	for range 100_000 { // for them to wait together; alone each is refused or stored as well
		runtime.Gosched()
	}
	close(end)
	all.Wait()
	for i, err := range errs {
		if (err != nil) != (i == 4) {
			t.Errorf("update %d: %v", i, err)
		}
	}
}
