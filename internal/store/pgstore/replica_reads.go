package pgstore

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/set-memory/mem/log"
)

// askReplica asks a replica for what a view lacks; ok is false where the primary has to be asked.
// What does not fit the view is for the primary to say: a replica may be behind the copy, or of
// another database.
func (f *follower) askReplica(sh *shared) (n news, ok bool) {
	r := f.store.replica
	if !r.isOpen() || f.copy.empty() {
		return n, false
	}
	least, sure := r.least()
	if !sure {
		return n, false
	}
	least = least.raised(sh.head).raised(head{seq: sh.last.seq})
	ctx, cancel := context.WithTimeout(f.ctx, replicaTime)
	defer cancel()
	err := r.wait(ctx, least, func() (h head, err error) {
		n, err = f.fetch(ctx, r.pool, max(sh.last.seq, 1))
		return n.head, err
	})
	if err == nil && n.store != f.copy.pos.Store {
		err = errors.New("it is of another database")
	}
	if err != nil {
		r.failed(f.ctx, err)
		return n, false
	}
	return n, f.fits(sh, n) == nil
}

// askPrimary asks the primary for what a view lacks. The error wraps errForeign where the view is
// not one of the space as it is now.
func (f *follower) askPrimary(sh *shared) (n news, err error) {
	for try := 1; ; try++ {
		question := f.store.replica.askPrimary()
		err = f.store.reading(f.ctx, func() error {
			n, err = f.fetch(f.ctx, f.store.spare(), max(sh.last.seq, 1))
			return err
		})
		if err != nil {
			return n, err
		}
		question.answered(n.head)
		// A replica may show what the primary hides until all its standbys have it.
		if err = f.fits(sh, n); !errors.Is(err, errAhead) || !f.ofReplica || try > patience {
			return n, err
		}
		pause(f.ctx, try)
	}
}

// patience is how often the primary is asked whether it has what a replica has shown: some seconds.
const patience = 14

// learn notes the head of a view that readers are given. That of a replica may be older than what
// this process has written meanwhile.
func learn(s *Store, h head) {
	if known, ok := s.known.get(); s.replica == nil || !ok || !h.isBehind(known) {
		s.known.set(h)
	}
	s.replica.keep()
}

// limit returns a context for what is asked of a replica: where its caller waits for so long only,
// the primary has half of that.
func (r *replica) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	most := replicaTime
	if end, ok := ctx.Deadline(); ok {
		most = min(most, end.Sub(r.s.o.Clock())/2)
	}
	return context.WithTimeout(ctx, most)
}

// within asks in a context of its own.
type within struct {
	querier
	ctx context.Context
}

// Query asks for rows.
func (w within) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	return w.querier.Query(w.ctx, sql, args...)
}

// QueryRow asks for a row.
func (w within) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	return w.querier.QueryRow(w.ctx, sql, args...)
}

// lookup runs a read on a replica, and where that fails on the primary.
func lookup(ctx context.Context, s *database, fn func(querier) error) error {
	if conn := s.replica.acquire(ctx); conn != nil {
		defer conn.Release()
		limited, cancel := s.replica.limit(ctx)
		defer cancel()
		err := fn(within{conn, limited})
		if err == nil {
			err = s.replica.shown(limited, conn)
		}
		if err == nil {
			return nil
		}
		s.replica.failed(ctx, err)
	}
	err := s.reading(ctx, func() error { return fn(s.spare()) })
	if err == nil {
		err = shownByPrimary(ctx, s)
	}
	return err
}

// shown raises the floor to what a replica may have shown: nobody is shown less from now on.
func (r *replica) shown(ctx context.Context, conn *pgxpool.Conn) error {
	h, err := r.s.scanHead(conn.QueryRow(ctx, headSQL, r.s.place.Space))
	if err == nil {
		conn.Conn().PgConn().CustomData()[headKey] = h
		r.s.known.floor.raise(h)
		r.keep()
	}
	return err
}

// shownByPrimary is shown of the primary, while there is a replica.
func shownByPrimary(ctx context.Context, s *database) error {
	if s.replica == nil {
		return nil
	}
	_, err := s.askHead(ctx)
	s.replica.keep()
	return err
}

// streamed yields what a replica streams, or the primary where that has nothing to begin with.
func streamed(ctx context.Context, s *database, from func(querier) iter.Seq2[log.Record, error],
) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		if conn := s.replica.acquire(ctx); conn != nil {
			defer conn.Release()
			begun, err := streamReplica(ctx, s.replica, conn, from, yield)
			if err == nil {
				return
			}
			s.replica.failed(ctx, err)
			if begun {
				yield(log.Record{}, err)
				return
			}
		}
		from(streaming(s))(yield)
		if err := shownByPrimary(ctx, s); err != nil {
			s.o.Debug("how far the primary is nobody knows: " + err.Error())
		}
	}
}

// streamReplica passes on what a replica streams, if it begins in time.
func streamReplica(ctx context.Context, r *replica, conn *pgxpool.Conn,
	from func(querier) iter.Seq2[log.Record, error], yield func(log.Record, error) bool) (
	begun bool, err error) {
	all, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(replicaTime, cancel)
	defer late.Stop()
	begun, err = relay(from(within{conn, all}), func(rec log.Record, err error) bool {
		late.Stop()
		return yield(rec, err)
	})
	if err == nil && !conn.Conn().PgConn().IsBusy() {
		limited, cancel := r.limit(ctx)
		defer cancel()
		if err := r.shown(limited, conn); err != nil && !begun {
			return begun, err
		}
	}
	return begun, err
}

// relay passes a stream on until an error that is of no line, which it returns, with whether
// anything was passed on before.
func relay(stream iter.Seq2[log.Record, error], yield func(log.Record, error) bool) (
	begun bool, err error) {
	for rec, err := range stream {
		if err != nil && !isDamage(err) {
			return begun, err
		}
		if begun = true; !yield(rec, err) {
			return begun, nil
		}
	}
	return begun, nil
}
