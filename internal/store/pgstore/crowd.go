package pgstore

import (
	"context"
	"sync/atomic"

	"github.com/set-memory/mem/internal/store/backend"
)

// crowd knows whether other processes write to a space at the same time: then an attempt waits for
// the lock before it is made (package comment).
type crowd struct{ left atomic.Int32 }

// calm is how many commits alone end a crowd.
const calm = 8

func (c *crowd) isThere() bool { return c.left.Load() > 0 }

// saw notes whether somebody else has written.
func (c *crowd) saw(others bool) {
	if others {
		c.left.Store(calm)
	} else if c.isThere() {
		c.left.Add(-1)
	}
}

// commitInCrowd is commitLocked for a moment, in which the end of no caller costs the connection.
func (s committer) commitInCrowd(ctx context.Context, take func() []*backend.Turn) (
	lost *attempt, err error) {
	l, err := s.lock(ctx, min(s.o.LockWait, moment))
	if isCode(err, codeLocked) {
		return nil, errBusy
	}
	if err != nil {
		return nil, failure(err)
	}
	return s.commitWhile(ctx, l, take())
}
