package edit

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/set-memory/mem"
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
	err := s.Everything(ctx, func(rec log.Record) error {
		if rec.TS >= q.Since && q.Prefix.Holds(rec.Key) && policy.Permits(c, rec.Key) {
			n.add(rec)
		}
		return nil
	})
	slices.SortFunc(n.list, func(a, b mem.Memory) int { return compare(&b, &a) })
	return mem.MemoryList{Count: n.count, Memories: append([]mem.Memory{}, n.list...)}, err
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

// newest keeps the newest writes: a heap, the oldest on top.
type newest struct {
	limit int
	count int
	list  []mem.Memory
	seen  map[identity]bool // those in the list
}

func (n *newest) add(rec log.Record) {
	m := mem.Memory{Key: rec.Key, TS: rec.TS, Valid: rec.Valid(), Layer: rec.Layer}
	if n.seen[identityOf(&m)] {
		return
	}
	n.count++
	full := n.limit > 0 && len(n.list) == n.limit
	if full && compare(&m, &n.list[0]) <= 0 {
		return
	}
	if m.Valid {
		m = mem.MemoryOf(rec)
	}
	m.Source = slices.Clone(rec.Source)
	n.seen[identityOf(&m)] = true
	if full {
		delete(n.seen, identityOf(&n.list[0]))
		n.list[0] = m
		heap.Fix(n, 0)
		return
	}
	heap.Push(n, m)
}

// Len, Less, Swap, Push and Pop make it a heap.Interface.
func (n *newest) Len() int           { return len(n.list) }
func (n *newest) Less(i, j int) bool { return compare(&n.list[i], &n.list[j]) < 0 }
func (n *newest) Swap(i, j int)      { n.list[i], n.list[j] = n.list[j], n.list[i] }
func (n *newest) Push(x any)         { n.list = append(n.list, x.(mem.Memory)) }
func (n *newest) Pop() any {
	last := len(n.list) - 1
	x := n.list[last]
	n.list = n.list[:last]
	return x
}
