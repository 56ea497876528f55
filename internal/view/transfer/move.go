package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// MoveJob is one move.
type MoveJob struct {
	From, To *mem.Store
	Place    string        // of To, for the tombstones
	Keys     []keypath.Key // of the memories to move; none: all that Wanted lets pass
	Wanted   func(keypath.Key) bool
	// User is whether To is the user's store, whose notes are of scope user. Elsewhere a note keeps
	// its scope, unless it was the user's: then it becomes one of the workspace.
	User bool
	IDs  note.IDs // of the notes in To
	// DryRun only reports what would be moved, as if nothing were in the way.
	DryRun bool
}

// Moved is a memory that was moved.
type Moved struct {
	From keypath.Key `json:"from"`
	To   keypath.Key `json:"to,omitzero"` // another one for a note; none where nothing was moved yet
}

// Kept is a memory that stayed where it was.
type Kept struct {
	Key keypath.Key `json:"key"`
	Why string      `json:"why"`
}

// MoveReport is what a move did.
type MoveReport struct {
	Moved   []Moved       `json:"moved"`
	Kept    []Kept        `json:"kept"`
	Missing []keypath.Key `json:"missing"` // keys that From has no live memory of
}

// moving is a job while it runs.
type moving struct {
	MoveJob
	ctx     context.Context // of the one call that it lives for
	caller  mem.Caller
	op, out *mem.Operation          // in To and in From
	claims  func(log.Record) string // the mark that a line needs in To
	rep     MoveReport
	done    []log.Record // stored in To, to be deleted from From
}

// Move moves memories, expired ones too, but no quarantined ones. The error is as that of
// mem.Store.Set; the memories in the report were moved all the same.
func Move(ctx context.Context, c mem.Caller, j MoveJob) (MoveReport, error) {
	r := &moving{MoveJob: j, ctx: ctx, caller: c,
		rep: MoveReport{Moved: []Moved{}, Kept: []Kept{}, Missing: []keypath.Key{}}}
	found, err := r.find()
	if err != nil || len(found) == 0 {
		return r.rep, err
	}
	if j.DryRun {
		for _, rec := range found {
			r.rep.Moved = append(r.rep.Moved, Moved{From: rec.Key})
		}
		return r.rep, nil
	}
	if r.out, err = j.From.Begin(c, policy.Move); err != nil {
		return r.rep, err
	}
	if err := r.mayTake(found); err != nil {
		return r.rep, err
	}
	r.claims = j.From.Reader(c).Claims(ctx)
	if r.op, err = j.To.Begin(c, policy.Move); err != nil {
		return r.rep, err
	}
	var notes, others []log.Record
	for _, rec := range found {
		if _, ok := keypath.NoteID(rec.Key); ok {
			notes = append(notes, rec)
		} else {
			others = append(others, rec)
		}
	}
	err = errors.Join(r.copy(others), r.renumber(notes))
	return r.rep, errors.Join(err, r.delete())
}

// find returns the records that are to be moved.
func (r *moving) find() (found []log.Record, err error) {
	for _, key := range r.Keys {
		rec, err := r.From.Get(r.ctx, r.caller, key, true)
		switch {
		case errors.Is(err, mem.ErrNotFound):
			r.rep.Missing = append(r.rep.Missing, key)
			continue
		case err != nil:
			return nil, err
		}
		found = append(found, rec.Clone())
	}
	if len(r.Keys) > 0 {
		return found, nil
	}
	filter := mem.Filter{Expired: true, Trusted: true}
	err = r.From.List(r.ctx, r.caller, filter, func(rec log.Record) error {
		if r.stays(rec) {
			return nil
		}
		if r.Wanted == nil || r.Wanted(rec.Key) {
			found = append(found, rec.Clone())
		}
		return nil
	})
	return found, err
}

// stays reports whether a record is not moved because nothing takes it away from where it happened.
// That is said once for each namespace.
func (r *moving) stays(rec log.Record) bool {
	if !policy.IsAppendOnly(rec.Key.Class()) {
		return false
	}
	first, _, _ := strings.Cut(rec.Key.String()[1:], "/")
	space, err := keypath.Parse("/" + first)
	if err == nil && !slices.ContainsFunc(r.rep.Kept, func(k Kept) bool { return k.Key == space }) {
		r.rep.Kept = append(r.rep.Kept, Kept{space, "what happened stays where it did"})
	}
	return true
}

// copy stores records under their own keys.
func (r *moving) copy(list []log.Record) error {
	var writes []mem.Checked
	var passed []log.Record
	for _, rec := range list {
		w := writeOf(rec, rec.Key)
		if r.wasMoved(rec) {
			// It comes back, and has to win against the tombstone; it is as old as it was.
			w.TS, w.Content = nil, content.KeepTime(rec.Content, rec.TS)
		}
		p, err := r.check(rec, w)
		if err != nil {
			r.keep(rec, err.Error())
			continue
		}
		writes, passed = append(writes, p), append(passed, rec)
	}
	rep, err := r.op.PutAll(r.ctx, writes)
	if len(writes) > 0 {
		r.op.Done(rep.Written, err)
	}
	for _, rec := range passed {
		there, gerr := r.To.Get(r.ctx, r.caller, rec.Key, true)
		switch {
		case gerr == nil && there.TS >= rec.TS && saysTheSame(there.Content, rec):
			r.stored(rec, rec.Key)
		case err != nil && (gerr == nil || errors.Is(gerr, mem.ErrNotFound)):
			// It was not stored, as the error says.
		case gerr == nil || errors.Is(gerr, mem.ErrNotFound):
			r.keep(rec, "it was changed or deleted later where it was to go")
		default:
			return errors.Join(err, gerr)
		}
	}
	return err
}

