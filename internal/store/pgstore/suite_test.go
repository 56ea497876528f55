package pgstore_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

func TestMain(m *testing.M) {
	// Files and memory are held to the same model a hundred times.
	if err := flag.Set("rapid.checks", testkit.Extent("10", "20", "100")); err != nil {
		panic(err)
	}
	if url := os.Getenv(writerURL); url != "" {
		os.Exit(writeUntilKilled(url))
	}
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

func TestSuite(t *testing.T) {
	database(t)
	storetest.RunCases(t, openServer)
}

func TestComparisons(t *testing.T) {
	database(t)
	storetest.RunComparisons(t, openServer)
}

var (
	sharing sync.Mutex
	shared  string // URL of the database that most tests use
	spaces  atomic.Int64
)

// database returns the URL of the database that most tests use.
func database(t testing.TB) string {
	t.Helper()
	server := pgtest.Shared(t)
	sharing.Lock()
	defer sharing.Unlock()
	if shared == "" {
		url := server.Database(t)
		_, err := pgstore.Migrate(context.Background(), url)
		must(t, err)
		shared = url
	}
	return shared
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newPlace returns an empty space.
func newPlace(t testing.TB, url string) *pgstore.Address {
	t.Helper()
	name := fmt.Sprintf("s%d", spaces.Add(1))
	_, err := pgstore.AddSpace(context.Background(), url, name, nil)
	must(t, err)
	place, err := pgstore.ParseURL(url + "&space=" + name)
	must(t, err)
	return place
}

// server is a store under test, whose copy can be folded, lost and shared.
type server struct {
	*pgstore.Store
	t     testing.TB
	place *pgstore.Address
	cache string
	of    *pgstore.Server // whose connections it shares; nil: it has its own
}

func openServer(t testing.TB) backend.Backend {
	s := &server{t: t, place: newPlace(t, database(t)), cache: t.TempDir()}
	s.open()
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func (s *server) open() {
	store, err := pgstore.Open(s.place, pgstore.Options{CacheDir: s.cache,
		Now: func() time.Time { return storetest.Noon }, LockWait: time.Hour, Server: s.of})
	must(s.t, err)
	s.Store = store
}

// Reopen closes the store and opens it again.
func (s *server) Reopen() {
	must(s.t, s.Close())
	s.open()
}

// Compact folds the tail of the copy into its state.
func (s *server) Compact() {
	if _, err := s.Store.Compact(context.Background(), backend.Caller{},
		backend.CompactOptions{}); err != nil {
		s.t.Error(err)
	}
}

// Rotate folds the copy, too: the server has no segments.
func (s *server) Rotate() { s.Compact() }

// Hold takes the space as another process does.
func (s *server) Hold() (release func()) { return pgstore.Hold(s.t, s.place) }
