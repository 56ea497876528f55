package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Recorded is the answer to an event that is stored.
type Recorded struct {
	Event    string           `json:"event_id"`
	Chunks   []string         `json:"chunk_ids"` // never nil
	Created  log.Stamp        `json:"created_at"`
	Artifact string           `json:"artifact_id,omitempty"` // of a text that is too long
	Decision string           `json:"decision_id,omitempty"` // that an event of this kind brings
	Task     string           `json:"task_id,omitempty"`     // that a task_update brings or changes
	Redacted []secret.Finding `json:"redacted,omitempty"`    // where a secret was taken out
}

// Result is what became of one event of a list: the answer to it, or its error.
type Result struct {
	Recorded
	Err error
}

// draft is an event that is ready to be stored, or its error.
type draft struct {
	answer Recorded // without Created: it is not stored yet
	err    error
	key    keypath.Key
	given  bool                // its sender has made its id
	writes []mem.Checked       // the artifact, if there is one, and the event
	blob   *blob               // of the artifact; nil: there is none
	along  func(*mem.Tx) error // stores the decision or task of the event; nil: it has none
	twin   *draft              // the same event, earlier in the list; nil: there is none
}

// isOpen reports whether an event is still to be stored.
func (d *draft) isOpen() bool { return d.err == nil && d.twin == nil && d.answer.Created == 0 }

// Record stores events, all or none, in one update. Where one is bad the error is a
// *mem.BatchError, but of a single event it is its own: mem.ErrInput, mem.ErrFuture,
// policy.ErrTooLarge, ErrNoKey, ErrTaken, or as that of mem.Store.Set.
func (b *Book) Record(ctx context.Context, events ...Event) ([]Recorded, error) {
	op, drafts, err := b.draftAll(ctx, events)
	if err != nil {
		return nil, err
	}
	for again := true; again && err == nil; {
		if err = failure(drafts); err == nil {
			again, err = b.storeAll(ctx, op, drafts)
		} else {
			op.Failed(keypath.Key{}, err)
		}
	}
	answers := make([]Recorded, len(drafts))
	for i, d := range drafts {
		if answers[i] = d.result().Recorded; answers[i].Created == 0 {
			return nil, err
		}
	}
	return answers, err
}

// RecordEach stores events in one update but those that have an error of their own. The error is
// one that is no event's, and then nothing is stored.
func (b *Book) RecordEach(ctx context.Context, events []Event) ([]Result, error) {
	op, drafts, err := b.draftAll(ctx, events)
	if err != nil {
		return nil, err
	}
	if bad := failure(drafts); bad != nil {
		op.Failed(keypath.Key{}, bad)
	}
	err = b.storeEach(ctx, op, drafts)
	results := make([]Result, len(drafts))
	for i, d := range drafts {
		if results[i] = d.result(); d.answer.Created != 0 {
			err = nil // each event has its own
		}
	}
	return results, err
}

// storeEach stores the open ones among drafts. Where an update is refused for one event, the halves
// of the list are stored by themselves. The error is one that is no event's, that of all after it.
func (b *Book) storeEach(ctx context.Context, op *mem.Operation, drafts []*draft) error {
	again, err := true, error(nil)
	for again && err == nil {
		again, err = b.storeAll(ctx, op, drafts)
	}
	if err == nil {
		return nil
	}
	half := len(drafts) / 2
	if half > 0 && isOwn(err) {
		if err = b.storeEach(ctx, op, drafts[:half]); err == nil {
			return b.storeEach(ctx, op, drafts[half:])
		}
	}
	for _, d := range drafts {
		if d.isOpen() {
			d.err = err
		}
	}
	if isOwn(err) {
		return nil
	}
	return err
}

// isOwn reports whether an error is that of an event, and not that of the store.
func isOwn(err error) bool {
	switch mem.KindOf(err) {
	case mem.KindNo, mem.KindInput, mem.KindRefused, mem.KindConflict:
		return true
	}
	return false
}

// content returns the content of an event as it is stored.
func (d *draft) content() []byte { return d.writes[len(d.writes)-1].Content() }

// sum returns that of the artifact with the text of an event; "" for none.
func (d *draft) sum() string {
	if d.blob == nil {
		return ""
	}
	return d.blob.sum
}

// taken returns the error of an event whose id another event has.
func (d *draft) taken() error {
	return fault.Wrap(mem.KindConflict, d.answer.Event, ErrTaken,
		advice.Say("give a new event a new id"))
}

