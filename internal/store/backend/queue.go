package backend

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Queue is group commit: updates of one store that come while another is being written wait
// together, and the first of them then writes for all. The leader takes the turns that wait (Take),
// runs them, and ends with Finish, which passes the lead on. The zero Queue is empty.
type Queue struct {
	mu      sync.Mutex
	busy    bool // somebody leads
	waiting []*Turn
}

// Turn is one update that waits.
type Turn struct {
	Ctx    context.Context // of the caller; it ends the wait, and no update that has begun
	Caller Caller
	Op     string
	Err    error // with which the update ended

	fn    func(Tx) error
	panic any           // with which fn ended; nil: it returned
	wake  chan bool     // true: lead the next group; false: it is done, with Err
	back  chan struct{} // it was taken, and waits again
}

// ErrAborted is the error of an update whose function did not return.
var ErrAborted = errors.New("the update did not come to its end")

// Run runs an update when its turn comes: lead, where it is the first of those that wait, which
// takes them with Take and sets the Err of each; else another does it all. A panic of fn is raised
// here. The error is that of the update, or of a context that ended before it was taken.
func (q *Queue) Run(ctx context.Context, c Caller, op string,
	fn func(Tx) error, lead func(*Turn)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t := &Turn{Ctx: ctx, Caller: c, Op: op, fn: fn, wake: make(chan bool, 1),
		back: make(chan struct{}, 1)}
	leads := q.join(t)
	if !leads {
		var err error
		if leads, err = q.wait(t); !leads && t.panic == nil {
			return err
		}
	}
	if leads {
		lead(t)
	}
	if t.panic != nil {
		panic(t.panic)
	}
	return t.Err
}

// Do calls the function of the update. A panic in it is its owner's, not the leader's.
func (t *Turn) Do(tx Tx) {
	t.Err = ErrAborted
	defer func() { t.panic = recover() }()
	t.Err = t.fn(tx)
}

// join queues a turn and reports whether it is to lead, because no other does.
func (q *Queue) join(t *Turn) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, t)
	lead := !q.busy
	q.busy = true
	return lead
}

// wait waits for a turn that does not lead, and reports whether it leads now. If its context ends
// before the turn was taken, or after it was returned, the turn leaves the queue.
func (q *Queue) wait(t *Turn) (lead bool, err error) {
	for {
		select {
		case lead = <-t.wake:
			return lead, t.Err
		case <-t.Ctx.Done():
		}
		if q.leave(t) {
			return false, context.Cause(t.Ctx)
		}
		select {
		case lead = <-t.wake:
			return lead, t.Err
		case <-t.back:
		}
	}
}

// leave takes a turn out of the queue; false where it was taken, or leads.
func (q *Queue) leave(t *Turn) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, t)
	if i < 0 || len(t.wake) > 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// Return puts turns that were taken back before all others: the leader has to wait.
func (q *Queue) Return(group []*Turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(slices.Clip(group), q.waiting...)
	for _, t := range group {
		t.Err = nil
		select {
		case t.back <- struct{}{}:
		default: // it has not heard of the last time yet
		}
	}
}

// Take returns all turns that wait by now, the leader's own turn first.
func (q *Queue) Take() []*Turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := q.waiting
	q.waiting = nil
	return group
}

// takeFirst returns the leader's own turn alone.
func (q *Queue) takeFirst() []*Turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := q.waiting[:1:1]
	q.waiting = q.waiting[1:]
	return group
}

// Finish sets the error that is everybody's in each turn of a group that has none of its own, wakes
// the group's followers, and then the next leader. Where nothing was taken, all that wait have the
// error; but a leader whose context has ended gave up alone.
func (q *Queue) Finish(lead *Turn, group []*Turn, err error) {
	switch {
	case len(group) > 0:
	case lead.Ctx.Err() != nil:
		group = q.takeFirst()
	default:
		group = q.Take()
	}
	for _, t := range group {
		if t.Err == nil {
			t.Err = err
		}
	}
	for _, t := range group[1:] {
		t.wake <- false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy = len(q.waiting) > 0; q.busy {
		q.waiting[0].wake <- true
	}
}
