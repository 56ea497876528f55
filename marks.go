package mem

import (
	"context"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// Imported returns a function that reports whether an import brought a record, or a client claimed a
// rule without naming who says so (policy.Unvouched): what the record says of its source is a claim,
// so it is a fact and no rule of the user. The function is nil where a store has no such record. Of several stores that are read together it goes by
// the layer of the record. Who asks reads the records afterwards: marks are written before lines.
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
	return m.Mark(ctx, lines)
}
