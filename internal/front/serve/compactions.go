package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/logline"
)

// maxCompactions is how many run side by side, of all tenants.
const maxCompactions = 2

// restFactor is for how many times its own duration a compaction is not begun again; see
// state.IsResting.
const restFactor = 10

// compactions run in child processes, of each tenant one at a time.
type compactions struct {
	run     func(ctx context.Context, root string, always bool) (done bool, err error)
	clock   func() time.Time
	log     *slog.Logger
	counted func(result string)

	ctx   context.Context // ends with the server
	stop  context.CancelFunc
	slots chan struct{}
	all   sync.WaitGroup

	mu      sync.Mutex
	running map[string]chan struct{} // closed when it has ended
	over    bool
}

func newCompactions(o *Options, counted func(string)) *compactions {
	c := &compactions{run: o.Compact, clock: o.Clock, log: o.Log, counted: counted,
		slots: make(chan struct{}, maxCompactions), running: map[string]chan struct{}{}}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// start begins a compaction, unless one runs, and returns a channel that its end closes.
func (c *compactions) start(id, root string, always bool) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if running := c.running[id]; running != nil {
		return running
	}
	ended := make(chan struct{})
	if c.over || c.run == nil {
		close(ended)
		return ended
	}
	c.running[id] = ended
	c.all.Go(func() {
		c.one(id, root, always)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, id)
		close(ended)
	})
	return ended
}

func (c *compactions) one(id, root string, always bool) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-c.ctx.Done():
		return
	}
	began := c.clock()
	done, err := c.run(c.ctx, root, always)
	took := c.clock().Sub(began)
	told := c.log.With(logline.Component, "compact", "tenant", id, "ms", milliseconds(took))
	switch {
	case c.ctx.Err() != nil:
		c.counted("stopped")
		told.Info("compaction stopped; the next write that makes it due begins it again")
	case err != nil:
		c.counted("failed")
		told.Error("compaction failed", "error", mem.Message(err))
	case done:
		c.counted("done")
		told.Info("compaction done")
		// Writes of the meantime may make the next one due while it has to rest, and no later write
		// may come to start it.
		time.AfterFunc(restFactor*took+time.Second, func() { c.start(id, root, false) })
	}
}

// close stops those that run, and waits for them. What a compaction leaves when it is stopped the
// next one, or the next writer, puts right.
func (c *compactions) close() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.stop()
	c.all.Wait()
}
