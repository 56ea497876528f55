package mem

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Get returns the newest live memory of a key, expired or not.
func (t *Tx) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return t.tx.Get(ctx, key)
}

// ScanBelow yields the live memories under a prefix by key, expired ones too. The record shares a
// buffer until the next step. An error is the last.
func (t *Tx) ScanBelow(ctx context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error] {
	return t.tx.ScanBelow(ctx, prefix)
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

// Newest returns the newest live record of each of these keys, at the cost of one question.
func (t *Tx) Newest(ctx context.Context, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	return t.tx.Newest(ctx, keys)
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

// Put stores writes in this order, each later than the one before. The error wraps ErrUnchecked
// for one that passed no Check, and ErrInput for one with a condition, which PutAll keeps.
func (t *Tx) Put(writes ...Checked) error {
	for _, p := range writes {
		if p.when != always {
			return fmt.Errorf("%s: %w: only PutAll keeps a condition", p.env.Key.Shown(), ErrInput)
		}
	}
	return t.put(writes...)
}

func (t *Tx) put(writes ...Checked) error {
	writes, err := t.op.admitAgain(t.ctx, writes)
	if err == nil {
		err = t.admit(writes)
	}
	if err != nil {
		return err
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

// needsOld reports whether the record that a write replaces has to be looked up.
func (p *Checked) needsOld() bool { return !p.fresh && p.facts != nil && p.facts.NeedsOld() }

// admit asks the rules that need the records in whose place the writes come.
func (t *Tx) admit(writes []Checked) error {
	var keys []keypath.Key
	for i := range writes {
		p := &writes[i]
		if p.op == nil || p.op != t.op {
			return ErrUnchecked
		}
		if p.needsOld() {
			keys = append(keys, p.env.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	old, err := t.tx.Newest(t.ctx, keys)
	isRule := func(rec log.Record) bool { return t.op.IsRule(rec) }
	for i := 0; err == nil && i < len(writes); i++ {
		if p := &writes[i]; p.needsOld() {
			err = p.facts.AdmitOver(old[p.env.Key], isRule)
		}
	}
	return err
}

// admitAgain asks the rule for sources, which alone reads the configuration, once more about writes
// that were checked by another configuration than the operation goes by now.
func (op *Operation) admitAgain(ctx context.Context, writes []Checked) ([]Checked, error) {
	old := func(p Checked) bool { return p.op == op && p.conf != op.conf }
	if !slices.ContainsFunc(writes, old) {
		return writes, nil
	}
	writes = slices.Clone(writes) // the update may run again
	for i := range writes {
		p := &writes[i]
		if !old(*p) {
			continue
		}
		if err := p.quarantineRefused(op.ground(ctx, op.conf).AdmitSource(p.facts)); err != nil {
			return nil, err
		}
	}
	return writes, nil
}

func backendWrites(writes []Checked) []backend.Write {
	list := make([]backend.Write, len(writes))
	for i, p := range writes {
		list[i] = backend.Write{Envelope: p.env, Imported: p.Imported() && !p.restamped}
	}
	return list
}
