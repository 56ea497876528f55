package mem

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tx is an update while it runs: it reads what is live now, and stores writes.
type Tx struct {
	ctx     context.Context // of the one update that it lives for
	op      *Operation
	tx      backend.Tx
	written []Checked
}

// Get returns the newest live memory of a key, expired or not.
func (t *Tx) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return t.tx.Get(ctx, key)
}

// Below yields the live memories under a prefix by key, expired ones too. The record shares a
// buffer until the next step. An error is the last.
func (t *Tx) Below(ctx context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error] {
	return t.tx.Below(ctx, prefix)
}

// Select returns the live memories that meet conditions, in an order; limit 0: all. It reads no
// more of them than it returns. The error is the file system's.
func (t *Tx) Select(ctx context.Context, w backend.Where, o backend.Order, limit int) (
	[]log.Record, error) {
	return t.tx.Select(ctx, w, o, limit)
}

// Size returns the bytes of the newest lines, newline included, of the keys strictly below a
// prefix: of the live ones, and of those that were deleted. What the update has put counts. The
// error wraps backend.ErrNoSize for a prefix of which no size is kept (keypath.Prefix.Sized).
func (t *Tx) Size(ctx context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	return t.tx.Size(ctx, below)
}

// NewestEver returns the newest record of each of these keys in the whole history, tombstones too.
// It may cost a pass over it.
func (t *Tx) NewestEver(ctx context.Context, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	return t.tx.NewestEver(ctx, keys)
}

// NextNumber returns the next number of a counter, one of keypath.Counters. Where the update stores
// what carries it, it is never returned again. The error wraps ErrInput where there is none left.
func (t *Tx) NextNumber(ctx context.Context, counter string) (int64, error) {
	n, err := t.tx.NextNumber(ctx, counter)
	if errors.Is(err, backend.ErrUsedUp) {
		err = fmt.Errorf("%w: %w", ErrInput, err)
	}
	return n, err
}

// Put stores writes, in this order, each with a later time than the one before. The error wraps
// ErrUnchecked for one that no Check has let pass.
func (t *Tx) Put(writes ...Checked) error {
	for i := range writes {
		if err := t.check(&writes[i]); err != nil {
			return err
		}
	}
	stamps, err := t.tx.Append(backendWrites(writes)...)
	if err != nil {
		return err
	}
	for i, p := range writes {
		p.env.TS = stamps[i]
		t.written = append(t.written, p)
	}
	return nil
}

// check judges a write once more, by the rules that need its final key or the state of the store.
func (t *Tx) check(p *Checked) error {
	if !p.passed {
		return ErrUnchecked
	}
	if p.named {
		if err := t.op.checkCaller(p); err != nil {
			return err
		}
	}
	return t.checkAppend(*p)
}

func backendWrites(writes []Checked) []backend.Write {
	list := make([]backend.Write, len(writes))
	for i, p := range writes {
		list[i] = backend.Write{Envelope: p.env, Imported: p.imported}
	}
	return list
}

// Update runs fn, excluding all other updates, and returns what it stored when that is on disk. fn
// may share its lock with others and may run again: it has no effects but those of tx. Each write,
// or else the error, gets a line in the journal. Where the error wraps backend.ErrStored all is
// stored.
func (op *Operation) Update(ctx context.Context, fn func(*Tx) error) ([]Outcome, error) {
	written, err := op.update(ctx, fn)
	if !stored(err) {
		op.Failed(keypath.Key{}, err)
		return nil, err
	}
	outcomes := make([]Outcome, len(written))
	for i, p := range written {
		outcomes[i] = p.outcome(op.store)
		op.wrote(p, err)
	}
	return outcomes, err
}

// UpdateAsOne is [Operation.Update] with one line in the journal, however much fn stores.
func (op *Operation) UpdateAsOne(ctx context.Context, fn func(*Tx) error) ([]Outcome, error) {
	written, err := op.update(ctx, fn)
	op.Done(len(written), err)
	outcomes := make([]Outcome, len(written))
	for i, p := range written {
		outcomes[i] = p.outcome(op.store)
	}
	return outcomes, err
}

func (op *Operation) update(ctx context.Context, fn func(*Tx) error) ([]Checked, error) {
	var t *Tx
	err := op.store.backend.Update(ctx, op.caller, op.verb.String(), func(tx backend.Tx) error {
		t = &Tx{ctx: ctx, op: op, tx: tx}
		if err := fn(t); err != nil {
			return err
		}
		return op.checkGates(ctx, t)
	})
	if t == nil || !stored(err) {
		return nil, err
	}
	if fn := op.store.opts.OnStored; fn != nil && len(t.written) > 0 {
		fn(envelopes(t.written))
	}
	op.warnOwners(t.written)
	if n := len(t.written); n > 0 {
		if op.last == nil {
			op.first = t.written[0].env.Key.String()
		}
		op.last = &t.written[n-1]
	}
	return t.written, err
}

func envelopes(written []Checked) []log.Envelope {
	list := make([]log.Envelope, len(written))
	for i, p := range written {
		list[i] = p.env
	}
	return list
}

// stored reports whether a write that ended with err is in the log.
func stored(err error) bool { return err == nil || errors.Is(err, backend.ErrStored) }
