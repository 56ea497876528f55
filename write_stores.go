package mem

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// SetAll stores a batch of JSONL lines {"key","content"[,"source"][,"ts"]}. Every line is checked
// before anything is written: where one is bad the error is a *BatchError and, unless o.KeepGoing,
// nothing was stored. The lines are then written in groups; where that ends in the middle, the
// error wraps a *PartialError. A line with a ts is an import: it keeps its time, and is left out
// where the history has something as new for its key, so nothing deleted comes back.
func (s *Store) SetAll(ctx context.Context, c Caller, r io.Reader, o BatchOptions) (
	BatchReport, error) {
	b := newRoutedBatch(c, o, func(keypath.Key) (*Store, error) { return s, nil })
	if _, err := b.part(ctx, s); err != nil {
		return BatchReport{}, err // once, and not for each line; also where there is none
	}
	return b.run(ctx, r)
}

// SetAllIn is [Store.SetAll] with each line in the store that route returns for its key. All lines
// are checked before anything is written; then the stores are written one after the other. An error
// of route that wraps ErrNoLayer is the line's alone.
func SetAllIn(ctx context.Context, c Caller, r io.Reader, o BatchOptions,
	route func(keypath.Key) (*Store, error)) (BatchReport, error) {
	return newRoutedBatch(c, o, route).run(ctx, r)
}

type routedBatch struct {
	route   func(keypath.Key) (*Store, error)
	caller  Caller
	options BatchOptions
	parts   map[*Store]*batchPart
	order   []*batchPart // in which they are written
	total   int
}

type batchPart struct {
	op     *Operation
	writes []Checked
	rep    BatchReport
}

func newRoutedBatch(c Caller, o BatchOptions,
	route func(keypath.Key) (*Store, error)) *routedBatch {
	return &routedBatch{route: route, caller: c, options: o, parts: map[*Store]*batchPart{}}
}

func (b *routedBatch) run(ctx context.Context, r io.Reader) (rep BatchReport, err error) {
	bad, err := b.read(ctx, r)
	if err == nil && (len(bad) == 0 || b.options.KeepGoing) {
		rep, err = b.write(ctx)
	}
	rep.Refused = len(bad)
	err = WithBadLines(err, bad)
	for _, part := range b.parts {
		part.op.Done(part.rep.Written, err)
	}
	return rep, err
}

func (b *routedBatch) read(ctx context.Context, r io.Reader) (bad []*LineError, err error) {
	var fatal error
	err = EachLine(ContextReader(ctx, r), func(n int, line []byte, err error) {
		if err == nil && fatal == nil {
			fatal, err = b.take(ctx, line)
		}
		if err != nil {
			bad = append(bad, &LineError{Line: n, Err: err})
		}
	})
	return bad, errors.Join(fatal, err)
}

// take checks a line for its store. fatal is a fault that all lines have.
func (b *routedBatch) take(ctx context.Context, line []byte) (fatal, err error) {
	w, sourced, err := parseLine(line, b.options.Source)
	if err != nil {
		return nil, err
	}
	s, err := b.route(w.Key)
	if errors.Is(err, ErrNoLayer) {
		return nil, err
	}
	var part *batchPart
	if err == nil {
		part, err = b.part(ctx, s)
	}
	if err != nil {
		return err, nil
	}
	p, err := part.op.checkParsed(ctx, w, sourced, b.options, keypath.Prefix{})
	if err == nil {
		part.writes = append(part.writes, p)
		b.total++
	}
	return nil, err
}

// part returns the part of a store, which begins with its first line.
func (b *routedBatch) part(ctx context.Context, s *Store) (*batchPart, error) {
	if part := b.parts[s]; part != nil {
		return part, nil
	}
	op, err := s.Begin(b.caller, policy.Set, b.options.AllowSecrets...)
	if err != nil {
		return nil, err
	}
	if b.options.Force {
		op.Force()
	}
	if _, err := op.Config(ctx); err != nil {
		return nil, err
	}
	part := &batchPart{op: op}
	b.parts[s] = part
	b.order = append(b.order, part)
	return part, nil
}

// write stores the parts. Where the first is stored and the second fails, the error is a
// *PartialError of both.
func (b *routedBatch) write(ctx context.Context) (rep BatchReport, err error) {
	for _, part := range b.order {
		part.op.store.opts.warnBatch(part.writes)
		part.rep, err = part.op.putAll(ctx, part.writes, func(stored []Checked) { clear(stored) })
		rep.add(part.rep)
		if err != nil {
			return rep, b.partial(rep, err)
		}
	}
	return rep, nil
}

func (b *routedBatch) partial(rep BatchReport, err error) error {
	var inner *PartialError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if rep.Written+rep.Unchanged == 0 {
		return err
	}
	return &PartialError{
		Stored: rep.Written, Already: rep.Unchanged, Total: b.total, Err: err,
	}
}

