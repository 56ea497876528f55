package page

import (
	"context"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/census"
)

// tallies are what was counted, while it holds.
type tallies struct {
	mu  sync.Mutex
	all map[string]*kept // by root
}

// kept is a count, and of what.
type kept struct {
	mu   sync.Mutex // who counts
	mark string
	at   time.Time
	sums *census.Sums
}

// keptFor is how long a count holds where nothing is written: memories expire.
const keptFor = 10 * time.Minute

// of counts a store, unless that was done and nothing has changed.
func (t *tallies) of(ctx context.Context, sh *shelf, c mem.Caller) (*census.Sums, error) {
	if sh.err != nil {
		return nil, sh.err
	}
	t.mu.Lock()
	if t.all == nil {
		t.all = map[string]*kept{}
	}
	k := t.all[sh.Root]
	if k == nil {
		k = &kept{}
		t.all[sh.Root] = k
	}
	t.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	mark, err := mem.Mark(sh.store) // before it is counted
	if err != nil {
		return nil, err
	}
	now := sh.store.Now()
	if k.sums != nil && mark != "" && mark == k.mark && now.Sub(k.at) < keptFor {
		return k.sums, nil
	}
	sums, err := census.Count(ctx, sh.store, c)
	if err != nil {
		return nil, err
	}
	k.mark, k.at, k.sums = mark, now, sums
	return sums, nil
}
