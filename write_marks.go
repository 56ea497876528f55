package mem

import (
	"bytes"
	"context"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Imported returns a function that reports whether an older build has marked the line of a record
// beside the log, as one for which no person vouches. The function is nil where a store has no such
// line: the lines of this build have their mark in their source (content.Claim). Of several stores
// that are read together it goes by the layer of the record.
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

// marks returns the identities of the lines that older builds have marked.
func (s *Store) marks(ctx context.Context) (map[log.Identity]bool, error) {
	if m, ok := s.backend.(backend.Marker); ok {
		return m.Marks(ctx)
	}
	return nil, nil
}

// IsRule reports whether a record of the store is a rule of the user, or a person's word on what an
// agent is, expired or not: a caller names its own time. Where the marks of older builds cannot be
// read it goes by the line alone.
func (op *Operation) IsRule(ctx context.Context, rec log.Record) bool {
	if !rec.Valid() {
		return false
	}
	it := ItemOf(rec)
	marked := func() bool { return op.isMarked(ctx, rec) }
	return op.store.opts.Belief.Standing(&it, policy.IdentityOf(it.Key), marked) == readout.Rule
}

// isMarked reports whether an older build has marked the line of a record.
func (op *Operation) isMarked(ctx context.Context, rec log.Record) bool {
	if op.marks == nil {
		if op.marks, _ = op.store.marks(ctx); op.marks == nil {
			op.marks = map[log.Identity]bool{} // it is not asked for again
		}
	}
	return op.marks[rec.Identity()]
}

// ClaimOf returns the origin that the mark of a record names, in its source or beside the log; ""
// where a person vouches for the record. What is made here of a line of a plain depot is a line of
// this memory, though nobody vouches for it.
func (op *Operation) ClaimOf(ctx context.Context, rec log.Record) string {
	origin := content.Claim(rec.Source)
	if origin == content.FromDepot || origin == "" && op.isMarked(ctx, rec) {
		origin = content.FromImport
	}
	return origin
}

// Keeps reports whether a caller that is no person may only propose to change a record: a rule of
// the user, or a pin of another member of the team than the caller's.
func (op *Operation) Keeps(ctx context.Context, rec log.Record) bool {
	return op.IsRule(ctx, rec) || policy.PinnedByOther(op.caller, rec) != ""
}

// MayChange refuses a caller that is no person to change what it may only propose to change.
// Where the operation puts a write, the Store asks this by itself. The error is a
// *policy.RuleError.
func (op *Operation) MayChange(ctx context.Context, rec log.Record) error {
	return policy.MayChange(op.caller, op.verb, rec,
		func(rec log.Record) bool { return op.IsRule(ctx, rec) })
}

// checkChange asks [Operation.MayChange] for a line of a batch, so that the whole batch is refused
// before a part of it is stored. A line that the key has already changes nothing.
func (op *Operation) checkChange(ctx context.Context, p Checked) error {
	if policy.IsPerson(op.caller) {
		return nil
	}
	rec, found, err := op.store.backend.Get(ctx, p.env.Key)
	if !found || err != nil || p.isTwin(rec.Envelope) || p.sameAs(rec.Envelope, rec.Valid()) {
		return err
	}
	return op.MayChange(ctx, rec)
}

// vouched returns a write as it is stored: a person that vouches for the very line that the key has
// with a mark stores it anew, later by a microsecond. So is the very line that an import has
// stored, where an undo of the whole import took it back: no other deletion gives way.
func (f *duplicateFilter) vouched(p Checked) Checked {
	old := f.known[p.env.Key]
	if p.isTwin(old.Envelope) && p.vouches(f.op.ClaimOf(f.ctx, old)) {
		p.env.TS++
	}
	at, command := content.Undone(old.Source)
	if f.op.verb == policy.Restore && p.Imported() && p.env.Valid() &&
		command == policy.Import.String() && at == p.env.TS.String() {
		p.env.Content, p.env.TS = content.KeepTime(p.env.Content, p.env.TS), old.TS+1
	}
	return p
}

// isStored reports whether the store has the line of a write: where a person has vouched for it
// elsewhere it is later by a microsecond.
func (f *duplicateFilter) isStored(p Checked) bool {
	old := f.known[p.env.Key]
	e := old.Envelope
	e.TS++
	return p.isTwin(old.Envelope) || p.isTwin(e) && !p.vouches(f.op.ClaimOf(f.ctx, old))
}

// isDemoted reports whether a write is a rule where it is from, and a fact here.
func (p Checked) isDemoted() bool {
	it := ItemOf(log.Record{Envelope: p.env})
	return content.Claim(p.env.Source) != "" && content.Claim(p.facts.Source) == "" &&
		policy.ClaimsRule(&it)
}

// vouches reports whether a write makes a rule of the user of a line with a mark of this origin.
func (p Checked) vouches(origin string) bool {
	it := ItemOf(log.Record{Envelope: p.env})
	return origin != "" && content.Claim(p.env.Source) == "" && policy.ClaimsRule(&it)
}

// isTwin reports whether an envelope is that of the write, but for the mark in its source.
func (p Checked) isTwin(e log.Envelope) bool {
	return p.Imported() && e.Key == p.env.Key && e.TS == p.env.TS &&
		bytes.Equal(e.Content, p.env.Content) &&
		bytes.Equal(content.BareSource(e.Source), content.BareSource(p.env.Source))
}

// protects reports whether a record is a rule of the user, which no file of a person replaces or
// deletes, and keeps its key.
func (op *Operation) protects(ctx context.Context, rec log.Record) bool {
	if !op.verb.Claims() || !policy.IsPerson(op.caller) || !op.IsRule(ctx, rec) {
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

// GiveMarks copies the marks beside the log of another store: a copy has its lines as they are.
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
