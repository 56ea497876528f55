package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// newRole returns an empty space as its own role sees it.
func newRole(t testing.TB, url string) *pgstore.Address {
	t.Helper()
	name := fmt.Sprintf("r%d", spaces.Add(1))
	made, err := pgstore.AddSpace(ctx, url, name,
		&pgstore.Login{Role: "mem_" + name, Password: "password"})
	must(t, err)
	if !made.Space || !made.NewRole {
		t.Fatalf("made %+v", made)
	}
	owner, err := pgstore.ParseURL(url)
	must(t, err)
	return owner.As(made.Role, name)
}

// bySpace are the tables that have rows of a space, with the column that names it.
var bySpace = map[string]string{"spaces": "name", "envelopes": "space", "counters": "space",
	"blobs": "space", "followers": "space"}

// A role reads, writes and changes its own space, and nothing of another.
func TestIsolation(t *testing.T) {
	for name, url := range map[string]string{"plain": database(t), "partitioned": partitioned(t)} {
		t.Run(name, func(t *testing.T) {
			mine, other := newRole(t, url), newRole(t, url)
			works(t, mine)
			works(t, other)
			conn, err := pgx.Connect(ctx, mine.As("", "").String())
			must(t, err)
			defer conn.Close(ctx)
			r := &role{t, conn, mine.Space, other.Space}
			r.sees()
			list, err := pgstore.Spaces(ctx, conn.Config().ConnString())
			must(t, err)
			if len(list) != 1 || list[0].Name != r.mine {
				t.Errorf("Spaces: %+v", list)
			}
			r.changesNothing()
			r.mayNot(url)
			notThere(t, mine.As("", other.Space))
			works(t, other)
		})
	}
}

// role is the connection of a role, or of a server for a space, with its own space and another.
type role struct {
	*testing.T
	conn interface {
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	}
	mine, other string
}

