package edit

import (
	"cmp"
	"context"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/heap"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// ChangeQuery selects the writes of a list.
type ChangeQuery struct {
	Prefix keypath.Prefix // only of keys below it
	Since  log.Stamp      // only of this ts and later; 0: all
	Limit  int            // at most so many, the newest; 0: all
}

// ListChanges returns the newest writes, newest first, deletions too, but none of what another
// agent than the caller keeps for itself; Count is how many there are without the limit, where a
// line that is in two files may count twice.
func ListChanges(ctx context.Context, s *mem.Store, c mem.Caller, q ChangeQuery) (
	mem.MemoryList, error) {
	n := &newest{limit: q.Limit, seen: map[identity]bool{}}
	n.list.Before = func(a, b *mem.Memory) bool { return compare(a, b) < 0 }
	err := s.Everything(ctx, func(rec log.Record) error {
		if rec.TS >= q.Since && q.Prefix.Holds(rec.Key) && policy.Permits(c, rec.Key) {
			n.add(rec)
		}
		return nil
	})
	list := append([]mem.Memory{}, n.list.Items...)
	slices.SortFunc(list, func(a, b mem.Memory) int { return compare(&b, &a) })
	return mem.MemoryList{Count: n.count, Memories: list}, err
}

// compare orders the older write first.
func compare(a, b *mem.Memory) int {
	return cmp.Or(cmp.Compare(a.TS, b.TS), b.Key.Compare(a.Key), cmp.Compare(b.Layer, a.Layer))
}

// identity is what a write has in common with its copy in another file.
type identity struct {
	layer string
	key   keypath.Key
	ts    log.Stamp
}

func identityOf(m *mem.Memory) identity { return identity{m.Layer, m.Key, m.TS} }

// newest keeps the newest writes.
type newest struct {
	limit int
	count int
	list  heap.Heap[mem.Memory] // the oldest on top
	seen  map[identity]bool     // those in the list
}

func (n *newest) add(rec log.Record) {
	m := mem.Memory{Key: rec.Key, TS: rec.TS, Valid: rec.Valid(), Layer: rec.Layer}
	if n.seen[identityOf(&m)] {
		return
	}
	n.count++
	full := n.limit > 0 && n.list.Len() == n.limit
	if full && compare(&m, &n.list.Items[0]) <= 0 {
		return
	}
	if m.Valid {
		m = mem.MemoryOf(rec)
	}
	m.Source = slices.Clone(rec.Source)
	n.seen[identityOf(&m)] = true
	if full {
		delete(n.seen, identityOf(&n.list.Items[0]))
		n.list.Items[0] = m
		n.list.Fix()
		return
	}
	n.list.Push(m)
}
