package overlay

import (
	"fmt"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Append adds envelopes to what the group will append, and stamps those that are not imported.
func (t *Tx) Append(writes ...backend.Write) ([]log.Stamp, error) {
	now := t.group.now()
	if t.caller.Now != 0 {
		now = t.caller.Now.Time()
	}
	if _, err := log.NextStamp(now, log.MinStamp); err != nil {
		return nil, err // imported ones are judged by the same clock
	}
	last := t.last
	// The caller's stay as they are, for the update may run again.
	batch, stamps := make([]log.Envelope, len(writes)), make([]log.Stamp, len(writes))
	for i, w := range writes {
		if batch[i] = w.Envelope; !w.Imported {
			ts, err := log.NextStamp(now, last)
			if err != nil {
				return nil, err
			}
			batch[i].TS = ts
		}
		stamps[i] = batch[i].TS
		last = max(last, stamps[i])
	}
	if err := t.mayImport(writes, batch); err != nil {
		return nil, err
	}
	t.add(batch)
	t.last = last
	return stamps, nil
}

// add adds envelopes that have their ts and win against all that their keys had.
func (t *Tx) add(batch []log.Envelope) {
	if t.writes == nil {
		t.writes = make(writes, len(batch))
	}
	for _, e := range batch {
		t.writes[e.Key] = log.Record{Envelope: e}
		t.numbers.AddKey(e.Key)
	}
	if t.Batch == nil {
		t.Batch = batch
	} else {
		t.Batch = append(t.Batch, batch...)
	}
}

// mayImport refuses envelopes that bring a ts, where the history has something as new for the key,
// or the batch before them: what a store derives from its history may have no tombstones, and would
// bring back deleted records. Where all are newer than all there is, nothing is read.
func (t *Tx) mayImport(writes []backend.Write, batch []log.Envelope) error {
	var keys []keypath.Key // that the history may have something as new for
	last, inOrder := t.last, true
	for i, e := range batch {
		if writes[i].Imported && e.TS <= t.last {
			keys = append(keys, e.Key)
		}
		inOrder = inOrder && e.TS > last
		last = max(last, e.TS)
	}
	if inOrder {
		return nil
	}
	newest, err := t.newest(t.ctx, keys, true)
	if err != nil {
		return err
	}
	for i, e := range batch {
		old, ok := newest[e.Key]
		if ok && writes[i].Imported && !wins(e, old) {
			return fmt.Errorf("%s of %s: %w of %s", e.Key, e.TS, backend.ErrOlder, old.TS)
		}
		newest[e.Key] = log.Record{Envelope: e}
	}
	return nil
}