// saysTheSame reports whether content is that of a record, as it is written with its own time or
// with a new one.
func saysTheSame(text []byte, rec log.Record) bool {
	return bytes.Equal(text, rec.Content) ||
		bytes.Equal(text, content.KeepTime(rec.Content, rec.TS))
}

// mayTake refuses records that nobody has looked at, and rules of the user, to a caller that is no
// person.
func (r *moving) mayTake(found []log.Record) error {
	for _, rec := range found {
		err := policy.CheckTrusted(r.caller, r.From.Trusts(rec), rec.Key)
		if err = cmp.Or(err, r.out.MayChange(r.ctx, rec)); err != nil {
			return err
		}
	}
	return nil
}

// check checks the write of a record in To, which is marked where the record is.
func (r *moving) check(rec log.Record, w mem.Write) (mem.Checked, error) {
	p, err := r.op.Check(r.ctx, w, false)
	if origin := r.claims(rec); origin != "" {
		p = p.Claimed(origin)
	}
	return p, err
}

// mover is the name in the source of the tombstones of a move.
const mover = "mem move"

// wasMoved reports whether the newest of a key in To is the tombstone of an earlier move.
func (r *moving) wasMoved(rec log.Record) bool {
	versions, err := r.To.History(r.ctx, r.caller, rec.Key)
	if err != nil {
		return false
	}
	for newest, err := range versions.Rows {
		return err == nil && !newest.Valid() && newest.TS >= rec.TS &&
			bytes.Contains(newest.Source, []byte(`"name":"`+mover+`"`))
	}
	return false
}

// writeOf returns a record as an import under a key.
func writeOf(rec log.Record, key keypath.Key) mem.Write {
	ts := rec.TS
	return mem.Write{Key: key, Content: rec.Content, Source: rec.Source, TS: &ts}
}

func (r *moving) keep(rec log.Record, why string) {
	r.rep.Kept = append(r.rep.Kept, Kept{rec.Key, mem.MaskSecrets(why)})
}

func (r *moving) stored(rec log.Record, as keypath.Key) {
	r.rep.Moved = append(r.rep.Moved, Moved{rec.Key, as})
	r.done = append(r.done, rec)
}

// renumber stores notes under numbers of their own.
func (r *moving) renumber(list []log.Record) error {
	if len(list) == 0 {
		return nil
	}
	// In the order in which they were noted down, which is that of their numbers.
	slices.SortStableFunc(list, func(a, b log.Record) int { return cmp.Compare(a.TS, b.TS) })
	var passed []log.Record
	var writes []mem.Checked
	for _, rec := range list {
		space, err := note.Space(r.scopeOf(rec))
		if err != nil {
			return err
		}
		p, err := r.check(rec, writeOf(rec, space))
		if err != nil {
			r.keep(rec, err.Error())
			continue
		}
		passed, writes = append(passed, rec), append(writes, p)
	}
	var keys []keypath.Key
	_, err := r.op.UpdateAsOne(r.ctx, func(tx *mem.Tx) (err error) {
		keys, err = r.putNotes(tx, passed, writes)
		return err
	})
	if err != nil {
		return err
	}
	for i, rec := range passed {
		r.stored(rec, keys[i])
	}
	return nil
}

// scopeOf returns the scope that a note has in To.
func (r *moving) scopeOf(rec log.Record) string {
	switch scope, _, _ := strings.Cut(strings.TrimPrefix(rec.Key.String(), "/note/"), "/"); {
	case r.User:
		return "user"
	case scope == "user":
		return "workspace"
	default:
		return scope
	}
}

// putNotes puts notes that are not there yet, and returns the keys of all.
func (r *moving) putNotes(tx *mem.Tx, list []log.Record, writes []mem.Checked) (
	keys []keypath.Key, err error) {
	there, err := r.notesThere(tx)
	if err != nil {
		return nil, err
	}
	for i, rec := range list {
		if key, ok := there[noteIdentity(rec)]; ok {
			keys = append(keys, key)
			continue
		}
		n, err := tx.NextNumber(r.ctx, "note")
		if err != nil {
			return nil, err
		}
		p, err := writes[i].Named(r.IDs.ID(r.scopeOf(rec), n))
		if err != nil {
			return nil, err
		}
		if err := tx.Put(p); err != nil {
			return nil, err
		}
		keys = append(keys, p.Key())
	}
	return keys, nil
}

// noteIdentity is what two copies of a note have in common.
func noteIdentity(rec log.Record) string { return rec.TS.String() + string(rec.Content) }

func (r *moving) notesThere(tx *mem.Tx) (map[string]keypath.Key, error) {
	there := map[string]keypath.Key{}
	below, err := keypath.ParsePrefix("/note")
	if err != nil {
		return nil, err
	}
	for rec, err := range tx.ScanBelow(r.ctx, below) {
		if err != nil {
			return nil, err
		}
		there[noteIdentity(rec)] = rec.Key
	}
	return there, nil
}

// delete deletes from From the memories that were stored in To, except those written anew
// meanwhile.
func (r *moving) delete() error {
	if len(r.done) == 0 {
		return nil
	}
	tombstones := make([]mem.Checked, len(r.done))
	source := r.out.Source("user", mover, "path", r.Place)
	for i, rec := range r.done {
		var err error
		if tombstones[i], err = r.out.Tombstone(r.ctx, rec.Key, "user", source); err != nil {
			return fmt.Errorf("%s: %w", rec.Key.Shown(), err)
		}
	}
	_, err := r.out.UpdateAsOne(r.ctx, func(tx *mem.Tx) error {
		for i, rec := range r.done {
			now, live, err := tx.Get(r.ctx, rec.Key)
			if err != nil {
				return err
			}
			if !live || now.TS != rec.TS {
				continue
			}
			if err := tx.Put(tombstones[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
