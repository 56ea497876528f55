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
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/edit"
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
	// Beside is whether From and To are read as one, so that references between them hold; Follows
	// whether From is read by this person alone, and always with To: there they follow what moves.
	Beside, Follows bool
	// History is whether all keys bring their history, and notes keep their ids, where To has no
	// notes. Only this person may get the records of To: no older version was meant for others.
	History bool
	// DryRun only reports what would be moved, as if nothing were in the way.
	DryRun bool
}

// Moved is a memory that was moved, or would be.
type Moved struct {
	From keypath.Key `json:"from"`
	To   keypath.Key `json:"to"` // another one for a note, unless the notes keep their ids
}

// Kept is a memory that stayed where it was.
type Kept struct {
	Key keypath.Key `json:"key"`
	Why string      `json:"why"`
}

// MoveReport is what a move did.
type MoveReport struct {
	Moved   []Moved         `json:"moved"`
	Kept    []Kept          `json:"kept"`
	Missing mem.MissingKeys `json:"missing"` // keys that From has no live memory of
	// Waits are the ids of the proposals that a person at the server decides on.
	Waits []string `json:"waits,omitempty"`
}

// moving is a job while it runs.
type moving struct {
	MoveJob
	ctx     context.Context // of the one call that it lives for
	caller  mem.Caller
	op, out *mem.Operation          // in To and in From
	claims  func(log.Record) string // the mark that a line needs in To
	rep     MoveReport
	done    []log.Record                // stored in To, to be deleted from From
	moved   map[keypath.Key]keypath.Key // of the notes that get another key
	comes   map[keypath.Key]bool        // the keys in To of what may be written there
	follow  *strings.Replacer           // see following
	strays  bool                        // what stays in From is another memory in To, if any
	ever    map[string]keypath.Key      // see notesEver
	sent    bool                        // From is on another machine, and may be another person's

	older   map[keypath.Key][]log.Record // see history
	numbers keypath.Counts               // that To has given
	taken   bool                         // an id that would be kept is that of another note in To
}

// Move moves memories, expired ones too, but no quarantined ones. It refuses stores of which one
// is, or lies in, the other (mem.KindInput): what it brought there it would delete. The error is
// else as that of mem.Store.Set; the memories in the report were moved all the same.
func Move(ctx context.Context, c mem.Caller, j MoveJob) (MoveReport, error) {
	r := &moving{MoveJob: j, ctx: ctx, caller: c,
		rep: newReport()}
	if err := checkApart(ctx, policy.Move, j.From, j.To); err != nil {
		return r.rep, err
	}
	found, err := r.find()
	if err != nil || len(found) == 0 {
		return r.rep, err
	}
	if err := r.look(found); err != nil {
		return r.rep, err
	}
	if j.DryRun {
		return r.rep, r.foresee(found)
	}
	if r.out, err = j.From.Begin(c, policy.Move); err != nil {
		return r.rep, err
	}
	if err := r.mayTake(found); err != nil {
		return r.rep, err
	}
	r.claims = j.From.Reader(c).Claims()
	if r.op, err = j.To.Begin(c, policy.Move); err != nil {
		return r.rep, err
	}
	r.op.Join() // To may have all of it, as after a crash between the two appends
	return r.rep, r.run(found)
}

// run stores the memories in To and deletes them from From, which appends last: a crash in between
// leaves them in both.
func (r *moving) run(found []log.Record) error {
	stay := r.rep.Kept
	_, err := r.out.UpdateWith(r.ctx, []*mem.Operation{r.op}, func(txs ...*mem.Tx) error {
		r.rep.Moved, r.rep.Kept, r.done = []Moved{}, slices.Clone(stay), nil
		writes, err := r.writes(txs[1], found)
		if err == nil {
			err = txs[1].Put(writes...)
		}
		if err != nil {
			return err
		}
		return r.delete(txs[0])
	})
	if half, ok := errors.AsType[*backend.UnfinishedError](err); ok {
		return &backend.UnfinishedError{Done: "they are stored in the target",
			Rest: "the same command deletes them from the other store", Err: half.Err}
	}
	if err != nil && !errors.Is(err, backend.ErrStored) {
		r.rep.Moved = []Moved{}
	}
	return err
}

