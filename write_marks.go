package mem

import (
	"bytes"
	"context"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// IsRule reports whether a record of the store is a rule of the user, or a person's word on what an
// agent is, expired or not: a caller names its own time.
func (op *Operation) IsRule(rec log.Record) bool {
	if !rec.Valid() {
		return false
	}
	it := ItemOf(rec)
	return op.store.opts.Belief.Standing(&it, policy.IdentityOf(it.Key)) == readout.Rule
}

// ClaimOf returns the origin that the mark in the source of a record names; "" where a person
// vouches for the record. What is made here of a line of a plain depot is a line of this memory,
// though nobody vouches for it.
func (op *Operation) ClaimOf(rec log.Record) string {
	origin := content.Claim(rec.Source)
	if origin == content.FromDepot {
		origin = content.FromImport
	}
	return origin
}

// Keeps reports whether a caller that is no person may only propose to change a record: a rule of
// the user, or a pin of another member of the team than the caller's.
func (op *Operation) Keeps(rec log.Record) bool {
	return op.IsRule(rec) || policy.PinnedByOther(op.caller, rec) != ""
}

// MayChange refuses a caller that is no person to change what it may only propose to change.
// Where the operation puts a write, the Store asks this by itself. The error is a
// *policy.RuleError.
func (op *Operation) MayChange(rec log.Record) error {
	return policy.MayChange(op.caller, op.verb, rec,
		func(rec log.Record) bool { return op.IsRule(rec) })
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
	return op.MayChange(rec)
}

// vouched returns a write as it is stored: a person that vouches for the very line that the key has
// with a mark stores it anew, later by a microsecond. So is the very line that an import has
// stored, where an undo of the whole import took it back: no other deletion gives way.
func (f *duplicateFilter) vouched(p Checked) Checked {
	old := f.known[p.env.Key]
	if p.isTwin(old.Envelope) && p.vouches(f.op.ClaimOf(old)) {
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
	return p.isTwin(old.Envelope) || p.isTwin(e) && !p.vouches(f.op.ClaimOf(old))
}

// isDemoted reports whether a write is a rule where it is from, and a fact here.
func (p Checked) isDemoted() bool {
	it := ItemOf(log.Record{Envelope: p.env})
	return content.Claim(p.env.Source) != "" &&
		(p.facts == nil || content.Claim(p.facts.Source) == "") && policy.ClaimsRule(&it)
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
func (op *Operation) protects(rec log.Record) bool {
	if !op.verb.Claims() || !policy.IsPerson(op.caller) || !op.IsRule(rec) {
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
