package census

import (
	"context"
	"sync"
	"time"

	"github.com/set-memory/mem"
)

// Keeper keeps what was counted, while it holds. The zero Keeper has nothing.
type Keeper struct {
	mu  sync.Mutex
	all map[string]*kept // by root
}

// kept is a count, and of what.
type kept struct {
	mu   sync.Mutex // who counts
	mark string
	at   time.Time
	sums *Sums
}

// keptFor is how long a count holds where nothing is written: memories expire.
const keptFor = 10 * time.Minute

// Of counts a store, unless that was done and nothing has changed.
func (t *Keeper) Of(ctx context.Context, s *mem.Store, c mem.Caller) (*Sums, error) {
	t.mu.Lock()
	if t.all == nil {
		t.all = map[string]*kept{}
	}
	k := t.all[s.Path()]
	if k == nil {
		k = &kept{}
		t.all[s.Path()] = k
	}
	t.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	mark, err := mem.Mark(s) // before it is counted
	if err != nil {
		return nil, err
	}
	now := s.Now()
	if k.sums != nil && mark != "" && mark == k.mark && now.Sub(k.at) < keptFor {
		return k.sums, nil
	}
	sums, err := Count(ctx, s, c)
	if err != nil {
		return nil, err
	}
	k.mark, k.at, k.sums = mark, now, sums
	return sums, nil
}
