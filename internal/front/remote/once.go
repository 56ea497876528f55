package remote

import (
	"container/list"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/front/wire"
)

const (
	// keepFor is how long an answer is kept: longer than a client tries.
	keepFor = 2 * time.Minute
	// keepBytes is how much of answers is kept; the oldest give way.
	keepBytes = 64 << 20
)

// once keeps the answers to requests by their keys, so that one that is sent again is not run
// again.
type once struct {
	now   func() time.Time
	began time.Time

	mu    sync.Mutex
	byKey map[string]*answer
	order list.List // of answers, the oldest first
	bytes int
}

// answer is that to one request.
type answer struct {
	key   string
	since time.Time
	done  chan struct{} // closed when there is a reply
	reply wire.Reply
	size  int
}

func newOnce(now func() time.Time) *once {
	return &once{now: now, began: now(), byKey: map[string]*answer{}}
}

// run returns the answer to the request of a key: that of its first run. retried is whether it was
// sent before; ok is false where that could have been to another process, which may have run it.
func (o *once) run(key string, retried bool, fn func() wire.Reply) (reply wire.Reply, ok bool) {
	o.mu.Lock()
	o.expire()
	if first := o.byKey[key]; first != nil {
		o.mu.Unlock()
		<-first.done
		return first.reply, true
	}
	if retried && o.now().Sub(o.began) < keepFor {
		o.mu.Unlock()
		return reply, false
	}
	own := &answer{key: key, since: o.now(), done: make(chan struct{})}
	o.byKey[key] = own
	o.order.PushBack(own)
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		for _, piece := range own.reply.Printed {
			own.size += len(piece.Text)
		}
		o.bytes += own.size
		o.mu.Unlock()
		close(own.done)
	}()
	own.reply = fn()
	return own.reply, true
}

// expire forgets answers that are old, or too many; not those that are still made.
func (o *once) expire() {
	for at := o.order.Front(); at != nil; at = o.order.Front() {
		first := at.Value.(*answer)
		select {
		case <-first.done:
		default:
			return
		}
		if o.bytes <= keepBytes && o.now().Sub(first.since) < keepFor {
			return
		}
		o.bytes -= first.size
		delete(o.byKey, first.key)
		o.order.Remove(at)
	}
}
