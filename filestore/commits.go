package filestore

import (
	"context"
	"errors"
	"sync"

	"github.com/set-memory/mem/backend"
)

// commits is group commit: updates of one Store that come while another is writing wait together,
// and the first of them then writes for all, under one lock, with one append, one fsync and one
// watermark. Between processes only flock decides.
type commits struct {
	mu      sync.Mutex
	busy    bool // somebody leads
	waiting []*turn
}

// turn is one update that waits.
type turn struct {
	ctx    context.Context
	caller backend.Caller
	op     string
	fn     func(backend.Tx) error
	err    error
	panic  any       // with which fn ended; nil: it returned
	wake   chan bool // true: lead the next group; false: it is done, with err
}

// errAborted is the error of an update whose fn did not return.
var errAborted = errors.New("the update did not come to its end")

// run runs the update's function. A panic in it is its owner's, not the leader's.
func (t *turn) run(tx backend.Tx) {
	t.err = errAborted
	defer func() { t.panic = recover() }()
	t.err = t.fn(tx)
}

// join queues a turn and reports whether it is to lead, because no other does.
func (c *commits) join(t *turn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, t)
	lead := !c.busy
	c.busy = true
	return lead
}

// wait waits for a turn that does not lead, and reports whether it leads now. If its context ends
// before the turn was taken, the turn leaves the queue.
func (c *commits) wait(t *turn) (lead bool, err error) {
	select {
	case lead = <-t.wake:
		return lead, t.err
	case <-t.ctx.Done():
	}
	c.mu.Lock()
	for i, w := range c.waiting {
		if w == t && len(t.wake) == 0 {
			c.waiting = append(c.waiting[:i:i], c.waiting[i+1:]...)
			c.mu.Unlock()
			return false, context.Cause(t.ctx)
		}
	}
	c.mu.Unlock()
	return <-t.wake, t.err
}

// take returns all turns that wait by now, the leader's own turn first.
func (c *commits) take() []*turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	group := c.waiting
	c.waiting = nil
	return group
}

// takeFirst returns the leader's own turn alone.
func (c *commits) takeFirst() []*turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	group := c.waiting[:1:1]
	c.waiting = c.waiting[1:]
	return group
}

// pass wakes a group's followers, and then the next leader.
func (c *commits) pass(group []*turn) {
	for _, t := range group[1:] {
		t.wake <- false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy = len(c.waiting) > 0; c.busy {
		c.waiting[0].wake <- true
	}
}
