package mem

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tx is an update while it runs: it reads the live memories, and stores writes.
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

func backendWrites(writes []Checked) []backend.Write {
	list := make([]backend.Write, len(writes))
	for i, p := range writes {
		list[i] = backend.Write{Envelope: p.env, Imported: p.Imported() && !p.restamped}
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
	return op.done(written, err), err
}

// done writes the one line of an update in the journal.
func (op *Operation) done(written []Checked, err error) []Outcome {
	op.Done(len(written), err)
	outcomes := make([]Outcome, len(written))
	for i, p := range written {
		outcomes[i] = p.outcome(op.store)
	}
	return outcomes
}

func (op *Operation) update(ctx context.Context, fn func(*Tx) error) ([]Checked, error) {
	var t *Tx
	err := op.commit(ctx, func(tx backend.Tx) error {
		t = &Tx{ctx: ctx, op: op, tx: tx}
		if err := fn(t); err != nil {
			return err
		}
		err := op.checkGates(ctx, t)
		if err == nil && op.ready != nil {
			err = op.ready(t)
		}
		if err == nil && len(t.written) > 0 {
			op.enter()
		}
		return err
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
		op.runs = append(op.runs, run{first: &t.written[0].env, last: &t.written[n-1].env})
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

// gates holds what an operation has written to gated keys (policy.Gate) to the rules: a closed or
// deleted session takes no record, and none takes more than fits. The zero gates is ready.
type gates struct {
	// brought are the sessions that came with the operation: each is as it was elsewhere, and the
	// records from before it was closed come with it.
	brought map[keypath.Key]bool
}

// arrival is a session with the live records that an update has put into it.
type arrival struct {
	session keypath.Key
	records []keypath.Key
}

// arrivals returns the sessions among the writes of an update, and those in which it has put live
// records. A record of a closed session may be deleted.
func arrivals(written []Checked) (sessions []keypath.Key, below []arrival) {
	for _, p := range written {
		gate, gated := policy.Gate(p.env.Key)
		if !gated || !p.env.Valid() {
			continue
		}
		if gate == p.env.Key {
			sessions = append(sessions, gate)
			continue
		}
		i := slices.IndexFunc(below, func(a arrival) bool { return a.session == gate })
		if i < 0 {
			i, below = len(below), append(below, arrival{session: gate})
		}
		below[i].records = append(below[i].records, p.env.Key)
	}
	return sessions, below
}

// checkGates judges an update before it is stored. The guard of the operation runs before the sizes
// are judged, for it may make room.
func (op *Operation) checkGates(ctx context.Context, tx *Tx) error {
	var sessions []keypath.Key
	var below []arrival
	if !op.verb.TendsSessions() {
		sessions, below = arrivals(tx.written)
	}
	if op.isForced() {
		if err := op.tend(ctx, tx, below); KindOf(err) != KindRefused {
			return err
		}
		return nil
	}
	for _, key := range sessions {
		if err := op.checkSession(ctx, key); err != nil {
			return err
		}
	}
	heads := make([]policy.SessionHead, len(below))
	for i, a := range below {
		var err error
		if heads[i], err = op.checkOpen(ctx, tx, a); err != nil {
			return err
		}
	}
	if err := op.tend(ctx, tx, below); err != nil {
		return err
	}
	for i, a := range below {
		if err := op.checkSize(ctx, tx, a.session, heads[i]); err != nil {
			return err
		}
	}
	return nil
}

// tend lets the guard look after the sessions that the update has written to. The guard may write
// there what no other operation writes, and nothing else: a session itself, and tombstones.
func (op *Operation) tend(ctx context.Context, tx *Tx, below []arrival) error {
	if op.guard == nil {
		return nil
	}
	before := len(tx.written)
	op.exempt |= policy.Tending
	err := op.guard(ctx, tx, tx.written)
	op.exempt &^= policy.Tending
	if err != nil {
		return err
	}
	for _, p := range tx.written[before:] {
		gate, gated := policy.Gate(p.env.Key)
		if !gated || gate != p.env.Key && p.env.Valid() ||
			!slices.ContainsFunc(below, func(a arrival) bool { return a.session == gate }) {
			return fmt.Errorf("%s: %w: a guard keeps to the sessions of its update",
				p.env.Key.Shown(), policy.ErrReserved)
		}
	}
	return nil
}

// checkSession judges the write of a session itself, by the state of the store before the update.
func (op *Operation) checkSession(ctx context.Context, key keypath.Key) error {
	if op.gates.brought[key] || !op.verb.Adds() {
		return nil
	}
	before, err := op.store.Get(ctx, Caller{}, key, true)
	switch {
	case err == nil:
		if head := policy.ParseHead(before.Content); head.Closed != 0 {
			return head.CheckOpen(policy.SessionID(key))
		}
		return nil
	case !errors.Is(err, ErrNotFound):
		return err
	}
	if err := op.checkDeleted(ctx, key); err != nil {
		return err
	}
	if op.gates.brought == nil {
		op.gates.brought = map[keypath.Key]bool{}
	}
	op.gates.brought[key] = true
	return nil
}

// checkDeleted refuses a record of a session that is gone and was there before.
func (op *Operation) checkDeleted(ctx context.Context, session keypath.Key) error {
	had, err := op.store.everHad(ctx, session)
	if err != nil || !had {
		return err
	}
	return policy.DeletedError(policy.SessionID(session))
}

// checkOpen judges new records of a session by the session's content, which it returns. A session
// that never was gates nothing but the size.
func (op *Operation) checkOpen(ctx context.Context, tx *Tx, a arrival) (
	head policy.SessionHead, err error) {
	rec, found, err := tx.Get(ctx, a.session)
	switch {
	case err != nil:
		return head, err
	case !found || content.Expired(rec.Content, op.Now()):
		if !op.verb.Restores() {
			err = op.checkDeleted(ctx, a.session)
		}
	default:
		head = policy.ParseHead(rec.Content)
		err = head.CheckOpen(policy.SessionID(a.session))
	}
	switch {
	case err == nil, op.gates.brought[a.session] && errors.Is(err, policy.ErrClosed):
		return head, nil
	case op.verb.Adds() || op.verb.Restores():
		return head, err
	}
	return head, op.unlessChanged(ctx, a.records, err)
}

// everHad reports whether a store ever held a key.
func (s *Store) everHad(ctx context.Context, key keypath.Key) (bool, error) {
	versions, err := s.backend.Versions(ctx, key)
	if err != nil || versions.Rows == nil {
		return false, err
	}
	for range versions.Rows {
		break // the end closes the opened files
	}
	return versions.Count > 0, nil
}
