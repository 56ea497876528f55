package mem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Outcome is the result of a write.
type Outcome struct {
	Key    keypath.Key `json:"key"`
	TS     log.Stamp   `json:"ts"`
	Valid  bool        `json:"valid"`
	Path   string      `json:"path,omitempty"`        // its index file; empty if there is none
	Layer  string      `json:"layer,omitempty"`       // where it was written, if there are two
	Reason string      `json:"quarantined,omitempty"` // why it is under /untrusted/, or empty

	Proposal string `json:"proposal,omitempty"` // id of a change that waits for a person
}

func (p Checked) outcome(s *Store) Outcome {
	out := Outcome{Key: p.env.Key, TS: p.env.TS, Valid: p.env.Valid(), Reason: p.reason}
	if out.Valid {
		out.Path = s.FilePath(p.env.Key)
	}
	return out
}

// Update runs fn, excluding all other updates, and returns what it stored when that is on disk. fn
// may share its lock with others and may run again: it has no effects but those of tx. Each write,
// or else the error, gets a line in the journal. Where the error wraps backend.ErrStored all is
// stored.
func (op *Operation) Update(ctx context.Context, fn func(*Tx) error) ([]Outcome, error) {
	written, err := op.update(ctx, fn)
	if !isStored(err) {
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
	if t == nil || !isStored(err) {
		return nil, err
	}
	if op.store.opts.OnStored != nil { // else there is no use for the copy
		op.store.notify(envelopes(t.written))
	}
	op.warnOwners(t.written)
	if n := len(t.written); n > 0 {
		if op.last == nil {
			op.first = t.written[0].env.Key.String()
		}
		last := t.written[n-1] // a copy: a batch has many groups, and keeps none of them
		one := run{first: &last.env, last: &last.env}
		if n > 1 {
			first := t.written[0].env
			one.first = &first
		}
		op.last, op.runs = &last, append(op.runs, one)
	}
	return t.written, err
}

// commit first ends an update of several stores that was killed (goOn), and then runs an update of
// the store. One that went by a configuration that is old by now runs again, by that of the store.
func (op *Operation) commit(ctx context.Context, fn func(backend.Tx) error) error {
	if !op.joint {
		op.store.goOn(ctx, op.caller)
	}
	by, compares := op.store.backend.(backend.ConfigComparer)
	if op.assumed && compares {
		err := by.UpdateBy(ctx, op.caller, op.verb.String(), op.version, fn)
		if !errors.Is(err, backend.ErrConfig) {
			return err
		}
		if _, err := op.Config(ctx); err != nil {
			return err
		}
	}
	return op.store.backend.Update(ctx, op.caller, op.verb.String(), fn)
}

func envelopes(written []Checked) []log.Envelope {
	list := make([]log.Envelope, len(written))
	for i, p := range written {
		list[i] = p.env
	}
	return list
}

// warnOwners warns of writes for other agents than the calling one: the caller cannot see them. A
// restored backup has them on purpose, so this is no error.
func (op *Operation) warnOwners(written []Checked) {
	var owners []string
	count := 0
	for _, p := range written {
		if !p.env.Valid() || policy.Permits(op.caller, p.env.Key) {
			continue
		}
		count++
		if owner := p.env.Key.Realm().Owner; !slices.Contains(owners, owner) {
			owners = append(owners, owner)
		}
	}
	if count == 0 {
		return
	}
	what := "written for agent " + strings.Join(owners, ", ") + ": MEM_AGENT is "
	if op.caller.Agent == "" {
		what += "not set, and no other caller can read it"
	} else {
		what += op.caller.Agent + ", which cannot read it"
	}
	if count > 1 {
		what += fmt.Sprintf(" (memories: %d)", count)
	}
	op.store.opts.Warn(what)
}

// BatchReport is the result of a batch.
type BatchReport struct {
	Written   int `json:"written"`
	Unchanged int `json:"unchanged"`        // imported or resumed, and there already
	Stale     int `json:"stale"`            // imported, older than what the key holds or held when deleted
	Purged    int `json:"purged,omitempty"` // of these, older than the purge of their key
	Refused   int `json:"refused"`          // bad lines
	Apart     int `json:"apart"`            // of the written, quarantined under /untrusted/

	New   int `json:"-"` // of the written, those whose key held nothing
	Idle  int `json:"-"` // of the written, deletions of keys that held nothing
	Facts int `json:"-"` // of the written, rules for which the operation does not vouch
}

func (r *BatchReport) add(o BatchReport) {
	r.Written += o.Written
	r.Unchanged += o.Unchanged
	r.Stale += o.Stale
	r.Purged += o.Purged
	r.Apart += o.Apart
	r.New += o.New
	r.Idle += o.Idle
	r.Facts += o.Facts
}

type batchRun struct {
	op     *Operation
	total  int
	left   []Checked
	rep    BatchReport
	waited bool // somebody held the lock longer than a writer waits, and the caller knows
}

// partial returns an error as that of the whole batch: as it is where nothing is stored, or all.
func (b *batchRun) partial(err error) error {
	if err == nil || len(b.left) == 0 || len(b.left) == b.total {
		return err
	}
	return &PartialError{Stored: b.rep.Written, Already: b.rep.Unchanged, Total: b.total, Err: err}
}

// next stores the next n lines. Once a part of the batch is stored the lock is waited for without
// limit: half a batch helps nobody.
func (b *batchRun) next(ctx context.Context, n int,
	fn func(t *Tx, group []Checked) (BatchReport, error)) error {
	for {
		var part BatchReport
		_, err := b.op.update(ctx, func(t *Tx) (err error) {
			part, err = fn(t, b.left[:n])
			return err
		})
		if isStored(err) {
			b.rep.add(part)
			b.left = b.left[n:]
		}
		if len(b.left) == b.total || !errors.Is(err, log.ErrLocked) {
			return err
		}
		if err := b.wait(ctx, err); err != nil {
			return err
		}
	}
}

// UpdateGroups is [Operation.UpdateAsOne] for more writes than one lock should be held for: fn puts
// those of a group, the first of which has the number from, and each group has a lock and an fsync
// of its own. An error before the second group is as of UpdateAsOne, a later one a *PartialError.
func (op *Operation) UpdateGroups(ctx context.Context, writes []Checked, size int,
	fn func(t *Tx, from int, group []Checked) error) (out []Outcome, err error) {
	b := &batchRun{op: op, total: len(writes), left: writes}
	for len(b.left) > 0 && err == nil {
		var last *Tx
		from := b.total - len(b.left)
		err = b.next(ctx, min(size, len(b.left)),
			func(t *Tx, group []Checked) (BatchReport, error) {
				last = t
				err := fn(t, from, group)
				return BatchReport{Written: len(t.written)}, err
			})
		if b.total-len(b.left) == from {
			break
		}
		for _, p := range last.written {
			out = append(out, p.outcome(op.store))
		}
		if op.store.opts.Progress != nil {
			op.store.opts.Progress(op.verb.String(), b.total-len(b.left), b.total)
		}
	}
	err = b.partial(err)
	op.Done(len(out), err)
	return out, err
}

// lockPause is what passes between two attempts at the lock, for a store that does not wait for it
// by itself.
const lockPause = 20 * time.Millisecond

// wait waits a little before the next attempt, and reports the reason the first time.
func (b *batchRun) wait(ctx context.Context, locked error) error {
	if !b.waited {
		b.waited = true
		b.op.store.opts.Warn(fmt.Sprintf("%d of %d stored, the rest is not: %s", b.rep.Written,
			b.total, locked))
	}
	select {
	case <-time.After(lockPause):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
