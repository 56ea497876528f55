package pgstore

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Hold locks a space as another writer does.
func Hold(t testing.TB, p *Address) (release func()) {
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, p.conn.ConnConfig.Copy())
	if err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, lockSQL, p.Space)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = tx.Rollback(ctx)
		conn.Close(ctx)
	}
}

// HoldJoint lets the blind attempts of a server wait; release waits until so many do, and commits
// them together.
func HoldJoint(s *Server) (release func(n int)) {
	j := s.joint
	j.mu.Lock()
	defer j.mu.Unlock()
	j.running = true
	return func(n int) {
		for waits := 0; waits < n; runtime.Gosched() {
			j.mu.Lock()
			waits = len(j.waiting)
			j.mu.Unlock()
		}
		j.run()
	}
}

// InCrowd reports whether the store waits for the lock first.
func (s *Store) InCrowd() bool { return s.crowd.isThere() }

// Calm is how many commits alone end a crowd.
const Calm = calm

// HoldSchema takes the lock of a migration, and lets others wait for a moment alone.
func HoldSchema(t testing.TB, url string) (release func()) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err == nil {
		_, err = conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock)
	}
	if err != nil {
		t.Fatal(err)
	}
	wait := migrationWait
	migrationWait = 50 * time.Millisecond
	return func() {
		migrationWait = wait
		conn.Close(ctx)
	}
}

// URL returns the whole URL of a place.
func (p *Address) URL() string { return p.shown }

// SmallCopies makes states worth their while at a few envelopes, for one test.
func SmallCopies(t testing.TB) {
	building, tail := worthBuilding, tailWorth
	worthBuilding, tailWorth = 10, 2000
	t.Cleanup(func() { worthBuilding, tailWorth = building, tail })
}

// CopyPath returns the directory of the copy.
func (s *Store) CopyPath() string { return s.copyPath() }

// CompactLater returns a compaction of what is there now, for a test that does something before it.
func (s *Store) CompactLater(t testing.TB) func() (bool, error) {
	sh, err := s.follow.current(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return func() (bool, error) {
		defer sh.release()
		return s.compact(context.Background(), sh, false)
	}
}

// SaveLater returns what writes the tail: the end of a read that is slower than others.
func (s *Store) SaveLater() func() {
	s.follow.asking.Lock()
	defer s.follow.asking.Unlock()
	c := *s.follow.copy
	return func() { c.save(s) }
}

// Password returns the password that a place connects with.
func (p *Address) Password() string { return p.conn.ConnConfig.Password }

// HeadSQL asks for the head of the space $1.
const HeadSQL = headSQL

// Through sends statements as a store does.
type Through struct{ *Store }

// Exec runs a statement.
func (s Through) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return s.pool.Exec(ctx, sql, args...)
}

// QueryRow runs a statement that returns one row.
func (s Through) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return s.pool.QueryRow(ctx, sql, args...)
}

// HoldLanes takes all connections that a space may have.
func HoldLanes(t testing.TB, s *Store) (release func()) { return hold(t, s.pool, s.inside) }

// HoldFirst takes all connections that a server has for callers that hold none.
func HoldFirst(t testing.TB, s *Server) (release func()) {
	return hold(t, newLane(s.conns.first, "", s.conns.first.Config().MaxConns))
}

// HoldAll takes all connections that a server may have.
func HoldAll(t testing.TB, s *Server) (release func()) {
	return hold(t, newLane(s.conns.first, "", s.conns.first.Config().MaxConns),
		newLane(s.conns.inside, "", s.conns.inside.Config().MaxConns))
}

func hold(t testing.TB, lanes ...*lane) (release func()) {
	var held []*laneConn
	for _, l := range lanes {
		for range min(cap(l.turns), int(l.pool.Config().MaxConns)) {
			conn, err := l.acquire(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, conn)
		}
	}
	return func() {
		for _, conn := range held {
			conn.Release()
		}
	}
}

// MigrateTo takes the first steps, as an older build did.
func MigrateTo(t testing.TB, url string, last int) {
	err := onConnection(context.Background(), url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
			list, err := Migrations()
			for i := 0; i < last && err == nil; i++ {
				err = step(context.Background(), tx, list[i])
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
