package union

import "iter"

// heads are the next elements of several sequences.
type heads[T any] struct{ list []*head[T] }

// head is the next element of one.
type head[T any] struct {
	value T
	more  bool // there is one
	next  func() (T, error, bool)
	stop  func()
}

// open begins all sequences, also when one fails: a sequence that was begun closes its files. The
// caller closes the heads in any case.
func open[T any](seqs []iter.Seq2[T, error]) (h *heads[T], err error) {
	h = &heads[T]{}
	for _, seq := range seqs {
		next, stop := iter.Pull2(seq)
		one := &head[T]{next: next, stop: stop}
		h.list = append(h.list, one)
		if failed := one.advance(); err == nil {
			err = failed
		}
	}
	return h, err
}

func (h *heads[T]) close() {
	for _, one := range h.list {
		one.stop()
	}
}

// advance goes to the next element. An error is the last.
func (h *head[T]) advance() (err error) {
	h.value, err, h.more = h.next()
	return err
}

// least returns the first of the heads that come before all others; nil where all are at their end.
func (h *heads[T]) least(compare func(a, b *T) int) (least *head[T]) {
	for _, one := range h.list {
		if one.more && (least == nil || compare(&one.value, &least.value) < 0) {
			least = one
		}
	}
	return least
}

// merged yields several sequences, each in order, as one; of equals that of the earlier sequence
// first. An error is the last.
func merged[T any](seqs []iter.Seq2[T, error], compare func(a, b *T) int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		h, err := open(seqs)
		defer h.close()
		for err == nil {
			next := h.least(compare)
			if next == nil || !yield(next.value, nil) {
				return
			}
			err = next.advance()
		}
		var none T
		yield(none, err)
	}
}

// inLayer yields the elements of a sequence after set has named their layer.
func inLayer[T any](seq iter.Seq2[T, error], set func(*T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range seq {
			set(&v)
			if !yield(v, err) {
				return
			}
		}
	}
}

// discard closes what sequences have open that nobody will read.
func discard[T any](seqs []iter.Seq2[T, error]) {
	for _, seq := range seqs {
		for range seq {
			break
		}
	}
}
