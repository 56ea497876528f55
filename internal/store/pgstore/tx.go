package pgstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/group"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// attempt is one try to commit the updates of a group: what they looked at is the space as of head.
type attempt struct {
	store *Store
	ctx   context.Context // of the whole try
	head  head

	remembered bool // head is what this process knew; nobody was asked
	looked     bool // an update saw something of the space
	locked     bool // the space is ours

	seen    map[keypath.Key]log.Record // newest as of head; the zero Record for none
	counts  *keypath.Counts            // as of head; nil: not read yet
	numbers keypath.Counts             // that the group returned or appended
	batch   []log.Record
	of      []*group.Turn // whose each record of batch is
	writes  state.Fold    // the newest record of each key in batch
	last    log.Stamp     // newest of all, batch included
}

// tx is one update of a group while it runs. Whatever it appends is its own until it has ended.
type tx struct {
	try     *attempt
	caller  backend.Caller
	batch   []log.Record
	writes  state.Fold
	numbers keypath.Counts
	last    log.Stamp
}

// pool returns where it reads from.
func (a *attempt) pool() *pgxpool.Pool {
	if a.locked {
		return a.store.inside
	}
	return a.store.spare()
}

func (a *attempt) begin(c backend.Caller) *tx {
	return &tx{try: a, caller: c, writes: state.Fold{}, last: a.last}
}

// run runs updates, one after the other. The error is for all: they are to be run again.
func (a *attempt) run(turns []*group.Turn) error {
	for _, t := range turns {
		if t.Ctx.Err() != nil {
			t.Err = context.Cause(t.Ctx)
			continue
		}
		tx := a.begin(t.Caller)
		t.Do(tx)
		if errors.Is(t.Err, errMoved) {
			return errMoved
		}
		if t.Err == nil {
			t.Err = tx.count()
		}
		if t.Err == nil {
			a.take(t, tx)
		}
	}
	return nil
}

// count sees to it that the numbers of what was appended are counted with the commit.
func (t *tx) count() error {
	for _, rec := range t.batch {
		if _, _, numbered := rec.Key.Number(); numbered {
			_, err := t.try.counted(t.try.ctx)
			return err
		}
	}
	return nil
}

// take adds what an update appended to the group.
func (a *attempt) take(of *group.Turn, t *tx) {
	a.batch = append(a.batch, t.batch...)
	a.of = append(a.of, slices.Repeat([]*group.Turn{of}, len(t.batch))...)
	a.writes.Merge(t.writes)
	a.numbers.Merge(t.numbers)
	a.last = t.last
}

// ask reads the newest records of keys that were not asked for yet.
func (a *attempt) ask(ctx context.Context, keys []keypath.Key) error {
	a.looked = a.looked || len(keys) > 0
	var missing []keypath.Key
	for _, key := range keys {
		if _, ok := a.seen[key]; !ok {
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return a.store.reading(ctx, func() error {
		found, err := a.store.newest(ctx, a.pool(), a.head.seq, missing)
		if err != nil {
			return err
		}
		for _, key := range missing {
			a.seen[key] = found[key]
		}
		return nil
	})
}

// NewestEver returns the newest record of each of these keys, tombstones too.
func (t *tx) NewestEver(ctx context.Context, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	if err := t.try.ask(ctx, keys); err != nil {
		return nil, err
	}
	found := make(map[keypath.Key]log.Record, len(keys))
	for _, key := range keys {
		if rec, ok := t.ever(key); ok {
			found[key] = rec
		}
	}
	return found, nil
}

// ever returns the newest record of a key that was asked for.
func (t *tx) ever(key keypath.Key) (log.Record, bool) {
	for _, fold := range []map[keypath.Key]log.Record{t.writes, t.try.writes, t.try.seen} {
		if rec, ok := fold[key]; ok {
			return rec, !rec.Key.IsZero()
		}
	}
	return log.Record{}, false
}

// Newest returns the newest live record of each of these keys.
func (t *tx) Newest(ctx context.Context, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	found, err := t.NewestEver(ctx, keys)
	maps.DeleteFunc(found, func(_ keypath.Key, rec log.Record) bool { return !rec.Valid() })
	return found, err
}

// Get returns the newest live record of a key, expired or not.
func (t *tx) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	found, err := t.Newest(ctx, []keypath.Key{key})
	rec, ok := found[key]
	return rec, ok, err
}

// written returns what the group and this update have appended.
func (t *tx) written() state.Fold {
	all := maps.Clone(t.try.writes)
	all.Merge(t.writes)
	return all
}

// Below yields the live records under a prefix, by key.
func (t *tx) Below(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	if p == (keypath.Prefix{}) {
		return t.viewed(ctx, func(v *state.View) iter.Seq2[log.Record, error] { return v.Below(p) })
	}
	t.try.looked = true
	mine := t.written()
	maps.DeleteFunc(mine, func(key keypath.Key, _ log.Record) bool { return !p.Holds(key) })
	return merged(belowFrom(ctx, t.try.store.database, t.try.pool(), t.try.head.seq, p), mine)
}

// viewed yields what a view of everything does.
func (t *tx) viewed(ctx context.Context,
	of func(*state.View) iter.Seq2[log.Record, error]) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		v, release, err := t.view(ctx)
		if err != nil {
			yield(log.Record{}, err)
			return
		}
		defer release()
		for rec, err := range of(v) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// merged yields records by key, in which others have taken the place of those of the same key.
func merged(old iter.Seq2[log.Record, error], fresh state.Fold) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		keys := fresh.Keys()
		for rec, err := range old {
			if err != nil {
				if !yield(rec, err) || !isDamage(err) {
					return
				}
				continue
			}
			for len(keys) > 0 && keys[0].Compare(rec.Key) < 0 {
				if r := fresh[keys[0]]; r.Valid() && !yield(r, nil) {
					return
				}
				keys = keys[1:]
			}
			if len(keys) > 0 && keys[0] == rec.Key {
				continue // it comes with what is before the next one
			}
			if !yield(rec, nil) {
				return
			}
		}
		for _, key := range keys {
			if r := fresh[key]; r.Valid() && !yield(r, nil) {
				return
			}
		}
	}
}

