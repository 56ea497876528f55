package pgstore

import (
	"context"
	"errors"
	"iter"

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
	question := f.store.replica.askPrimary()
	err = f.store.reading(f.ctx, func() error {
		n, err = f.fetch(f.ctx, f.store.spare(), max(sh.last.seq, 1))
		return err
	})
	if err != nil {
		return n, err
	}
	question.answered(n.head)
	return n, f.fits(sh, n)
}

// learn notes the head of a view that readers are given. That of a replica may be older than what
// this process has written meanwhile.
func learn(s *Store, h head) {
	if known, ok := s.known.get(); s.replica == nil || !ok || !h.isBehind(known) {
		s.known.set(h)
	}
	s.replica.keep()
}

// lookup runs a read on a replica, and where that fails on the primary.
func lookup(ctx context.Context, s *database, fn func(querier) error) error {
	if conn := s.replica.acquire(ctx); conn != nil {
		defer conn.Release()
		err := fn(conn)
		if err == nil {
			return nil
		}
		s.replica.failed(ctx, err)
	}
	return s.reading(ctx, func() error { return fn(s.spare()) })
}

// streamed yields what a replica streams, or the primary where that has nothing to begin with.
func streamed(ctx context.Context, s *database, from func(querier) iter.Seq2[log.Record, error],
) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		if conn := s.replica.acquire(ctx); conn != nil {
			defer conn.Release()
			begun, err := relay(from(conn), yield)
			if err == nil {
				return
			}
			s.replica.failed(ctx, err)
			if begun {
				yield(log.Record{}, err)
				return
			}
		}
		from(s.streaming())(yield)
	}
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
