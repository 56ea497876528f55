package serve

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/set-memory/mem"
)

// maxOpen is how many memories are kept open.
const maxOpen = 64

// tenants are the memories that are open: those in use, and those used last.
type tenants struct {
	open func(id string) (*mem.Store, error)

	mu   sync.Mutex
	byID map[string]*tenant
	idle list.List // of those that nobody uses, the one of the last use behind
}

// tenant is a memory that is open.
type tenant struct {
	id    string
	store *mem.Store
	err   error     // why it is not open
	made  sync.Once // store or err
	users int

	looking   chan struct{} // of one element: taken while a read checks the sidecars
	lookAgain time.Time

	place *list.Element // in idle; nil: it is used
}

func newTenants(open func(string) (*mem.Store, error)) *tenants {
	return &tenants{open: open, byID: map[string]*tenant{}}
}

// acquire returns the memory of a tenant; the caller releases it.
func (t *tenants) acquire(id string) (*tenant, error) {
	x := t.take(id)
	x.made.Do(func() { x.store, x.err = t.open(id) })
	if x.err != nil {
		t.drop(x)
		return nil, x.err
	}
	return x, nil
}

func (t *tenants) take(id string) *tenant {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.byID[id]
	if x == nil {
		x = &tenant{id: id, looking: make(chan struct{}, 1)}
		t.byID[id] = x
	}
	x.users++
	if x.place != nil {
		t.idle.Remove(x.place)
		x.place = nil
	}
	return x
}

// drop forgets a memory that could not be opened: the next one tries again.
func (t *tenants) drop(x *tenant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[x.id] == x {
		delete(t.byID, x.id)
	}
}

// release is the end of a use.
func (t *tenants) release(x *tenant) {
	t.mu.Lock()
	if x.users--; x.users == 0 {
		x.place = t.idle.PushBack(x)
	}
	over := t.evict(maxOpen)
	t.mu.Unlock()
	closeAll(over)
}

// evict takes out memories that nobody uses until so many are left, if that can be.
func (t *tenants) evict(most int) (over []*tenant) {
	for len(t.byID) > most && t.idle.Len() > 0 {
		x := t.idle.Remove(t.idle.Front()).(*tenant)
		delete(t.byID, x.id)
		over = append(over, x)
	}
	return over
}

func closeAll(over []*tenant) {
	for _, x := range over {
		x.store.Close() // all acknowledged writes are on disk
	}
}

func (t *tenants) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}

// close closes those that nobody uses.
func (t *tenants) close() {
	t.mu.Lock()
	over := t.evict(0)
	t.mu.Unlock()
	closeAll(over)
}

// How often it is looked whether reads have what they need, and where that cannot be made.
const (
	lookEvery = time.Second
	giveUpFor = time.Minute
)

// warm waits until a memory has what reads need besides its history. Where that was removed it is
// made once, and all reads wait for it. The error is that of ctx.
func (s *Server) warm(ctx context.Context, x *tenant) error {
	select {
	case x.looking <- struct{}{}:
		defer func() { <-x.looking }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	now := s.o.Clock()
	if now.Before(x.lookAgain) {
		return nil
	}
	x.lookAgain = now.Add(lookEvery)
	if !x.store.IsCold() {
		return nil
	}
	select {
	case <-s.compactions.start(x.id, x.store.Path(), true):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if x.store.IsCold() { // the answers are right all the same
		x.lookAgain = now.Add(giveUpFor)
	}
	return nil
}
