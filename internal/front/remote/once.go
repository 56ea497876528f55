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
	// keepBytes is how much of answers is kept. Of the oldest of the tenant with the most only the
	// keys stay: so a caller with many answers neither lets a command run twice, nor loses the
	// answers of another tenant.
	keepBytes = 64 << 20
)

// once keeps the answers to requests by their keys, so that none is run twice.
type once struct {
	now   func() time.Time
	began time.Time

	mu    sync.Mutex
	byKey map[string]*answer
	order list.List // of answers, the oldest first
	bytes int
	by    map[string]*shelf // by tenant
}

// shelf is the answers of a tenant.
type shelf struct {
	bytes int
	whole []*answer // the oldest first, and those that went since
}

type answer struct {
	key   string
	owner string            // the tenant
	body  [sha256.Size]byte // the sum of the request
	since time.Time         // it was made
	done  chan struct{}     // closed when there is a reply, or an error
	reply wire.Reply
	err   error
	size  int           // 0: not made yet, or gone
	at    *list.Element // in order
}

func newOnce(now func() time.Time) *once {
	return &once{now: now, began: now(), byKey: map[string]*answer{},
		by: map[string]*shelf{}}
}

// keepOne is the size of the largest answer that is kept: a larger one is that of a read.
const keepOne = 1 << 20

// run returns the answer to the request of a tenant's key: that of its first run. retried is
// whether it was sent before; the error is errLost where that could have been to another process,
// which may have run it, and errKey for another request with the same key.
func (o *once) run(tenant, key string, body []byte, retried bool,
	fn func() (wire.Reply, error)) (wire.Reply, error) {
	own := &answer{key: tenant + " " + key, owner: tenant, body: sha256.Sum256(body),
		done: make(chan struct{}), err: errFailed}
	o.mu.Lock()
	o.expire()
	first := o.byKey[own.key]
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
	o.byKey[own.key] = own
	own.at = o.order.PushBack(own)
	o.mu.Unlock()
	defer o.end(own) // also where fn panics
	own.reply, own.err = fn()
	return own.reply, own.err
}

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
	own.since = o.now()
	close(own.done)
	if o.keep(own, size); size > keepOne {
		o.forget(own)
	}
	o.spare()
}

// keep puts an answer on the shelf of its tenant.
func (o *once) keep(own *answer, size int) {
	of := o.by[own.owner]
	if of == nil {
		of = &shelf{}
		o.by[own.owner] = of
	}
	of.trim()
	of.whole = append(of.whole, own)
	own.size = size
	of.bytes, o.bytes = of.bytes+size, o.bytes+size
}

// trim drops those that went from the beginning.
func (s *shelf) trim() {
	for len(s.whole) > 0 && s.whole[0].size == 0 {
		s.whole = s.whole[1:]
	}
}

// empty drops what an answer says; its key stays.
func (o *once) empty(a *answer) {
	of := o.by[a.owner]
	of.bytes, o.bytes = of.bytes-a.size, o.bytes-a.size
	a.size, a.reply, a.err = 0, wire.Reply{}, errLost
	if of.trim(); len(of.whole) == 0 {
		delete(o.by, a.owner)
	}
}

// forget drops an answer and its key.
func (o *once) forget(a *answer) {
	if a.size > 0 {
		o.empty(a)
	}
	delete(o.byKey, a.key)
	o.order.Remove(a.at)
}

// spare empties the oldest answers of the tenant with the most, while there are too many.
func (o *once) spare() {
	for o.bytes > keepBytes {
		var most *shelf
		for _, s := range o.by {
			if most == nil || s.bytes > most.bytes {
				most = s
			}
		}
		most.trim()
		o.empty(most.whole[0])
	}
}

// expire forgets answers that are old; not those that are still made. It ends at the first that is
// neither, for those behind it are younger.
func (o *once) expire() {
	for at := o.order.Front(); at != nil; {
		a := at.Value.(*answer)
		at = at.Next()
		select {
		case <-a.done:
		default:
			continue
		}
		if o.now().Sub(a.since) < keepFor {
			return
		}
		o.forget(a)
	}
}
