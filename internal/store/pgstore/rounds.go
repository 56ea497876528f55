package pgstore

import (
	"context"
	"runtime"
	"sync"
)

// rounds lets callers share a question to the server: one that begins after each of them has
// called, for the answer of a running one may be too old for them.
type rounds struct {
	mu      sync.Mutex
	running bool
	next    *question // the one that new callers wait for
}

// question is one look at the server.
type question struct {
	done chan struct{}
	err  error
}

// join waits for a question that begins now or later. Its error is that of ask, or of ctx; the
// question goes on after ctx ended.
func (r *rounds) join(ctx context.Context, ask func() error) error {
	r.mu.Lock()
	if r.next == nil {
		r.next = &question{done: make(chan struct{})}
	}
	q := r.next
	if !r.running {
		r.running = true
		go r.run(ask)
	}
	r.mu.Unlock()
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run asks, and asks again while callers have come meanwhile.
func (r *rounds) run(ask func() error) {
	for {
		runtime.Gosched() // callers that are about to come share this question
		q := r.take()
		if q == nil {
			return
		}
		q.err = ask()
		close(q.done)
	}
}

// take returns the question that is to be asked now; nil where nobody waits.
func (r *rounds) take() *question {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.next
	r.next, r.running = nil, q != nil
	return q
}