// result returns what became of an event.
func (d *draft) result() Result {
	if d.twin != nil && d.err == nil {
		return d.twin.result()
	}
	return Result{d.answer, d.err}
}

// failure returns the error of events of which all or none are stored; nil for none.
func failure(drafts []*draft) error {
	var bad []*mem.LineError
	for i, d := range drafts {
		if d.err != nil {
			bad = append(bad, &mem.LineError{Line: i + 1, Err: d.err})
		}
	}
	if len(bad) > 0 && len(drafts) == 1 {
		return bad[0].Err
	}
	return mem.WithBadLines(nil, bad)
}

func (b *Book) draftAll(ctx context.Context, events []Event) (*mem.Operation, []*draft, error) {
	op, err := b.store.Begin(b.caller, policy.Event)
	if err != nil {
		return nil, nil, err
	}
	drafts, first := make([]*draft, len(events)), map[keypath.Key]*draft{}
	for i, e := range events {
		d, err := b.draft(ctx, op, e)
		drafts[i], d.err = &d, err
		if twin := first[d.key]; err == nil && d.given && twin != nil {
			if d.twin = twin; !b.isSame(&d, twin.content(), twin.sum()) {
				d.err = d.taken()
			}
		} else if err == nil {
			first[d.key] = &d
		}
	}
	return op, drafts, nil
}

// storeAll stores the open ones among drafts in one update. Where the store has some of them
// already, it stores nothing, and answers these: again reports that.
func (b *Book) storeAll(ctx context.Context, op *mem.Operation, drafts []*draft) (
	again bool, err error) {
	var blobs []*blob
	var open []*draft
	for _, d := range drafts {
		if !d.isOpen() {
			continue
		}
		if open = append(open, d); d.blob != nil {
			blobs = append(blobs, d.blob)
		}
	}
	if len(open) == 0 {
		return false, nil
	}
	var known map[keypath.Key]log.Record
	written, err := b.put(ctx, op, blobs, nil, func(tx *mem.Tx) (err error) {
		if known, err = knownTo(ctx, tx, open, op.Now()); err != nil || len(known) > 0 {
			return err
		}
		return putDrafts(tx, open)
	})
	at := map[keypath.Key]log.Stamp{}
	for _, out := range written {
		at[out.Key] = out.TS
	}
	for _, d := range open {
		if old, is := known[d.key]; is && err == nil {
			err = b.repeat(ctx, d, old)
		}
		d.answer.Created = cmp.Or(d.answer.Created, at[d.key])
	}
	return len(known) > 0, err
}

// knownTo returns the newest records of those keys of drafts that the store has. A purge has left a
// mark of an event that it removed, which the event of an old id must not get past; to look for it
// is a pass over the history.
func knownTo(ctx context.Context, tx *mem.Tx, drafts []*draft, now log.Stamp) (
	map[keypath.Key]log.Record, error) {
	var keys []keypath.Key
	look := tx.Newest
	for _, d := range drafts {
		if !d.given {
			continue
		}
		if keys = append(keys, d.key); log.StampOf(ulid.Time(uniqueOf(d.key))) < now-secondsEarly {
			look = tx.NewestEver
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return look(ctx, keys)
}

func putDrafts(tx *mem.Tx, drafts []*draft) error {
	var writes []mem.Checked
	for _, d := range drafts {
		writes = append(writes, d.writes...)
	}
	err := tx.Put(writes...)
	for _, d := range drafts {
		if err == nil && d.along != nil {
			err = d.along(tx)
		}
	}
	return err
}

// repeat answers an event whose id the store has: as the first time if it is the same event.
func (b *Book) repeat(ctx context.Context, d *draft, old log.Record) error {
	sum := ""
	if d.blob != nil {
		kept, err := b.store.Get(ctx, mem.Caller{}, d.writes[0].Key(), true)
		if err != nil && !errors.Is(err, mem.ErrNotFound) {
			return err
		}
		sum = textOf(membersOf(kept.Content), "sha256")
	}
	if old.Valid() && b.isSame(d, old.Content, sum) {
		d.answer.Created = old.TS
	} else {
		d.err = d.taken()
	}
	return nil
}

// isSame reports whether content and the sum of an artifact are those of a draft. A text that is
// sealed has another sum each time: the words in its event say which one it is.
func (b *Book) isSame(d *draft, content []byte, sum string) bool {
	old, opens := b.open(content)
	one, _ := b.open(d.content())
	return opens && bytes.Equal(old.Object(), one.Object()) &&
		(sum == d.sum() || IsSealed(content))
}
