package pgstore_test

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
)

// Through PgBouncer, which gives each transaction any session, all is as elsewhere.
func TestThroughPgBouncer(t *testing.T) {
	t.Parallel()
	direct := database(t)
	through := bounced(t, direct)
	suiteOn(t, func(t testing.TB) *pgstore.Address {
		place, err := pgstore.ParseURL(through + "&space=" + newPlace(t, direct).Space)
		must(t, err)
		return place
	})
	// Other clients of the pooler get sessions with the settings of the server.
	for range 8 {
		if n := number(t, through+"&default_query_exec_mode=simple_protocol",
			"SELECT (current_setting('enable_sort') = 'on')::int"); n != 1 {
			t.Fatal("the settings of a session are those of prepared statements")
		}
	}
}

// A plan that is made while the table is small does not sort the rows of a space for its head.
func TestPlansOfSmallTables(t *testing.T) {
	url := pgtest.Shared(t).Database(t)
	_, err := pgstore.Migrate(ctx, url)
	must(t, err)
	f := follow(t, newRole(t, url), t.TempDir())
	through := pgstore.Through{Store: f.Store}
	for try := 0; ; try++ { // the first connection finds out that none lies between
		var plan string
		must(t, through.QueryRow(ctx, "EXPLAIN (FORMAT JSON) "+pgstore.HeadSQL, "none").Scan(&plan))
		if !strings.Contains(plan, "Sort") {
			return
		}
		if try == 40 {
			t.Fatal(plan)
		}
	}
}

// bounced returns the URL of a database through a PgBouncer with few sessions.
func bounced(t testing.TB, direct string) string {
	t.Helper()
	return pgtest.Shared(t).Pooled(t, direct, "transaction", 4)
}
