package session

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

// Options go with a record.
type Options struct {
	Source []byte // as in mem.Write; nil stands for an agent that ran the verb
	// AllowSecrets is as in mem.SetOptions.
	AllowSecrets []string
	IDs          *ulid.Maker // of the records; nil stands for one of random ids
}

// Remember stores a record in a session and returns its id. Where the session is nearly full, the
// same update drops its hardly relevant records. The error wraps ErrNotFound, ErrClosed, ErrFull,
// mem.ErrInput, policy.ErrTooLarge, or is as that of mem.Store.Set.
func Remember(ctx context.Context, s *mem.Store, c mem.Caller, session string, r Record,
	o Options) (id string, err error) {
	if err := policy.CheckSource(c, o.Source); err != nil {
		return "", err
	}
	op, err := s.Begin(c, policy.Remember, o.AllowSecrets...)
	if err != nil {
		return "", err
	}
	id, p, err := checkRecord(ctx, op, session, r, o)
	if err != nil {
		op.Failed(p.Key(), err)
		return "", err
	}
	w, err := writerTo(ctx, op, session)
	if err != nil {
		return "", err
	}
	_, err = op.UpdateAsOne(ctx, func(tx *mem.Tx) error {
		return w.add(tx, p)
	})
	w.logCompaction(err)
	return id, err
}

// checkRecord checks a record as any write, under an id of its own.
func checkRecord(ctx context.Context, op *mem.Operation, session string, r Record, o Options) (
	id string, p mem.Checked, err error) {
	if _, err := KeyOf(session); err != nil {
		return "", p, err
	}
	if err := r.check(); err != nil {
		return "", p, err
	}
	ids := o.IDs
	if ids == nil {
		ids = &ulid.Maker{}
	}
	if id, err = newID(ids, op.Now()); err != nil {
		return "", p, err
	}
	key, err := keypath.Parse(keypath.Sessions + "/" + session + "/" + id)
	if err != nil {
		return "", p, err
	}
	text, err := r.content(session, op.Now())
	if err != nil {
		return "", p, err
	}
	source := o.Source
	if source == nil {
		source = op.Source("agent", "mem remember", "session", session)
	}
	p, err = op.Check(ctx, mem.Write{Key: key, Content: text, Source: source}, false)
	return id, p, err
}
