package pgstore_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
)

// serverRole returns the name of the role that a server takes on for a space.
func serverRole(t testing.TB, url string) (name string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	must(t, err)
	defer conn.Close(ctx)
	must(t, conn.QueryRow(ctx, "SELECT server FROM mem.store").Scan(&name))
	return name
}

// newServer returns a server of so many connections.
func newServer(t testing.TB, url string, conns int) *pgstore.Server {
	t.Helper()
	place, err := pgstore.ParseURL(url)
	must(t, err)
	s, err := pgstore.NewServer(place, conns)
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

// served opens a new space of a server.
func served(t testing.TB, of *pgstore.Server, space string) *follower {
	t.Helper()
	place, err := of.Tenant(ctx, space)
	must(t, err)
	f := &follower{t: t, place: place, cache: t.TempDir(), of: of}
	f.open()
	t.Cleanup(func() { must(t, f.Close()) })
	return f
}

// Over the connections of a server a space can do everything that it can over its own.
func TestServedSuite(t *testing.T) {
	url := partitioned(t)
	newRole(t, url) // with which the role of the server comes
	of := newServer(t, url, pgstore.DefaultConns)
	storetest.Run(t, func(t testing.TB) backend.Backend {
		s := &server{t: t, place: newPlace(t, url), cache: t.TempDir(), of: of}
		s.open()
		t.Cleanup(func() { must(t, s.Close()) })
		return s
	})
}

// A server sees, writes and changes the space that it acts for, and nothing of another: its
// connections see all, before and after.
func TestServedIsolation(t *testing.T) {
	for name, url := range map[string]string{"plain": database(t), "partitioned": partitioned(t),
		"pooler": database(t)} {
		t.Run(name, func(t *testing.T) {
			mine, other := newRole(t, url).Space, newPlace(t, url).Space
			if name == "pooler" {
				url = bounced(t, url)
			}
			of := newServer(t, url, 2) // so that they do share them
			a, b := served(t, of, mine), served(t, of, other)
			worksIn(t, a)
			worksIn(t, b)
			a.put("decided", "/decision/d1")
			b.put("decided", "/decision/d1")
			for _, pair := range [][2]*follower{{a, b}, {b, a}} {
				r := &role{t, pgstore.Through{Store: pair[0].Store}, pair[0].place.Space,
					pair[1].place.Space}
				r.sees()
				r.changesNothing()
				var own, others int
				must(t, r.conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE tenant_id = $1),
					count(*) FILTER (WHERE tenant_id <> $1) FROM mem.decisions`, r.mine).
					Scan(&own, &others))
				if own != 1 || others > 0 {
					t.Errorf("the views show %d rows, and %d of others", own, others)
				}
			}
			list, err := of.Tokens(ctx) // as the owner again
			if err != nil || len(list) > 0 {
				t.Errorf("tokens: %v, %v", list, err)
			}
			worksIn(t, b)
			a.right("at the end")
			_, err = of.Tenant(ctx, "of nobody")
			if !errors.Is(err, pgstore.ErrNoSpace) {
				t.Errorf("a space that is not there: %v", err)
			}
		})
	}
}

// Many spaces write and read over few connections, and each has what it was given.
func TestManySpacesFewConnections(t *testing.T) {
	url := database(t)
	newRole(t, url)
	of := newServer(t, url, 3)
	var all []*follower
	for range 12 {
		all = append(all, served(t, of, newPlace(t, url).Space))
	}
	var group sync.WaitGroup
	for i, f := range all {
		group.Go(func() {
			for n := range 10 {
				key := fmt.Sprintf("/k/%d", n)
				if err := f.tryPut(fmt.Sprint("of ", i), key); err != nil {
					t.Errorf("%d: %v", i, err)
				}
				rec, ok, err := f.Get(ctx, keypath.MustParse(key))
				if want := fmt.Sprintf("%q", fmt.Sprint("of ", i)); err != nil || !ok ||
					string(rec.Content) != want {
					t.Errorf("%d: %s, %v, want %s", i, rec.Content, err, want)
				}
			}
			if n, err := f.tryLive(); err != nil {
				t.Errorf("%d: %s, %v", i, n, err)
			}
		})
	}
	group.Wait()
	for _, f := range all {
		f.right("at the end")
	}
}

// A space whose calls hold all of its connections leaves those of the others. Where there is none
// for anybody, a call says so after some seconds, and so does the server.
func TestServedSpaceIsBounded(t *testing.T) {
	t.Parallel()
	url := database(t)
	newRole(t, url)
	for _, conns := range []int{pgstore.DefaultConns, 2} {
		t.Run(fmt.Sprint(conns), func(t *testing.T) {
			t.Parallel()
			of := newServer(t, url, conns)
			busy := served(t, of, newPlace(t, url).Space)
			other := served(t, of, newPlace(t, url).Space)
			busy.put("first", "/k/1")
			release := pgstore.HoldLanes(t, busy.Store)
			err := other.tryPut("written meanwhile", "/k/1")
			healthy := conns > 2 && of.Check(ctx) == nil
			release()
			isFull := errors.Is(err, backend.ErrUnavailable)
			if isFull != (conns == 2) || err != nil && !isFull {
				t.Errorf("the other space: %v", err)
			}
			if conns == 2 && of.Check(ctx) == nil {
				t.Error("a server that refused a caller just now is healthy")
			} else if conns > 2 && !healthy {
				t.Error("a server with connections left is not healthy")
			}
			busy.right("released")
		})
	}
}

// The owner of a database migrates it without the right to make roles, unless a space there has
// one.
func TestMigrationByOwner(t *testing.T) {
	newRole(t, database(t)) // the group of roles is there, of another database
	url := pgtest.Shared(t).Database(t)
	execute(t, url, "CREATE ROLE limited LOGIN")
	execute(t, url, "ALTER DATABASE "+nameOf(t, url)+" OWNER TO limited")
	owners := strings.Replace(url, "postgres@", "limited@", 1)
	pgstore.MigrateTo(t, owners, 8)
	execute(t, url, "INSERT INTO mem.spaces (name, role) VALUES ('one', 'mem_one')")
	_, err := pgstore.Migrate(ctx, owners)
	if err == nil || !strings.Contains(err.Error(), "memd serve needs a role") {
		t.Errorf("with a role of a space: %v", err)
	}
	execute(t, url, "UPDATE mem.spaces SET role = NULL")
	for _, steps := range []int{3, 0} {
		list, err := pgstore.Migrate(ctx, owners)
		if err != nil || len(list) != steps {
			t.Errorf("without: %d steps, want %d: %v", len(list), steps, err)
		}
	}
	works(t, newPlace(t, owners))
	of := newServer(t, owners, pgstore.DefaultConns)
	worksIn(t, served(t, of, newPlace(t, owners).Space)) // as the owner
	newRole(t, url)                                      // by the superuser
	for range 2 {
		worksIn(t, served(t, of, newPlace(t, owners).Space))
	}
	// A login that is the owner only by its settings stays that where there is no role of a server.
	execute(t, url, "CREATE ROLE settled LOGIN NOINHERIT IN ROLE limited")
	execute(t, url, "ALTER ROLE settled SET role = 'limited'")
	execute(t, url, "UPDATE mem.store SET server = NULL")
	other := newServer(t, strings.Replace(url, "postgres@", "settled@", 1), pgstore.DefaultConns)
	worksIn(t, served(t, other, newPlace(t, owners).Space))
	_, err = pgstore.Migrate(ctx, url)
	must(t, err)
	if n := number(t, url, `SELECT count(*)::int FROM mem.store
		WHERE pg_has_role('limited', server, 'MEMBER')`); n != 1 {
		t.Error("the owner is no member of the server's role")
	}
}

// A restored database has the name of its original's role: no owner becomes a member of that one,
// and a server without its role is not healthy until the next migration makes it.
func TestRestoredServer(t *testing.T) {
	url := pgtest.Shared(t).Database(t)
	_, err := pgstore.Migrate(ctx, url)
	must(t, err)
	newRole(t, url)
	own := serverRole(t, url)
	execute(t, url, "UPDATE mem.store SET server = 'mem_serverof_another'")
	of := newServer(t, url, pgstore.DefaultConns)
	if err := of.Check(ctx); err == nil {
		t.Error("a server without its role is healthy")
	}
	_, err = pgstore.Migrate(ctx, url)
	must(t, err)
	if got := serverRole(t, url); got != own {
		t.Errorf("the role is %s, want %s", got, own)
	}
	must(t, of.Check(ctx))
}

// A server that has no connection left for a token or a tenant says so in some seconds: it cannot
// be reached, and no writer has anything.
func TestServerWithoutConnections(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := newServer(t, url, 2)
	place := newPlace(t, url)
	release := pgstore.HoldFirst(t, s)
	_, _, err := s.Token("sum")
	must(t, err)
	_, err = s.Tenant(ctx, place.Space) // over those of the holders
	must(t, err)
	release()
	defer pgstore.HoldAll(t, s)()
	var all sync.WaitGroup
	for what, look := range map[string]func() error{
		"tenant": func() error { _, err := s.Tenant(ctx, place.Space); return err },
		"token":  func() error { _, _, err := s.Token("sum"); return err },
		"tokens": func() error { _, err := s.Tokens(ctx); return err },
	} {
		all.Go(func() {
			if err := look(); !errors.Is(err, backend.ErrUnavailable) {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	all.Wait()
}

// A client that the server picks as the victim of a deadlock writes and reads again.
func TestVictimOfDeadlock(t *testing.T) {
	url := pgtest.Shared(t).Database(t)
	_, err := pgstore.Migrate(ctx, url)
	must(t, err)
	f := follow(t, newPlace(t, url), t.TempDir())
	conn := connect(t, url)
	_, err = conn.Exec(ctx, `CREATE SEQUENCE public.tried;
		CREATE FUNCTION public.once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('public.tried') = 1 THEN
				RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
			END IF;
			RETURN new;
		END $$;
		CREATE TRIGGER once BEFORE INSERT ON mem.envelopes
			FOR EACH ROW EXECUTE FUNCTION public.once()`)
	must(t, err)
	f.put("a text", "/a")
	var tried int
	must(t, conn.QueryRow(ctx, "SELECT last_value FROM public.tried").Scan(&tried))
	if tried != 2 {
		t.Errorf("%d tries", tried)
	}
}

// A migration that a deadlock with a client ends begins again.
func TestMigrationInDeadlock(t *testing.T) {
	url := pgtest.Shared(t).Database(t)
	pgstore.MigrateTo(t, url, 8)
	client, watch := connect(t, url), connect(t, url)
	_, err := client.Exec(ctx, `DO $$ BEGIN EXECUTE format(
		'ALTER DATABASE %I SET deadlock_timeout = 2000', current_database()); END $$`)
	must(t, err)
	_, err = client.Exec(ctx, "SET deadlock_timeout = 600000; BEGIN; SELECT FROM mem.envelopes")
	must(t, err)
	migrated := make(chan error)
	go func() {
		_, err := pgstore.Migrate(ctx, url)
		migrated <- err
	}()
	testkit.WaitFor(t, "the migration to wait", func() (waits bool) {
		must(t, watch.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		return waits
	})
	_, err = client.Exec(ctx, "SELECT FROM mem.spaces; COMMIT")
	must(t, err)
	must(t, <-migrated)
}
