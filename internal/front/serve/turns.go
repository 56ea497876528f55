package serve

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// turns bound how much a server does at a time, and say whose work is next (docs/service.md).
type turns struct {
	most int
	now  func() time.Time
	// While a turn of before is taken, a tenant has at most few; after gives way to these.
	few           int
	before, after *turns

	busy    atomic.Int32
	mu      sync.Mutex
	count   int // of those that came
	tenants map[string]*share
	kept    int // tenants after the last sweep
}

// share is what a tenant, or a token of one, has of the turns.
type share struct {
	tokens map[string]*share // nil: it is a token's
	queue  []*waiter         // of a token
	waits  int
	held   int
	starts time.Duration // the sum of the times at which those that are held began
	spent  spent
}

// waiter is a request that waits for a turn, or has one.
type waiter struct {
	tenant, token string
	number        int
	began         time.Duration
	has           bool
	ready         chan struct{} // closed when it has its turn
}

func newTurns(most int, now func() time.Time) *turns {
	return &turns{most: most, now: now, tenants: map[string]*share{}}
}

// giveWay lets a tenant begin few of these while work of another kind has a turn: that has the
// processors then. No tenant waits for it longer than for its own work.
func (q *turns) giveWay(to *turns, few int) {
	q.before, q.few, to.after = to, few, q
}

// take waits for a turn, which done ends. The error is the cause of ctx.
func (q *turns) take(ctx context.Context, tenant, token string) (done func(), err error) {
	w := q.enter(tenant, token)
	select {
	case <-w.ready:
		return func() { q.leave(w) }, nil
	case <-ctx.Done():
		q.leave(w)
		return nil, context.Cause(ctx)
	}
}

func (q *turns) enter(tenant, token string) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count++
	w := &waiter{tenant: tenant, token: token, number: q.count, ready: make(chan struct{})}
	t := q.tenants[tenant]
	if t == nil {
		q.sweep()
		t = &share{tokens: map[string]*share{}}
		q.tenants[tenant] = t
	}
	own := t.tokens[token]
	if own == nil {
		own = &share{}
		t.tokens[token] = own
	}
	own.queue = append(own.queue, w)
	own.waits++
	t.waits++
	q.grant()
	return w
}

func (q *turns) leave(w *waiter) {
	q.end(w)
	if q.after != nil && q.busy.Load() == 0 {
		q.after.mu.Lock()
		defer q.after.mu.Unlock()
		q.after.grant()
	}
}

func (q *turns) end(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now, t := q.clock(), q.tenants[w.tenant]
	own := t.tokens[w.token]
	for _, s := range []*share{t, own} {
		if !w.has {
			s.waits--
			continue
		}
		s.held--
		s.starts -= w.began
		s.spent.add(now, now-w.began)
	}
	if w.has {
		q.busy.Add(-1)
	} else {
		own.queue = slices.DeleteFunc(own.queue, func(o *waiter) bool { return o == w })
	}
	q.grant()
}

// grant hands the free turns to those that are next.
func (q *turns) grant() {
	now, each := q.clock(), max(1, q.most/2)
	if q.before != nil && q.before.busy.Load() > 0 {
		each = min(each, q.few)
	}
	for int(q.busy.Load()) < q.most {
		t := next(q.tenants, now, each)
		if t == nil {
			return
		}
		own := next(t.tokens, now, q.most)
		w := own.queue[0]
		own.queue = own.queue[1:]
		w.has, w.began = true, now
		for _, s := range []*share{t, own} {
			s.waits--
			s.held++
			s.starts += now
		}
		q.busy.Add(1)
		close(w.ready)
	}
}

// next returns the share whose turn it is; nil where none that waits has less than most.
func next(shares map[string]*share, now time.Duration, most int) (first *share) {
	for _, s := range shares {
		if s.waits == 0 || s.held >= most {
			continue
		}
		if first == nil || cmp.Or(cmp.Compare(s.used(now), first.used(now)),
			cmp.Compare(s.oldest(), first.oldest())) < 0 {
			first = s
		}
	}
	return first
}

// used returns the time that the work of a share took lately, with what runs now.
func (s *share) used(now time.Duration) time.Duration {
	return s.spent.sum(now) + time.Duration(s.held)*now - s.starts
}

// oldest returns the number of the request of a share that waits for longest.
func (s *share) oldest() int {
	if s.tokens == nil {
		return s.queue[0].number
	}
	oldest := 0
	for _, own := range s.tokens {
		if own.waits > 0 && (oldest == 0 || own.queue[0].number < oldest) {
			oldest = own.queue[0].number
		}
	}
	return oldest
}

// clock returns the time since 1970.
func (q *turns) clock() time.Duration { return time.Duration(q.now().UnixNano()) }

// sweep drops tenants that have done nothing for a while, when they have become twice as many.
func (q *turns) sweep() {
	if len(q.tenants) < max(64, 2*q.kept) {
		return
	}
	now := q.clock()
	for name, t := range q.tenants {
		if t.waits == 0 && t.held == 0 && t.spent.sum(now) == 0 {
			delete(q.tenants, name)
		}
	}
	q.kept = len(q.tenants)
}

// spent is the time that work took, by the second in which it ended, for the last 10 of them.
type spent struct {
	second int64
	took   [10]time.Duration
}

func (s *spent) add(now, took time.Duration) {
	s.roll(now)
	s.took[s.second%int64(len(s.took))] += took
}

func (s *spent) sum(now time.Duration) (all time.Duration) {
	s.roll(now)
	for _, took := range s.took {
		all += took
	}
	return all
}

// roll empties the seconds that have come since the last one.
func (s *spent) roll(now time.Duration) {
	second := int64(now / time.Second)
	if n := int64(len(s.took)); second-s.second > n {
		s.second = second - n
	}
	for s.second < second {
		s.second++
		s.took[s.second%int64(len(s.took))] = 0
	}
}
