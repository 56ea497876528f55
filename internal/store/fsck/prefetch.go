package fsck

import "iter"

// prefetch runs an iterator in a goroutine of its own, some steps before its consumer, so that
// reading from the disk and checking what was read overlap. When the loop over it ends, in any way,
// the iterator has ended too.
func prefetch[T any](seq iter.Seq[T]) iter.Seq[T] {
	const batch, batches = 64, 4
	return func(yield func(T) bool) {
		full, stop, stopped := make(chan []T, batches), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			defer close(full)
			var part []T
			for v := range seq {
				if part = append(part, v); len(part) < batch {
					continue
				}
				select {
				case full <- part:
					part = nil
				case <-stop:
					return
				}
			}
			select {
			case full <- part:
			case <-stop:
			}
		}()
		defer func() { close(stop); <-stopped }()
		for part := range full {
			for _, v := range part {
				if !yield(v) {
					return
				}
			}
		}
	}
}
