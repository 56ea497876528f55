package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The elements come out in order, and the least of them is on top when the one there has changed.
func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		h := Heap[int]{Before: func(a, b *int) bool { return *a < *b }}
		var all, got []int
		for range n {
			v := r.IntN(20)
			all = append(all, v)
			h.Push(v)
		}
		if n > 0 {
			all[slices.Index(all, h.Items[0])] = 10
			h.Items[0] = 10
			h.Fix()
		}
		for h.Len() > 0 {
			got = append(got, h.Pop())
		}
		slices.Sort(all)
		if !slices.Equal(got, all) {
			t.Errorf("%v, want %v", got, all)
		}
	}
}