// sees checks that every table shows the rows of one space.
func (r *role) sees() {
	for table, column := range bySpace {
		var own, others int
		err := r.conn.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FILTER (WHERE %s = $1),
			count(*) FILTER (WHERE %[1]s <> $1) FROM mem.%s`, column, table), r.mine).
			Scan(&own, &others)
		must(r, err)
		if own == 0 || others > 0 {
			r.Errorf("mem.%s: it sees %d rows of its own and %d of others", table, own, others)
		}
	}
}

// changesNothing checks that no statement touches a row of the other space.
func (r *role) changesNothing() {
	for _, sql := range []string{
		"INSERT INTO mem.spaces (name, role) VALUES ('stolen', current_user)",
		"INSERT INTO mem.envelopes VALUES ($1, 99, now(), now(), true, '/k', '{}')",
		"INSERT INTO mem.counters VALUES ($1, 'x', 1)",
		"INSERT INTO mem.blobs VALUES ($1, 'x', 0, 1, 'x')",
		"INSERT INTO mem.followers VALUES ($1, 'x', 'x', 1, 1)",
		"UPDATE mem.spaces SET gen = 99 WHERE name = $1",
		"UPDATE mem.spaces SET config = 'x' WHERE name = $1",
		"UPDATE mem.spaces SET role = current_user WHERE name = $1",
		"UPDATE mem.envelopes SET line = 'x' WHERE space = $1",
		"UPDATE mem.counters SET highest = 99 WHERE space = $1",
		"UPDATE mem.blobs SET body = 'x' WHERE space = $1",
		"UPDATE mem.followers SET gen = 99 WHERE space = $1",
		"UPDATE mem.counters SET space = $1",
		"DELETE FROM mem.spaces WHERE name = $1",
		"DELETE FROM mem.envelopes WHERE space = $1",
		"DELETE FROM mem.counters WHERE space = $1",
		"DELETE FROM mem.blobs WHERE space = $1",
		"DELETE FROM mem.followers WHERE space = $1",
		"SELECT name FROM mem.spaces WHERE name = $1 FOR NO KEY UPDATE",
	} {
		args := []any{r.other}
		if !strings.Contains(sql, "$1") {
			args = nil
		}
		tag, err := r.conn.Exec(ctx, sql, args...)
		if err == nil && tag.RowsAffected() > 0 {
			r.Errorf("%s: %s", sql, tag)
		}
	}
}

// mayNot checks what is refused as a whole.
func (r *role) mayNot(url string) {
	for _, sql := range []string{
		"SET ROLE " + serverRole(r, url),
		"SET ROLE mem_" + r.other,
		"SET ROLE postgres",
		"SET SESSION AUTHORIZATION postgres",
		"TRUNCATE mem.envelopes",
		"CREATE TABLE mem.mine (n int)",
		"CREATE POLICY mine ON mem.envelopes USING (true)",
		"ALTER TABLE mem.envelopes DISABLE ROW LEVEL SECURITY",
		"INSERT INTO mem.migrations VALUES (99, 'x')",
		"UPDATE mem.store SET id = gen_random_uuid()",
		"SELECT count(*) FROM mem.envelopes_0",
		"SELECT count(*) FROM mem.blobs_1",
		"SELECT count(*) FROM mem.blobs_2",
		"SELECT count(*) FROM mem.counters_3",
		"SET row_security = off; SELECT count(*) FROM mem.envelopes",
	} {
		if _, err := r.conn.Exec(ctx, sql); err == nil {
			r.Errorf("it may: %s", sql)
		}
	}
	var n int
	_, err := r.conn.Exec(ctx, "RESET row_security; SET ROLE mem_space")
	if err == nil {
		err = r.conn.QueryRow(ctx, "SELECT count(*) FROM mem.envelopes").Scan(&n)
	}
	if err == nil && n > 0 {
		r.Errorf("as the role of the group it sees %d envelopes", n)
	}
	for _, role := range []string{"mem_space", serverRole(r, url)} {
		if _, err := pgstore.AddSpace(ctx, url, "of-all",
			&pgstore.Login{Role: role}); err == nil {
			r.Error("a space may have the role of all: " + role)
		}
	}
}

// notThere checks that a space of another does not exist for a role.
func notThere(t *testing.T, place *pgstore.Address) {
	t.Helper()
	f := follow(t, place, t.TempDir())
	_, read := f.tryLive()
	_, _, get := f.Get(ctx, keypath.MustParse("/k/1"))
	_, _, config := f.Config(ctx, "")
	_, erased := f.Erase(ctx, backend.Caller{}, backend.Erasure{Keys: keysOf("/k/1"),
		Source: []byte(`{"purged":true}`)})
	for what, err := range map[string]error{"read": read, "get": get, "config": config,
		"write": f.tryPut("stolen", "/k/1"), "erase": erased} {
		if !errors.Is(err, pgstore.ErrNoSpace) {
			t.Errorf("%s: %v, want that there is no such space", what, err)
		}
	}
	if _, err := f.PutBlob(ctx, strings.NewReader("stolen"), 100); err == nil {
		t.Error("a blob is kept in the space of another")
	}
}

// works checks that a store can do everything.
func works(t *testing.T, place *pgstore.Address) {
	t.Helper()
	worksIn(t, follow(t, place, t.TempDir()))
}

// worksIn is works on a store.
func worksIn(t *testing.T, f *follower) {
	t.Helper()
	f.put("a text to be found", "/k/1", "/k/2", "/k/secret")
	f.right("written")
	snap, err := f.Snapshot(ctx)
	must(t, err)
	if n := found(t, snap, "found"); n != 3 {
		t.Errorf("%d are found, want 3", n)
	}
	snap.Close()
	must(t, f.Update(ctx, backend.Caller{}, "test", func(tx backend.Tx) error {
		n, err := tx.NextNumber(ctx, "note")
		if err != nil {
			return err
		}
		key := keypath.MustParse(fmt.Sprintf("/note/workspace/m-%d", n))
		_, err = tx.Append(backend.Write{Envelope: log.Envelope{Key: key,
			Source: []byte(`"test"`), Content: []byte(`"a note"`)}})
		return err
	}))
	f.erase("/k/secret")
	f.right("purged")
	must(t, f.SetConfig(ctx, backend.Caller{}, func(text []byte) ([]byte, error) {
		return append(text, ' '), nil
	}))
	odd := errors.New("odd")
	if err := f.SetConfig(ctx, backend.Caller{}, func([]byte) ([]byte, error) {
		return nil, odd
	}); err != odd {
		t.Errorf("SetConfig: %v, want the error as it is", err)
	}
	j := f.Journal("ops.jsonl")
	j.Append([]byte("{}\n"), 1000)
	if text, err := j.Read(1000); err != nil || !strings.HasPrefix(string(text), "{}\n") {
		t.Errorf("the journal has %q, %v", text, err)
	}
	b, err := f.PutBlob(ctx, strings.NewReader("bytes"), 100)
	must(t, err)
	r, err := f.OpenBlob(ctx, b.Sum)
	must(t, err)
	defer r.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "bytes" {
		t.Errorf("the blob has %q, %v", text, err)
	}
	v, err := f.Versions(ctx, keypath.MustParse("/k/1"))
	if err != nil || v.Count == 0 {
		t.Errorf("%d versions, %v", v.Count, err)
	}
}

// trapsSQL makes what statements of the owner find first that trust the schema public: operators
// that match their operands better than those of PostgreSQL do, and take another space's rows.
const trapsSQL = `CREATE TABLE public.loot (who text, line text); GRANT ALL ON public.loot TO public;
	CREATE FUNCTION public.trap(oid, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO public.loot SELECT current_user, line FROM mem.envelopes;
		RETURN $1::text OPERATOR(pg_catalog.||) $2; END $$;
	CREATE FUNCTION public.trap(text, oid) RETURNS text LANGUAGE sql AS 'SELECT public.trap($2, $1)';
	CREATE OPERATOR public.|| (LEFTARG = oid, RIGHTARG = text, FUNCTION = public.trap);
	CREATE OPERATOR public.|| (LEFTARG = text, RIGHTARG = oid, FUNCTION = public.trap)`

// Where everybody may make functions in the schema public, as PostgreSQL 14 and what came from it
// lets them, the role of a space has none run as the owner of the tables.
func TestNoTrapInPublic(t *testing.T) {
	url := pgtest.Shared(t).Database(t)
	_, err := pgstore.Migrate(ctx, url)
	must(t, err)
	mine, other := newRole(t, url), newRole(t, url)
	works(t, other)
	run := func(as, sql string) {
		conn, err := pgx.Connect(ctx, as)
		must(t, err)
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, sql)
		must(t, err)
	}
	run(url, "GRANT CREATE ON SCHEMA public TO public")
	run(mine.As("", "").String(), trapsSQL)
	_, err = pgstore.AddSpace(ctx, url, "trapped", &pgstore.Login{Password: "password"})
	must(t, err)
	_, err = pgstore.Migrate(ctx, url)
	must(t, err)
	if n := number(t, url, "SELECT count(*) FROM public.loot"); n != 0 {
		t.Errorf("the role of a space took %d rows", n)
	}
	for name, url := range map[string]string{"direct": url, "pooled": bounced(t, url),
		"simple": url + "&default_query_exec_mode=simple_protocol"} {
		through := pgstore.Through{Store: served(t, newServer(t, url, 4), other.Space).Store}
		var path string
		must(t, through.QueryRow(ctx, "SELECT current_setting('search_path')").Scan(&path))
		if path != "pg_catalog" {
			t.Errorf("%s: search_path is %s", name, path)
		}
	}
}
