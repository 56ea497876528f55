package pgstore

import (
	"context"
	"runtime"
	"sync"
)

// rounds lets those who ask the same of the server at one time share a question: one that begins
// after all of them have asked, for the one that runs may be older than what they have to see.
type rounds struct {
	mu      sync.Mutex
	running bool
	next    *question // that those who come now wait for
}

// question is one look at the server.
type question struct {
	done chan struct{}
	err  error
}

// join waits for a question that begins now or later. Its error is that of ask, or of ctx; the
// question goes on when who asked has given up.
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

// run asks, and then asks again for those who have come meanwhile.
func (r *rounds) run(ask func() error) {
	for {
		runtime.Gosched() // who is about to come comes with this question
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
