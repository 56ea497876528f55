// Package heap has a binary heap that needs no methods of its elements.
package heap

// Heap is a binary heap: no element comes before the one on top, Items[0].
type Heap[T any] struct {
	Items  []T
	Before func(a, b *T) bool
}

// Len returns the number of elements.
func (h *Heap[T]) Len() int { return len(h.Items) }

// Push adds an element.
func (h *Heap[T]) Push(v T) {
	h.Items = append(h.Items, v)
	for i := len(h.Items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.Before(&h.Items[i], &h.Items[parent]) {
			return
		}
		h.Items[i], h.Items[parent] = h.Items[parent], h.Items[i]
		i = parent
	}
}

// Pop removes the element on top, and returns it. The heap must not be empty.
func (h *Heap[T]) Pop() T {
	top, last := h.Items[0], len(h.Items)-1
	h.Items[0] = h.Items[last]
	h.Items = h.Items[:last]
	h.Fix()
	return top
}

// Fix restores the order after the element on top has changed.
func (h *Heap[T]) Fix() {
	for i := 0; ; {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.Items); child++ {
			if h.Before(&h.Items[child], &h.Items[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.Items[i], h.Items[first] = h.Items[first], h.Items[i]
		i = first
	}
}
