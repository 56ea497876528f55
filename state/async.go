package state

import "github.com/set-memory/mem/log"

// async hands records, in their order, to a goroutine that calls take, so that its work and the
// caller share the processors. wait ends it, and returns when it has taken them all.
func async(take func(log.Record)) (add func(log.Record), wait func()) {
	const batch, batches = 256, 4
	full, done := make(chan []log.Record, batches), make(chan struct{})
	go func() {
		defer close(done)
		for part := range full {
			for _, rec := range part {
				take(rec)
			}
		}
	}()
	part := make([]log.Record, 0, batch)
	add = func(rec log.Record) {
		if part = append(part, rec.Clone()); len(part) == batch {
			full <- part
			part = make([]log.Record, 0, batch)
		}
	}
	wait = func() {
		full <- part
		close(full)
		<-done
	}
	return add, wait
}
