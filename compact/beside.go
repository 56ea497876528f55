package compact

import "github.com/set-memory/mem/log"

// beside hands records to a goroutine of its own, in their order, so that what it does with them and what goes on here share the processors. wait ends it,
// and returns when it has taken them all.
func beside(take func(log.Record)) (add func(log.Record), wait func()) {
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