// find returns the records that are to be moved, the notes last and in the order in which they were
// noted down, which is that of their numbers.
func (r *moving) find() (found []log.Record, err error) {
	defer func() {
		noted := func(rec log.Record) log.Stamp {
			if isNote(rec.Key) {
				return content.TimeOf(rec.Content, rec.TS)
			}
			return log.MinStamp
		}
		slices.SortStableFunc(found, func(a, b log.Record) int {
			return cmp.Compare(noted(a), noted(b))
		})
	}()
	for i, key := range r.Keys {
		if slices.Index(r.Keys, key) < i {
			continue
		}
		rec, err := r.From.Get(r.ctx, r.caller, key, true)
		switch {
		case errors.Is(err, mem.ErrNotFound):
			r.rep.Missing = append(r.rep.Missing, key)
			continue
		case err != nil:
			return nil, err
		case policy.IsAppendOnly(key.Class()): // no tombstone could take it away
			return nil, &policy.ReservedError{Key: key, Why: happened,
				Todo: advice.Say("leave it out of the move")}
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

// happened is the reason why an append-only record is not moved.
const happened = "what happened stays where it did"

// stays reports whether a record is not moved because nothing takes it away from where it happened.
// That is said once for each namespace.
func (r *moving) stays(rec log.Record) bool {
	if !policy.IsAppendOnly(rec.Key.Class()) {
		return false
	}
	first, _, _ := strings.Cut(rec.Key.String()[1:], "/")
	space, err := keypath.Parse("/" + first)
	if err == nil && !slices.ContainsFunc(r.rep.Kept, func(k Kept) bool { return k.Key == space }) {
		r.rep.Kept = append(r.rep.Kept, Kept{space, happened})
	}
	return true
}

// mayTake refuses a program records that nobody has looked at, and rules of the user.
func (r *moving) mayTake(found []log.Record) error {
	for _, rec := range found {
		if err := r.mayBring(rec); err != nil {
			return err
		}
	}
	return nil
}

func (r *moving) mayBring(rec log.Record) error {
	return cmp.Or(policy.CheckTrusted(r.caller, r.From.Trusts(rec), rec.Key),
		r.out.MayChange(rec))
}

func (r *moving) keep(rec log.Record, why string) {
	r.rep.Kept = append(r.rep.Kept, Kept{rec.Key, mem.MaskSecrets(why)})
}

func (r *moving) stored(rec log.Record, as keypath.Key) {
	r.rep.Moved = append(r.rep.Moved, Moved{rec.Key, as})
	r.done = append(r.done, rec)
}

// repoint returns the content of a memory that stays in From, with the new keys of what it names;
// nil where it names nothing that moves, or may not be changed.
func (r *moving) repoint(rec log.Record) []byte {
	text := []byte(r.follow.Replace(string(rec.Content)))
	moves := func(done log.Record) bool { return done.Key == rec.Key }
	if _, gated := policy.Gate(rec.Key); gated || policy.IsAppendOnly(rec.Key.Class()) ||
		bytes.Equal(text, rec.Content) || slices.ContainsFunc(r.done, moves) ||
		r.out.MayChange(rec) != nil {
		return nil
	}
	return text
}

// delete deletes from From the memories that are stored in To, except those written anew meanwhile,
// and lets the references of others follow.
func (r *moving) delete(tx *mem.Tx) error {
	gone := make([]mem.Checked, len(r.done))
	source := r.out.Source("user", content.Mover, "path", r.Place)
	for i, rec := range r.done {
		var err error
		if gone[i], err = r.out.Tombstone(r.ctx, rec.Key, "user", source); err != nil {
			return fmt.Errorf("%s: %w", rec.Key.Shown(), err)
		}
	}
	was := r.done
	if r.Follows && len(was) > 0 {
		others, repointed, err := edit.Repointed(r.ctx, r.out, r.repoint)
		if err != nil {
			return err
		}
		was, gone = slices.Concat(was, others), append(gone, repointed...)
	}
	for i, rec := range was {
		now, live, err := tx.Get(r.ctx, rec.Key)
		if err == nil && live && now.TS == rec.TS {
			err = tx.Put(gone[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
