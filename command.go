package mem

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// UpdateWith is [Operation.UpdateAsOne] of several stores: fn runs while the locks of all are held,
// taken in the order of the operations, and every rule is asked before the first append. The last
// store appends first; a crash in between, or an error, may leave the stores before it without
// theirs.
func (op *Operation) UpdateWith(ctx context.Context, others []*Operation,
	fn func(...*Tx) error) ([]Outcome, error) {
	if len(others) == 0 {
		return op.UpdateAsOne(ctx, func(tx *Tx) error { return fn(tx) })
	}
	var inner []Outcome
	var late error
	own, err := op.UpdateAsOne(ctx, func(tx *Tx) (err error) {
		inner, err = others[0].UpdateWith(ctx, others[1:], func(txs ...*Tx) error {
			if err := fn(append([]*Tx{tx}, txs...)...); err != nil {
				return err
			}
			return op.checkGates(ctx, tx)
		})
		if stored(err) {
			late, err = err, nil
		}
		return err
	})
	return append(own, inner...), cmp.Or(err, late)
}

// enter records, before an append, that the command of the operation writes to this store, too: in
// the journal of each store that it has written to, or has joined. After a crash before the append
// that command is taken back in no store.
func (op *Operation) enter() {
	root := op.store.RealPath()
	journal := op.store.backend.Journal(backend.OpsFile)
	for _, other := range op.caller.Command.Enter(root, journal) {
		other.Append(opRecord{At: op.Now().String(), Command: op.caller.Command.ID(),
			Also: redacted([]string{root}), Undoes: op.undoes}.line(), opsLimit)
	}
}

// Join makes the operation a part of its command also where it writes nothing: the journal of its
// store then names the other stores, so that the command is found from there.
func (op *Operation) Join() {
	op.joined = true
	op.caller.Command.Join(op.store.RealPath(), op.store.backend.Journal(backend.OpsFile))
}

// Undoes names the command that the operation takes back, for its journal.
func (op *Operation) Undoes(id string) { op.undoes = id }

// Stored records that an earlier call, which was killed, has stored records for the operation: one
// append, from the first to the last.
func (op *Operation) Stored(first, last log.Record) {
	op.enter()
	op.first, op.last = first.Key.String(), &Checked{env: last.Envelope}
	op.runs = append(op.runs, run{&first.Envelope, &last.Envelope})
}

// ErrCut is returned by Store.Stored where lines are not in the history any more.
var ErrCut = errors.New("part of what it stored was removed from the history")

// Stored calls fn for every line that operations stored. The error wraps ErrCut where some of the
// lines are gone.
func (s *Store) Stored(ctx context.Context, list []Ran, fn func(log.Record) error) error {
	ends, single, until := map[string]string{}, map[string]log.Record{}, ""
	for _, r := range list {
		if len(r.Runs) == 0 {
			single[r.Key+" "+r.TS] = log.Record{}
		}
		for _, text := range r.Runs {
			first, last, _ := strings.Cut(text, "-")
			ends[first] = last
		}
	}
	left := maps.Clone(ends)
	err := s.Everything(ctx, func(rec log.Record) error {
		id, sum := rec.Key.String()+" "+rec.TS.String(), ""
		if _, wanted := single[id]; wanted {
			single[id] = rec.Clone() // of two with one time the later line
		}
		if len(ends) > 0 {
			sum = shortSum(rec.Line)
		}
		if last, begins := ends[sum]; begins && until == "" {
			until = last
			delete(left, sum)
		}
		if until == "" {
			return nil
		}
		if sum == until {
			until = ""
		}
		return fn(rec)
	})
	if err == nil && len(left)+len(until) > 0 {
		err = ErrCut
	}
	for _, r := range list {
		id := r.Key + " " + r.TS
		rec, wanted := single[id]
		switch {
		case err != nil || !wanted:
		case rec.Key.IsZero():
			err = ErrCut
		default:
			err = fn(rec)
		}
		delete(single, id)
	}
	return err
}
