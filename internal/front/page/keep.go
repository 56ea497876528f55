package page

import (
	"context"
	"sync"
	"time"

	"github.com/set-memory/mem"
)

const (
	// keptFor is how long a count holds where nothing is written: memories expire.
	keptFor = 10 * time.Minute
	// slow is how long a count may take for somebody to wait for it, after the first.
	slow = 50 * time.Millisecond
)

// keeper keeps the counts of stores while they hold. The zero keeper is empty.
type keeper struct {
	mu     sync.Mutex
	all    map[string]*kept // by root
	counts sync.WaitGroup   // that are made behind
}

type kept struct {
	mu     sync.Mutex // held while the store is counted
	mark   string
	at     time.Time
	took   time.Duration
	sums   *sums
	behind bool // a count is made behind
}

// count counts a store, unless it was counted and has not changed. Where counting takes long, it
// returns the previous count at once, and counts in the background for the next call.
func (t *keeper) count(ctx context.Context, s *mem.Store, c mem.Caller) (*sums, error) {
	k := t.countOf(s.Path())
	k.mu.Lock()
	defer k.mu.Unlock()
	mark, err := s.Mark() // before it is counted
	if err != nil {
		return nil, err
	}
	switch {
	case k.sums == nil:
	case mark != "" && mark == k.mark && s.Now().Sub(k.at) < keptFor, k.behind:
		return k.sums, nil
	case k.took > slow:
		k.behind = true
		t.counts.Go(func() { k.countBehind(context.WithoutCancel(ctx), s, c, mark) })
		return k.sums, nil
	}
	began := s.Now()
	sums, err := countStore(ctx, s, c)
	if err != nil {
		return nil, err
	}
	k.keep(sums, mark, began, s.Now())
	return sums, nil
}

// wait waits for the counts that are made behind: then the stores may be closed.
func (t *keeper) wait() { t.counts.Wait() }

// countOf returns the count of a store, which is empty at first.
func (t *keeper) countOf(root string) *kept {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[string]*kept{}
	}
	if t.all[root] == nil {
		t.all[root] = &kept{}
	}
	return t.all[root]
}

// countBehind counts while other requests are answered. If it fails, the next call tries again.
func (k *kept) countBehind(ctx context.Context, s *mem.Store, c mem.Caller, mark string) {
	began := s.Now()
	sums, err := countStore(ctx, s, c)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.behind = false; err == nil {
		k.keep(sums, mark, began, s.Now())
	}
}

func (k *kept) keep(sums *sums, mark string, began, done time.Time) {
	k.sums, k.mark, k.at, k.took = sums, mark, began, done.Sub(began)
}