// Size returns the bytes of the newest lines below a prefix.
func (t *tx) Size(ctx context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	t.try.looked = true
	live, deleted, err = t.try.store.size(ctx, t.try.pool(), t.try.head.seq, below)
	if err != nil {
		return 0, 0, err
	}
	mine := t.written()
	maps.DeleteFunc(mine, func(key keypath.Key, _ log.Record) bool {
		of, sized := key.SizedBelow()
		return !sized || of != below
	})
	if err := t.try.ask(ctx, mine.Keys()); err != nil {
		return 0, 0, err
	}
	for key, rec := range mine {
		for _, change := range []struct {
			rec  log.Record
			sign int64
		}{{t.try.seen[key], -1}, {rec, 1}} {
			size := change.sign * (int64(len(change.rec.Line)) + 1)
			switch {
			case change.rec.Key.IsZero():
			case change.rec.Valid():
				live += size
			default:
				deleted += size
			}
		}
	}
	return live, deleted, nil
}

// Select returns what meets the conditions, in an order.
func (t *tx) Select(ctx context.Context, w backend.Where, o backend.Order, limit int) (
	[]log.Record, error) {
	v, release, err := t.view(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return v.Select(w, o, limit)
}

// view returns what is live as of the attempt, with what was appended in it.
func (t *tx) view(ctx context.Context) (*state.View, func(), error) {
	t.try.looked = true
	snap, err := t.try.store.snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	if snap.at != t.try.head.seq {
		snap.Close()
		return nil, nil, errMoved
	}
	v := snap.view.Extend(snap.shared.file, t.written(), snap.whole)
	return v, func() { v.Close(); snap.Close() }, nil
}

// NextNumber returns the next number of a counter.
func (t *tx) NextNumber(ctx context.Context, counter string) (int64, error) {
	if !slices.Contains(keypath.Counters(), counter) {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrNoCounter)
	}
	counts, err := t.try.counted(ctx)
	if err != nil {
		return 0, err
	}
	all := counts.Clone()
	all.Merge(t.try.numbers)
	all.Merge(t.numbers)
	next, ok := all.Next(counter)
	if !ok {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrUsedUp)
	}
	t.numbers.Add(counter, next)
	return next, nil
}

// Append adds writes, and stamps those that are not imported.
func (t *tx) Append(writes ...backend.Write) ([]log.Stamp, error) {
	now := t.try.store.o.Now()
	if t.caller.Now != 0 {
		now = t.caller.Now.Time()
	}
	if err := t.askImported(writes); err != nil {
		return nil, err
	}
	batch, stamps, last := make([]log.Record, len(writes)), make([]log.Stamp, len(writes)), t.last
	before := map[keypath.Key]log.Record{} // by the writes so far
	for i, w := range writes {
		rec, err := t.record(w, now, last, before)
		if err != nil {
			return nil, err
		}
		batch[i], stamps[i], before[w.Key], last = rec, rec.TS, rec, max(last, rec.TS)
	}
	for _, rec := range batch {
		t.numbers.AddKey(rec.Key)
		t.writes[rec.Key] = rec
	}
	t.batch, t.last = append(t.batch, batch...), last
	return stamps, nil
}

// askImported reads what imports must win against.
func (t *tx) askImported(writes []backend.Write) error {
	var keys []keypath.Key
	for _, w := range writes {
		if w.Imported {
			keys = append(keys, w.Key)
		}
	}
	return t.try.ask(t.try.ctx, keys)
}

// record returns an envelope as it is stored, with a ts that is later than the last, or the one
// that it brings.
func (t *tx) record(w backend.Write, now time.Time, last log.Stamp,
	before map[keypath.Key]log.Record) (rec log.Record, err error) {
	e := w.Envelope
	if !w.Imported {
		if e.TS, err = log.NextStamp(now, last); err != nil {
			return rec, err
		}
	}
	// The clone shares the bytes of its line, and none of the caller's.
	rec = log.Record{Envelope: e, Line: e.Line(), Canonical: true}.Clone()
	if !w.Imported {
		return rec, nil
	}
	old, ok := before[e.Key]
	if !ok {
		old, ok = t.ever(e.Key)
	}
	if ok && !rec.Wins(old) {
		return rec, fmt.Errorf("%s of %s: %w of %s", e.Key, e.TS, backend.ErrOlder, old.TS)
	}
	return rec, nil
}
