package pgstore_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/testkit"
)

// copySQL makes many events of one: that of a line, in 2,000 sessions.
const copySQL = `INSERT INTO mem.envelopes
	SELECT $1, 1000 + n, now() + n * interval '1 second', now() + n * interval '1 second', true,
		'/event/s' || n % 2000 || '/evt_' || n, left(text, -1) || ',"checksum":"sha256:' ||
		encode(sha256(convert_to(text, 'UTF8')), 'hex') || '"}'
	FROM (SELECT n, left($2::text, -86) || '}' AS text
		FROM generate_series(1, $3::bigint) n) lines`

// TestViewsAreIndexed is what is asked of a large space: its indexes are used below the barrier of
// the view, and by the role of the space, who sees its own rows.
func TestViewsAreIndexed(t *testing.T) {
	events := testkit.Extent(20_000, 20_000, 1_000_000)
	ctx, d := context.Background(), newDesk(t)
	id := d.said(`{"text":"` + strings.Repeat("the quick brown fox ", 50) + `"}`)
	var line string
	must(t, d.sql.QueryRow(ctx, "SELECT line FROM mem.envelopes WHERE space = $1 AND key = $2",
		d.place.Space, "/event/s1/"+id).Scan(&line))
	sql := connect(t, database(t))
	exec := func(text string, args ...any) {
		t.Helper()
		_, err := sql.Exec(ctx, text, args...)
		must(t, err)
	}
	_, err := pgstore.AddSpace(ctx, database(t), "views-of-many", &pgstore.Login{Password: "x"})
	must(t, err)
	defer exec("DELETE FROM mem.envelopes WHERE space = 'views-of-many'")
	exec(copySQL, "views-of-many", line, events)
	exec("VACUUM ANALYZE mem.envelopes")
	late := time.Now().Add(time.Duration(events-60) * time.Second).Format(time.RFC3339)
	var role string
	must(t, sql.QueryRow(ctx, "SELECT role FROM mem.spaces WHERE name = 'views-of-many'").
		Scan(&role))
	exec("SET ROLE " + pgx.Identifier{role}.Sanitize())
	defer exec("RESET ROLE")
	for query, index := range map[string]string{
		`SELECT * FROM mem.events WHERE tenant_id = 'views-of-many' AND session_id = 's77'
			ORDER BY ts DESC LIMIT 5`: "envelopes_event_session",
		`SELECT * FROM mem.events WHERE session_id = 's77' ORDER BY ts DESC LIMIT 5`:// of its own
		"envelopes_event_session",
		`SELECT * FROM mem.events WHERE tenant_id = 'views-of-many'
			AND ts > '` + late + `' ORDER BY ts DESC LIMIT 5`: "envelopes_event_", // of few, either
	} {
		plan, err := sql.Query(ctx, "EXPLAIN "+query)
		must(t, err)
		lines, err := pgx.CollectRows(plan, pgx.RowTo[string])
		must(t, err)
		uses := func(line string) bool { return strings.Contains(line, index) }
		if !slices.ContainsFunc(lines, uses) {
			t.Errorf("%s\ndoes not use %s:\n%s", query, index, strings.Join(lines, "\n"))
		}
		best := time.Hour
		for range 3 {
			begin := time.Now()
			tag, err := sql.Exec(ctx, query)
			must(t, err)
			if best = min(best, time.Since(begin)); tag.RowsAffected() != 5 {
				t.Errorf("%s: %d rows", query, tag.RowsAffected())
			}
		}
		t.Logf("%s of %d events: %s", index, events, best)
		if best > 50*time.Millisecond {
			t.Errorf("%s takes %s at %d events", query, best, events)
		}
	}
}
