package mem_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
)

// meeting is a store of files whose first update waits, with its lock, for that of another.
type meeting struct {
	*filestore.Store
	met  *sync.WaitGroup
	once sync.Once
}

func (m *meeting) Update(ctx context.Context, c backend.Caller, op string,
	fn func(backend.Tx) error) error {
	return m.Store.Update(ctx, c, op, func(tx backend.Tx) error {
		m.once.Do(func() { m.met.Done(); m.met.Wait() })
		return fn(tx)
	})
}

// Two calls that name the same stores in opposite order do not wait for each other until the time
// is over.
func TestLocksInOppositeOrder(t *testing.T) {
	roots := [2]*storetest.Store{newFiles(t), newFiles(t)}
	roots[0].Put("/first", "1")
	roots[1].Put("/first", "1")
	now := func() time.Time { return noon }
	var met sync.WaitGroup
	met.Add(2)
	call := func(order [2]int, key string) error {
		var ops []*mem.Operation
		for i, n := range order {
			opts := filestore.Options{Now: now, LockWait: 20 * time.Second}
			files, err := filestore.Open(roots[n].Root, opts)
			if err != nil {
				return err
			}
			defer files.Close()
			m := &meeting{Store: files, met: &met}
			if i > 0 {
				m.once.Do(func() {})
			}
			s := mem.New(m, mem.Options{Now: now, LockWait: 20 * time.Second})
			ops = append(ops, begun(t, s, mem.Caller{}, policy.Move))
		}
		p, q := checked(t, ops[0], write(key, "1")), checked(t, ops[1], write(key, "1"))
		_, err := ops[0].UpdateWith(ctx, ops[1:], func(txs ...*mem.Tx) error {
			return errors.Join(txs[0].Put(p), txs[1].Put(q))
		})
		return err
	}
	began, ended := time.Now(), make(chan error)
	go func() { ended <- call([2]int{0, 1}, "/a") }()
	go func() { ended <- call([2]int{1, 0}, "/b") }()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	for _, s := range roots {
		if s.Content("/a") != "1" || s.Content("/b") != "1" {
			t.Error(s.All())
		}
	}
}
