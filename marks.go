package mem

import (
	"context"
	"slices"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Imported returns a function that reports whether an import brought a record, or a client claimed
// a rule without a named source (policy.Unvouched): the source of such a record is a claim, so the
// record is a fact and no rule of the user. The function is nil where a store has no such record.
// Of several stores that are read together it goes by the layer of the record. The caller reads the
// records after this call: marks are written before lines.
func (s *Store) Imported(ctx context.Context) (func(log.Record) bool, error) {
	if s.members == nil {
		marks, err := s.marks(ctx)
		if err != nil || len(marks) == 0 {
			return nil, err
		}
		return func(rec log.Record) bool { return marks[rec.Identity()] }, nil
	}
	layers := map[string]func(log.Record) bool{}
	for _, m := range s.members {
		imported, err := m.Store.Imported(ctx)
		if err != nil {
			return nil, err
		}
		if imported != nil {
			layers[m.Layer] = imported
		}
	}
	if len(layers) == 0 {
		return nil, nil
	}
	return func(rec log.Record) bool {
		imported := layers[rec.Layer]
		return imported != nil && imported(rec)
	}, nil
}

// marks returns the identities of what imports brought into a store.
func (s *Store) marks(ctx context.Context) (map[log.Identity]bool, error) {
	if m, ok := s.backend.(backend.Marker); ok {
		return m.Marks(ctx)
	}
	return nil, nil
}

// mark marks those of the writes of an update that nobody stands for (policy.Unvouched).
func (op *Operation) mark(ctx context.Context, written []Checked) error {
	var lines []log.Identity
	for _, p := range written {
		if policy.Unvouched(op.caller, p.claims, p.env) {
			lines = append(lines, p.env.Identity())
		}
	}
	m, ok := op.store.backend.(backend.Marker)
	if !ok || len(lines) == 0 {
		return nil
	}
	return m.MarkImported(ctx, lines)
}

// Unmark takes the marks of imported lines back, among writes with a time: a person has brought
// them as the user's own.
func (op *Operation) Unmark(ctx context.Context, writes []Checked) error {
	marks, err := op.store.marks(ctx)
	var lines []log.Identity
	for _, p := range writes {
		if id := p.env.Identity(); p.imported && !p.claims && marks[id] {
			lines = append(lines, id)
		}
	}
	m, ok := op.store.backend.(backend.Marker)
	if err != nil || !ok || len(lines) == 0 {
		return err
	}
	return m.UnmarkImported(ctx, lines)
}

// learnMarks reads which lines imports brought, for [Operation.protects].
func (op *Operation) learnMarks(ctx context.Context) (err error) {
	if !op.verb.Claims() || op.claimed != nil {
		return nil
	}
	if op.claimed, err = op.store.marks(ctx); op.claimed == nil {
		op.claimed = map[log.Identity]bool{}
	}
	return err
}

// protects reports whether a record is a rule of the user, which no file replaces or deletes, and
// keeps its key.
func (op *Operation) protects(rec log.Record) bool {
	if !op.verb.Claims() || !rec.Valid() {
		return false
	}
	it := ItemOf(rec)
	unvouched := func() bool { return op.claimed[rec.Identity()] }
	if op.store.place.Standing(&it, unvouched) != readout.Rule {
		return false
	}
	if !slices.Contains(op.kept, rec.Key) {
		op.kept = append(op.kept, rec.Key)
	}
	return true
}

// KeptRules returns the keys of rules of the user that the operation was to replace or delete, and
// which are as they were.
func (op *Operation) KeptRules() []keypath.Key { return op.kept }

// GiveMarks marks the lines that imports brought into another store.
func (op *Operation) GiveMarks(ctx context.Context, from *Store) error {
	marks, err := from.marks(ctx)
	if err != nil {
		return err
	}
	have, err := op.store.marks(ctx)
	if err != nil {
		return err
	}
	var lines []log.Identity
	for id := range marks {
		if !have[id] {
			lines = append(lines, id)
		}
	}
	if m, ok := op.store.backend.(backend.Marker); ok && len(lines) > 0 {
		return m.MarkImported(ctx, lines)
	}
	return nil
}
