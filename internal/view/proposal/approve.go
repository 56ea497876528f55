package proposal

import (
	"cmp"
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/log"
)

// Approve makes the change of a proposal that a person has seen, and deletes the proposal. The
// error is a *mem.NotFoundError where the proposal is gone, and a *mem.ConflictError with the
// present record where the key was written since the proposal; it wraps mem.ErrUnseen where that
// happened since it was shown. A pin changes no text, so its memory is as old as before.
func Approve(ctx context.Context, s *mem.Store, c mem.Caller, shown mem.Shown) (
	out mem.Outcome, err error) {
	op, err := s.Begin(c, policy.Approve)
	if err != nil {
		return out, err
	}
	p, ok, err := Find(ctx, s, c, shown.Key.String())
	switch {
	case err == nil && !ok:
		err = &mem.NotFoundError{Key: shown.Key}
	case err == nil && p.At != shown.TS:
		err = &mem.ConflictError{Key: shown.Key, Why: mem.ErrUnseen.Error()}
	}
	if err != nil {
		return out, err
	}
	source := op.Source("user", "mem approve", "proposal", p.ID)
	source = jsontext.ParseMembers(source).With("given", p.Source).Object()
	if source, err = p.keepPin(ctx, s, c, op, source); err != nil {
		return out, err
	}
	text := []byte(p.Content)
	if p.Change == "pin" && p.over != 0 {
		text = content.KeepTime(text, p.over)
	}
	change, err := op.Check(ctx, mem.Write{Key: p.Key, Content: text, Source: source}, false)
	if err != nil {
		// A memory that was deleted since the proposal is refused as a new one: the deletion is
		// the reason to name.
		if _, lost := op.Update(ctx, func(tx *mem.Tx) error {
			return p.check(ctx, tx, shown)
		}); lost != nil {
			err = lost
		}
		op.Failed(p.Key, err)
		return out, err
	}
	done, err := op.Tombstone(ctx, p.key, "user", nil)
	if err != nil {
		return out, err
	}
	written, err := op.Update(ctx, func(tx *mem.Tx) error {
		if err := p.check(ctx, tx, shown); err != nil {
			return err
		}
		return tx.Put(change, done)
	})
	if len(written) > 0 {
		out = written[0]
	}
	return out, err
}

// check refuses a change where the memory was written since the proposal, or since it was shown.
func (p *Proposal) check(ctx context.Context, tx *mem.Tx, shown mem.Shown) error {
	now, err := tx.CheckShown(ctx, shown, p.Key)
	if err == nil && !p.isAbout(now) {
		did := "written"
		if now.Key.IsZero() {
			did = "deleted"
		}
		err = &mem.ConflictError{Key: p.Key, Newest: now,
			Why: did + " since " + p.ID + " was proposed"}
	}
	return err
}

// keepPin returns the source of the approved change. Where an agent had pinned a fact of a team,
// approval of another text makes no rule of the fact, whatever its type and tags say: then it is
// marked, as where the agent itself stores it.
func (p *Proposal) keepPin(ctx context.Context, s *mem.Store, c mem.Caller, op *mem.Operation,
	source []byte) ([]byte, error) {
	rec, err := s.Get(ctx, c, p.Key, true)
	switch {
	case errors.Is(err, mem.ErrNotFound):
		return source, nil
	case err != nil:
		return nil, err
	case op.IsRule(rec) || !content.Parse(rec.Content).Pinned:
		return source, nil
	}
	by := jsontext.AppendString(nil, cmp.Or(policy.PinnerOf(rec.Source), "agent"))
	source = policy.PinSource(c, by, source)
	it := mem.ItemOf(log.Record{Envelope: log.Envelope{Key: p.Key, Content: p.Content,
		Source: source}})
	if policy.ClaimsRule(&it) {
		source = content.WithClaim(source, content.FromClient+" "+p.Client)
	}
	return source, nil
}
