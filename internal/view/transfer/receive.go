package transfer

import (
	"context"
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Receive stores the lines of [Send] in the memory of a server. A person's come as they are. Of
// anybody else they are facts: a note that would be a rule comes without its pin, which waits as a
// proposal, and any other such memory waits as a whole. No line takes the place of another memory.
// What the store has already counts as moved, and is not written again.
func Receive(ctx context.Context, c mem.Caller, to *mem.Store, ids note.IDs, lines []byte) (
	MoveReport, error) {
	r := &moving{MoveJob: MoveJob{To: to, IDs: ids}, ctx: ctx, caller: c, rep: newReport(),
		sent: true, claims: func(log.Record) string { return "" }}
	found, err := readSent(lines)
	if err != nil {
		return r.rep, err
	}
	verb := policy.Move
	waits := &waiting{moving: r, pins: map[keypath.Key]bool{}}
	if !policy.IsPerson(c) {
		verb = policy.Receive
		if found, err = waits.take(found); err != nil {
			return r.rep, err
		}
	}
	if slices.ContainsFunc(found, func(rec log.Record) bool { return isNote(rec.Key) }) {
		if err := r.notesEver(); err != nil {
			return r.rep, err
		}
	}
	if r.op, err = to.Begin(c, verb); err != nil {
		return r.rep, err
	}
	stay := r.rep
	_, err = r.op.Update(ctx, func(tx *mem.Tx) error {
		r.rep, r.done = stay, nil
		r.rep.Moved, r.rep.Kept = slices.Clone(stay.Moved), slices.Clone(stay.Kept)
		writes, err := r.writes(tx, found)
		if err == nil {
			err = tx.Put(writes...)
		}
		return err
	})
	if err != nil {
		return r.rep, err
	}
	return r.rep, waits.pin()
}

// waiting are the memories among those received that would be rules.
type waiting struct {
	*moving
	pins map[keypath.Key]bool // notes whose pin waits
	room proposal.Room
}

// take returns the records to be stored: without the rules, which it proposes, and without pins.
func (w *waiting) take(found []log.Record) (facts []log.Record, err error) {
	if w.room, err = proposal.RoomOf(w.ctx, w.To, w.caller); err != nil {
		return nil, err
	}
	for _, rec := range found {
		switch {
		case !wouldRule(rec.Envelope):
			facts = append(facts, rec)
		case !w.room.Take(rec.Key):
			w.keep(rec, "a rule, and no more proposals of yours may wait there")
		case isNote(rec.Key):
			w.pins[rec.Key] = true
			facts = append(facts, withoutPin(rec))
		default:
			if err := w.propose(rec); err != nil {
				return nil, err
			}
		}
	}
	return facts, nil
}

// propose lets a rule wait; one that is live there is moved.
func (w *waiting) propose(rec log.Record) error {
	has, err := w.To.Get(w.ctx, w.caller, rec.Key, true)
	switch {
	case err == nil && saysTheSame(has.Content, writeOf(rec, rec.Key)):
		w.stored(rec, rec.Key)
		return nil
	case err == nil:
		w.keep(rec, isTaken)
		return nil
	case !errors.Is(err, mem.ErrNotFound):
		return err
	}
	p, err := proposal.Add(w.ctx, w.To, w.caller, proposal.Change{Verb: "set", Key: rec.Key,
		Content: rec.Content})
	if err != nil {
		w.keep(rec, err.Error())
		return nil
	}
	w.rep.Waits = append(w.rep.Waits, p.ID)
	w.keep(rec, "a rule: it waits there as "+p.ID)
	return nil
}

// isTaken is the reason why a memory stays whose key is that of another one.
const isTaken = "the key has another memory there"

// withoutPin returns a record that is not pinned.
func withoutPin(rec log.Record) log.Record {
	if rec.Content[0] == '{' {
		rec.Content = jsontext.ParseMembers(rec.Content).DropName("pinned").Object()
	}
	return rec
}

// pin lets the pins of the notes wait that were stored.
func (w *waiting) pin() error {
	for _, m := range w.rep.Moved {
		if !w.pins[m.From] {
			continue
		}
		rec, err := w.To.Get(w.ctx, w.caller, m.To, true)
		if err != nil {
			return err
		}
		p, err := proposal.Add(w.ctx, w.To, w.caller, proposal.Change{Verb: "pin", Key: m.To,
			Content: jsontext.ParseMembers(rec.Content).With("pinned", []byte("true")).Object()})
		if errors.Is(err, proposal.ErrSame) {
			continue // it was approved
		}
		if err != nil {
			return err
		}
		w.rep.Waits = append(w.rep.Waits, p.ID)
	}
	return nil
}
