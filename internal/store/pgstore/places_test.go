package pgstore_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

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
func suiteOn(t *testing.T, newPlace func(testing.TB) *pgstore.Address) {
	storetest.Run(t, func(t testing.TB) backend.Backend {
		s := &server{t: t, place: newPlace(t), cache: t.TempDir()}
		s.open()
		t.Cleanup(func() { must(t, s.Close()) })
		return testkit.Extent[backend.Backend](plain{s.Store}, plain{s.Store}, s)
	})
}

// On tables that are partitioned by space, each space by its own role, all is as elsewhere.
func TestPartitioned(t *testing.T) {
	url := partitioned(t)
	suiteOn(t, func(t testing.TB) *pgstore.Address { return newRole(t, url) })
	if n := number(t, url, `SELECT count(DISTINCT tableoid)::int FROM mem.envelopes`); n < 4 {
		t.Errorf("the envelopes are in %d partitions, want 4", n)
	}
	execute(t, url, "ANALYZE")
	if n := number(t, url, `SELECT count(*)::int FROM pg_stats WHERE schemaname = 'mem'
		AND attname IN ('key', 'line', 'sum', 'body')`); n > 0 {
		t.Errorf("ANALYZE has copied %d columns of what may be purged", n)
	}
}

// A space that a request names goes into no statement as it is.
func TestOddSpaceIsNotOpened(t *testing.T) {
	place, err := pgstore.ParseURL("postgres://db.example/mem?space=one")
	must(t, err)
	for _, odd := range []string{"a' OR '1'='1", "a b", "..", "é"} {
		_, err := pgstore.Open(place.As("", odd), pgstore.Options{})
		if !errors.Is(err, pgstore.ErrURL) {
			t.Errorf("%q: %v", odd, err)
		}
	}
}

// A server that can only be read lags behind, and is refused unless the URL wants it.
func TestStandbyIsRefused(t *testing.T) {
	base := newPlace(t, database(t))
	follow(t, base, t.TempDir()).put("written", "/k/1")
	standby := base.URL() + "&default_transaction_read_only=on"
	place, err := pgstore.ParseURL(standby)
	must(t, err)
	_, err = follow(t, place, t.TempDir()).tryLive()
	if err == nil || !strings.Contains(err.Error(), "is a standby, which lags behind") {
		t.Errorf("a standby: %v", err)
	}
	place, err = pgstore.ParseURL(standby + "&target_session_attrs=any")
	must(t, err)
	if got := follow(t, place, t.TempDir()).live(); got != `/k/1="written"` {
		t.Errorf("a standby that the URL wants: %s", got)
	}
}

// A table of chunks goes with the next migration, and before it nothing is purged: the table may
// have what goes.
func TestChunksAreDropped(t *testing.T) {
	const tables = "SELECT count(*)::int FROM pg_tables WHERE tablename ~ '^chunk'"
	if n := number(t, otherDatabase(t), tables); n > 0 {
		t.Errorf("a new database has %d tables of chunks", n)
	}
	url := pgtest.Shared(t).Database(t)
	pgstore.MigrateTo(t, url, 3)
	f := follow(t, newPlace(t, url), t.TempDir())
	f.put("a secret", "/k/1")
	erasure := backend.Erasure{Keys: keysOf("/k/1"), Source: []byte(`"test"`)}
	if _, err := f.Erase(ctx, backend.Caller{}, erasure); !errors.Is(err, pgstore.ErrSchema) {
		t.Errorf("a purge before the migration: %v", err)
	}
	list, err := pgstore.Migrate(ctx, url)
	if err != nil || len(list) != 8 {
		t.Errorf("%d migrations, %v", len(list), err)
	}
	execute(t, url, "SELECT 1 / (to_regclass('mem.chunks') IS NULL)::int")
	f.erase("/k/1")
	f.right("purged")
}
