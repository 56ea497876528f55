package edit

import (
	"cmp"
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Result is what an edit of one memory did.
type Result struct {
	mem.Outcome
	Changed bool `json:"changed"` // false: there was nothing to change, and nothing was written
}

// unchanged is the result of an edit that wrote nothing.
func unchanged(s *mem.Store, rec log.Record) Result {
	out := mem.Outcome{Key: rec.Key, TS: rec.TS, Valid: rec.Valid()}
	if out.Valid {
		out.Path = s.FilePath(rec.Key)
	}
	return Result{Outcome: out}
}

type job struct {
	ctx    context.Context // of the one call that it lives for
	store  *mem.Store
	caller mem.Caller
	op     *mem.Operation
	author Author
	verb   string // with the program's name: what sources say
	pins   bool   // a person's pin makes a rule

	command string // that an undo takes back; "": it undoes single keys
}

func begin(ctx context.Context, s *mem.Store, c mem.Caller, verb mem.Verb, a Author) (*job, error) {
	if err := policy.CheckSource(c, a.Source); err != nil {
		return nil, err
	}
	op, err := s.Begin(c, verb, a.AllowSecrets...)
	if err == nil && a.Force {
		op.Force()
	}
	if err != nil {
		return nil, err
	}
	return &job{ctx: ctx, store: s, caller: c, op: op, author: a, verb: "mem " + verb.String(),
		pins: verb == policy.Pin && policy.PinsAsPerson(c, a.Agent)}, nil
}

// get returns the newest version of a key, expired or not.
func (j *job) get(key keypath.Key) (log.Record, error) {
	if err := MayEdit(key); err != nil {
		return log.Record{}, err
	}
	rec, err := j.store.Get(j.ctx, j.caller, key, true)
	if err == nil {
		err = policy.CheckTrusted(j.caller, j.store.Trusts(rec), key)
	}
	return rec.Clone(), err
}

// change is a write to a key, and the version that it was made of.
type change struct {
	was   log.Record // zero: there was none
	write mem.Checked
}

// check checks a write that takes the place of a version.
func (j *job) check(was log.Record, text, source []byte) (change, error) {
	source = policy.KeepPinner(j.caller, was, j.op.IsRule(was), text, source)
	w := mem.Write{Key: was.Key, Content: text, Source: source}
	p, err := j.op.Check(j.ctx, w, false)
	if err != nil {
		j.op.Failed(was.Key, err)
	}
	return change{was, p}, err
}

// keeping checks a write of what says as much as a version of some time did.
func (j *job) keeping(was log.Record, text, source []byte) (change, error) {
	one, err := j.check(was, content.KeepTime(text, was.TS), source)
	return j.claimed(one, was), err
}

// claimed marks a change like the versions that its text comes from. A line that was no rule of the
// user although it said so gets a mark, too, unless a person pins it.
func (j *job) claimed(one change, from ...log.Record) change {
	isNew := claimsRule(one.write.Envelope()) && !j.pins
	for _, rec := range from {
		origin := j.op.ClaimOf(rec)
		f := content.Parse(rec.Content)
		if origin == "" && isNew && f.IsRule() && !j.op.IsRule(rec) {
			origin = content.FromTouch
		}
		if origin != "" {
			one.write = one.write.Claimed(origin)
		}
	}
	return one
}

// put stores changes on the condition that what they were made of is the newest yet.
func (j *job) put(list ...change) ([]mem.Outcome, error) {
	return j.op.Update(j.ctx, func(tx *mem.Tx) error { return j.putIn(tx, list) })
}

func (j *job) putIn(tx *mem.Tx, list []change) error {
	for _, c := range list {
		if err := j.stillNewest(tx, c.write.Key(), c.was); err != nil {
			return err
		}
		if err := tx.Put(c.write); err != nil {
			return err
		}
	}
	return nil
}

// putOne stores one change.
func (j *job) putOne(c change) (res Result, err error) {
	j.op.Warn(c.write, c.was.Content)
	written, err := j.put(c)
	if len(written) == 1 {
		res = Result{written[0], true}
	}
	return res, err
}

// stillNewest returns a *mem.ConflictError if a key has another live version than was; a tombstone
// and the zero record stand for none. The error has nothing of another agent's.
func (j *job) stillNewest(tx *mem.Tx, key keypath.Key, was log.Record) error {
	now, found, err := tx.Get(j.ctx, key)
	live := !was.Key.IsZero() && was.Valid()
	switch {
	case err != nil || !found && !live || found && live && now.TS == was.TS:
		return err
	case !found:
		return &mem.ConflictError{Key: key}
	case !policy.Permits(j.caller, key):
		return &mem.ConflictError{Key: key, Why: "another agent keeps a memory there"}
	}
	return &mem.ConflictError{Key: key, Newest: now.Clone()}
}

// Replace stores what somebody has made of a version of a key, unless somebody else has written it
// since. null deletes it. The error is as that of mem.Store.Set.
func Replace(ctx context.Context, s *mem.Store, c mem.Caller, was log.Record, text []byte,
	a Author) (Result, error) {
	if err := cmp.Or(MayEdit(was.Key), checkNote(was, text)); err != nil {
		return Result{}, err
	}
	j, err := begin(ctx, s, c, policy.Edit, a)
	if err != nil {
		return Result{}, err
	}
	source := a.Source
	switch {
	case source != nil:
	case a.keeps:
		source, text = a.editedSource(j.op, j.verb, was.Source, 0), content.KeepTime(text, was.TS)
	case a.Agent != nil:
		source = a.Agent
	default:
		source = j.op.Source("user", j.verb, "key", was.Key.String())
	}
	done, err := j.check(was, text, source)
	if err != nil {
		return Result{}, err
	}
	return j.putOne(j.claimed(done, was))
}

// MayEdit returns an error if the key may not be edited: a quarantined memory is only approved or
// rejected. The error wraps ErrReserved.
func MayEdit(key keypath.Key) error {
	if policy.CheckReserved(key, true) != nil {
		return &Error{key, ErrReserved}
	}
	return nil
}
