package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// pinWaits reports whether a pin by a caller waits for a person: a pin makes a rule of a memory,
// which only a person does. A store without rules has no proposals, and a pin there makes none.
func pinWaits(s *mem.Store, c mem.Caller) bool { return !policy.IsPerson(c) && s.HoldsRules() }

// proposePin proposes the pin of an agent's note, and returns the id; "" if it is pinned.
func proposePin(ctx context.Context, added note.Added, c mem.Caller) (string, error) {
	rec, err := added.Store.Get(ctx, c, added.Key, true)
	if err != nil || content.Parse(rec.Content).Pinned {
		return "", err
	}
	out, err := pinLater(ctx, added.Store, c, rec, nil)
	if err != nil {
		err = fmt.Errorf("%s is stored, and its pin does not wait: %w", added.ID, err)
	}
	return out.Proposal, err
}

// proposePins proposes to pin facts. Nothing is proposed where one of the memories is a rule, or
// another member's: the verb is refused, as any other change of it.
func proposePins(ctx context.Context, s *mem.Store, c mem.Caller, keys []keypath.Key, a Author) (
	done Touched, err error) {
	done = newTouched()
	j, err := begin(ctx, s, c, policy.Pin, a)
	if err != nil {
		return done, err
	}
	var list []log.Record
	for i, key := range keys {
		rec, err := j.get(key)
		switch {
		case slices.Contains(keys[:i], key):
			continue
		case errors.Is(err, mem.ErrNotFound):
			done.Missing = append(done.Missing, key)
			continue
		case err == nil && content.Parse(rec.Content).Pinned &&
			CheckCurrent(rec, policy.Pin) == nil:
			done.Unchanged = append(done.Unchanged, key)
			continue
		case err == nil:
			err = cmp.Or(CheckCurrent(rec, policy.Pin), j.op.MayChange(rec))
		}
		if err != nil {
			return done, err
		}
		list = append(list, rec)
	}
	for _, rec := range list {
		out, err := pinLater(ctx, s, c, rec, a.Source)
		if err != nil {
			return done, err
		}
		done.Proposed = append(done.Proposed, out)
	}
	return done, nil
}

// CheckCurrent refuses to pin or edit a memory that another one has superseded: no block has it.
func CheckCurrent(rec log.Record, verb mem.Verb) error {
	by := content.Successor(rec.Content)
	if by == "" {
		return nil
	}
	act := "a pin"
	if verb == policy.Edit {
		act = "an edit"
	}
	return &fault.Fault{Code: string(mem.KindRefused), What: rec.Key.Shown(),
		Why: "it is superseded by " + by + ", so " + act + " has no effect",
		Do:  advice.Run(verb.String(), by).Then(" " + verb.String() + "s its successor")}
}

// pinLater proposes the pin of a memory.
func pinLater(ctx context.Context, s *mem.Store, c mem.Caller, rec log.Record, source []byte) (
	out mem.Outcome, err error) {
	text, err := Repinned(rec, true)
	if err != nil {
		return out, err
	}
	p, err := proposal.Add(ctx, s, c,
		proposal.Change{Verb: "pin", Key: rec.Key, Content: text, Source: source})
	return p.Outcome(), err
}