// UpdateWith is [Operation.UpdateAsOne] of several stores: fn runs while the locks of all are held,
// taken in the order of the operations, and every rule is asked before the first append. The last
// store appends first; a crash in between, or an error, may leave the stores before it without
// theirs, until the next write to one of them (write_half.go).
//
// Two calls may name the same stores in different orders. The locks have one order, that of the
// paths: a call that waits for a lock before one that it holds gives back what it holds after a
// moment, and begins again, so no two wait for each other.
func (op *Operation) UpdateWith(ctx context.Context, others []*Operation,
	fn func(...*Tx) error) ([]Outcome, error) {
	const moment, pause = 50 * time.Millisecond, 10 * time.Millisecond
	for _, one := range append([]*Operation{op}, others...) {
		if one.undoes == "" { // else it goes on by itself
			one.store.goOn(ctx, op.caller)
		}
		one.joint = true
		defer func() { one.joint = false }()
	}
	for left := op.store.opts.LockWait / 2; left > 0; left -= moment + pause {
		out, err := op.updateNoted(ctx, others, fn, moment)
		if !errors.Is(err, errYield) {
			return out, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	return op.updateNoted(ctx, others, fn, 0)
}

// updateNoted is updateWith, whose notes are dropped where all of it is stored, or nothing.
func (op *Operation) updateNoted(ctx context.Context, others []*Operation,
	fn func(...*Tx) error, wait time.Duration) ([]Outcome, error) {
	drop := func() {}
	out, err := op.updateWith(ctx, others, fn, lockOrder{wait: wait, drop: &drop})
	if !errors.As(err, new(*backend.UnfinishedError)) {
		drop()
	}
	return out, err
}

// errYield ends the wait for a lock whose holder may wait for one of this call's.
var errYield = errors.New("another call holds the lock")

// lockOrder is how a call takes the locks of several stores.
type lockOrder struct {
	held string        // the last path of those that it holds
	wait time.Duration // for a lock before that; 0: as long as any update
	txs  []*Tx         // of these stores
	drop *func()       // drops the notes of the update
}

// take returns a context for an update of a store, and what that calls when it has the lock.
func (o lockOrder) take(ctx context.Context, path string) (context.Context, func() error, func()) {
	if o.wait == 0 || path >= o.held {
		return ctx, func() error { return nil }, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(o.wait, func() { cancel(errYield) })
	has := false
	got := func() error {
		if has = has || timer.Stop(); !has {
			return errYield
		}
		return nil
	}
	return ctx, got, func() { timer.Stop(); cancel(nil) }
}

// updateWith is UpdateWith in an order. The error is errYield where another call went first: then
// nothing was done.
func (op *Operation) updateWith(ctx context.Context, others []*Operation, fn func(...*Tx) error,
	o lockOrder) ([]Outcome, error) {
	if len(others) > 0 { // it runs once, in the updates of several stores
		if _, err := op.Config(ctx); err != nil {
			return nil, err
		}
	}
	path := op.store.RealPath()
	wait, got, end := o.take(ctx, path)
	defer end()
	if len(others) == 0 {
		op.ready = func(*Tx) (err error) { *o.drop, err = noteHalf(o.txs); return err }
		defer func() { op.ready = nil }()
	}
	o.held = max(o.held, path)
	var inner []Outcome
	var late error
	written, err := op.update(wait, func(tx *Tx) (err error) {
		if err = got(); err != nil {
			return err
		}
		o.txs = append(slices.Clip(o.txs), tx)
		if len(others) == 0 {
			return fn(tx)
		}
		inner, err = others[0].updateWith(ctx, others[1:], func(txs ...*Tx) error {
			if err := fn(append([]*Tx{tx}, txs...)...); err != nil {
				return err
			}
			return op.checkGates(ctx, tx)
		}, o)
		if isStored(err) {
			late, err = err, nil
		}
		return err
	})
	if errors.Is(err, errYield) {
		return nil, err
	}
	own := op.done(written, err)
	if len(inner) > 0 {
		err = backend.Unfinished(err, "one store is written, and another is not",
			"the same command does the rest")
	}
	return append(own, inner...), cmp.Or(err, late)
}

// Join makes the operation a part of its command also where it writes nothing: the journal of its
// store then names the other stores, so that the command is found from there.
func (op *Operation) Join() {
	op.joined = true
	op.caller.Command.Join(op.store.RealPath(), op.store.backend.Journal(backend.OpsFile))
}

// Undoes names the command that the operation takes back, for its journal.
func (op *Operation) Undoes(id string) { op.undoes = id }

// TakeOver records that an earlier call, which was killed, has stored records for the operation:
// one append, from the first to the last.
func (op *Operation) TakeOver(first, last log.Record) {
	op.enter()
	op.first, op.last = first.Key.String(), &Checked{env: last.Envelope}
	op.runs = append(op.runs, run{first: &first.Envelope, last: &last.Envelope})
}
