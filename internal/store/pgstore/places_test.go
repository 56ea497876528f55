package pgstore_test

import (
	"os"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/storetest"
)

// long reports whether tests may take minutes.
func long() bool { return os.Getenv("MEM_CRASH") == "long" }

// partitioned returns the URL of a database whose tables are partitioned by space.
func partitioned(t testing.TB) string {
	t.Helper()
	url := otherDatabase(t)
	text, err := os.ReadFile("testdata/partition.sql")
	must(t, err)
	execute(t, url, string(text))
	return url
}

// plain is a store without the upkeep of its copy, so that each case of the suite runs once.
type plain struct{ *pgstore.Store }

// suiteOn runs the suite on places; with the upkeep of copies too in its long form.
func suiteOn(t *testing.T, newPlace func(testing.TB) *pgstore.Place) {
	storetest.Run(t, func(t testing.TB) backend.Backend {
		s := &server{t: t, place: newPlace(t), cache: t.TempDir()}
		s.open()
		t.Cleanup(func() { must(t, s.Close()) })
		if !long() {
			return plain{s.Store}
		}
		return s
	})
}

// On tables that are partitioned by space, each space by its own role, all is as elsewhere.
func TestPartitioned(t *testing.T) {
	url := partitioned(t)
	suiteOn(t, func(t testing.TB) *pgstore.Place { return newRole(t, url) })
	if n := number(t, url, `SELECT count(DISTINCT tableoid)::int FROM mem.envelopes`); n < 4 {
		t.Errorf("the envelopes are in %d partitions, want 4", n)
	}
	execute(t, url, "ANALYZE")
	if n := number(t, url, `SELECT count(*)::int FROM pg_stats WHERE schemaname = 'mem'
		AND attname IN ('key', 'line', 'sum', 'body')`); n > 0 {
		t.Errorf("ANALYZE has copied %d columns of what may be purged", n)
	}
}
