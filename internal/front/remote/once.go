package remote

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/front/wire"
)

const (
	// keepFor is how long an answer is kept: longer than a client tries to get it.
	keepFor = 2 * time.Minute
	// tryFor is how long ago the first try of a request may have been sent that is sent again.
	tryFor = wire.MaxRun + keepFor
	// keepBytes is how much of answers is kept. Of the oldest only the keys stay: a caller with
	// many answers does not let the command of another one run twice.
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
	body  [sha256.Size]byte // the sum of the request
	since time.Time         // it was made
	done  chan struct{}     // closed when there is a reply, or an error
	reply wire.Reply
	err   error
	size  int
	at    *list.Element // in order
}

func newOnce(now func() time.Time) *once {
	return &once{now: now, began: now(), byKey: map[string]*answer{}}
}

// keepOne is the size of the largest answer that is kept: a larger one is that of a read.
const keepOne = 1 << 20

// run returns the answer to the request of a key: that of its first run. retried is whether it was
// sent before; the error is errLost where that could have been to another process, which may have
// run it, and errKey for another request with the same key.
func (o *once) run(key string, body []byte, retried bool, fn func() (wire.Reply, error)) (
	wire.Reply, error) {
	own := &answer{key: key, body: sha256.Sum256(body), done: make(chan struct{}), err: errFailed}
	o.mu.Lock()
	o.expire()
	first := o.byKey[key]
	switch {
	case first != nil && first.body != own.body:
		o.mu.Unlock()
		return wire.Reply{}, errKey
	case first != nil:
		o.mu.Unlock()
		<-first.done
		o.mu.Lock()
		defer o.mu.Unlock()
		return first.reply, first.err
	case retried && o.now().Sub(o.began) < tryFor:
		o.mu.Unlock()
		return wire.Reply{}, errLost
	}
	o.byKey[key] = own
	own.at = o.order.PushBack(own)
	o.mu.Unlock()
	defer o.end(own) // also where fn panics
	own.reply, own.err = fn()
	return own.reply, own.err
}

// end lets others have the answer.
func (o *once) end(own *answer) {
	size := len(own.key)
	for _, piece := range own.reply.Printed {
		size += len(piece.Text)
	}
	if own.reply.Want != nil && own.reply.Want.Draft != nil {
		size += len(own.reply.Want.Draft.Text)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	own.size, own.since = size, o.now()
	o.bytes += size
	close(own.done)
	if size > keepOne {
		o.forget(own)
	}
}

// forget drops an answer.
func (o *once) forget(a *answer) {
	o.bytes -= a.size
	delete(o.byKey, a.key)
	o.order.Remove(a.at)
}

// expire forgets answers that are old, and empties those that are too many; not those that are
// still made. It ends at the first that is neither, for those behind it are younger.
func (o *once) expire() {
	for at := o.order.Front(); at != nil; {
		a := at.Value.(*answer)
		at = at.Next()
		select {
		case <-a.done:
		default:
			continue
		}
		switch isYoung := o.now().Sub(a.since) < keepFor; {
		case !isYoung:
			o.forget(a)
		case o.bytes <= keepBytes:
			return
		default:
			o.bytes -= a.size
			a.size, a.reply, a.err = 0, wire.Reply{}, errLost
		}
	}
}
