package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// verdict is what a writer was told of a write.
type verdict struct {
	key     string
	content string
	err     error
}

// verdicts are what all writers were told.
type verdicts struct {
	mu  sync.Mutex
	all []verdict
}

func (v *verdicts) add(one verdict) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all = append(v.all, one)
}

// errTaken is the verdict of a write to a key that has a memory.
var errTaken = errors.New("taken")

// put writes a content that is unique, to a key that must have no memory if new.
func put(ctx context.Context, s backend.Backend, key, content string, isNew bool) error {
	k := keypath.MustParse(key)
	return s.Update(ctx, backend.Caller{}, "test", func(tx backend.Tx) error {
		found, err := tx.Newest(ctx, []keypath.Key{k})
		if err != nil {
			return err
		}
		if _, there := found[k]; there && isNew {
			return errTaken
		}
		_, err = tx.Append(backend.Write{Envelope: log.Envelope{Key: k,
			Content: []byte(content), Source: []byte(`"test"`)}})
		return err
	})
}

// add writes a content that is unique, whatever is there.
func add(ctx context.Context, s backend.Backend, key, content string) error {
	return s.Update(ctx, backend.Caller{}, "test", func(tx backend.Tx) error {
		_, err := tx.Append(backend.Write{Envelope: log.Envelope{Key: keypath.MustParse(key),
			Content: []byte(content), Source: []byte(`"test"`)}})
		return err
	})
}

// hold checks that what was acknowledged is there once, that what failed is not there, and that
// stamps rise in the order of the log.
func (v *verdicts) hold(t *testing.T, s backend.Backend) (stored, failed, unknown int) {
	t.Helper()
	count := map[string]int{}
	newest := log.MinStamp
	for rec, err := range s.History(context.Background()) {
		must(t, err)
		if rec.TS <= newest {
			t.Fatalf("%s of %s comes after %s", rec.TS, rec.Key, newest)
		}
		newest = rec.TS
		count[string(rec.Content)]++
	}
	for _, one := range v.all {
		n := count[one.content]
		switch {
		case one.err == nil:
			stored++
			if n != 1 {
				t.Errorf("%s was acknowledged and is there %d times", one.content, n)
			}
		case errors.As(one.err, new(*backend.UnknownError)):
			unknown++
			if n > 1 {
				t.Errorf("%s is there %d times", one.content, n)
			}
		default:
			failed++
			if n != 0 {
				t.Errorf("%s failed with %q, and is there", one.content, one.err)
			}
		}
	}
	if len(count) > stored+unknown {
		t.Errorf("%d contents are there, %d were written", len(count), stored+unknown)
	}
	return stored, failed, unknown
}

// A proxy cuts connections between any two messages, while some write through it and others beside
// it: nothing acknowledged is lost, nothing is there twice, no verdict is wrong.
func TestLostAnswers(t *testing.T) {
	t.Run("by itself", func(t *testing.T) { loseAnswers(t, openPlace) })
	t.Run("served", func(t *testing.T) { loseAnswers(t, openServed) })
}

func loseAnswers(t *testing.T, open func(testing.TB, *pgstore.Address) *pgstore.Store) {
	cuts := testkit.Extent(40, 150, 3000)
	place := newPlace(t, database(t))
	between, behind := newProxy(t, place.URL(), 1)
	direct := openPlace(t, place)
	through := open(t, behind)
	var told verdicts
	must(t, put(context.Background(), through, "/first", `"first"`, true))
	told.add(verdict{content: `"first"`})
	between.begin()
	var writers sync.WaitGroup
	for w := range 8 {
		s := through
		if w == 0 {
			s = direct
		}
		writers.Go(func() {
			for i := 0; between.count() < cuts; i++ {
				key, content := fmt.Sprintf("/w/%d/%d", w, i), fmt.Sprintf(`"%d of %d"`, i, w)
				var err error
				switch i % 4 {
				case 0:
					key = "/shared"
					err = put(context.Background(), s, key, content, false)
				case 1, 2: // who looks at nothing
					err = add(context.Background(), s, key, content)
				default:
					err = put(context.Background(), s, key, content, true)
				}
				told.add(verdict{key, content, err})
			}
		})
	}
	writers.Wait()
	n := between.end()
	stored, failed, unknown := told.hold(t, direct)
	t.Logf("%d cuts: %d stored, %d failed, %d unknown", n, stored, failed, unknown)
	if n < cuts || stored < cuts/4 {
		t.Errorf("%d cuts, %d stored", n, stored)
	}
	for _, one := range told.all {
		if one.err != nil && strings.Contains(one.err.Error(), "taken") {
			t.Errorf("%s: its own write was told as another's", one.key)
		}
	}
}

// openPlace opens a store with a copy of its own and the system's clock.
func openPlace(t testing.TB, place *pgstore.Address) *pgstore.Store {
	t.Helper()
	return openOf(t, nil, place)
}

// openServed is openPlace of a space of a server.
func openServed(t testing.TB, place *pgstore.Address) *pgstore.Store {
	t.Helper()
	return openOf(t, newServer(t, place.URL(), pgstore.DefaultConns), place)
}

func openOf(t testing.TB, of *pgstore.Server, place *pgstore.Address) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir(),
		LockWait: 10 * time.Second, Server: of})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}
