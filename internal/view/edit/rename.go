package edit

import (
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Renamed is what a rename did.
type Renamed struct {
	From keypath.Key `json:"from"`
	mem.Outcome
	// Repointed are the memories that named the old key as their successor, and name the new one.
	Repointed []keypath.Key `json:"repointed,omitempty"`
}

// RenameOptions are how a memory is renamed.
type RenameOptions struct {
	Replace bool // also over a live memory of the new key
	Author
}

// Rename stores a memory under another key, with its content, its time and its source; the old key
// gets a tombstone in the same update, and what it has superseded names the new one. Where the new
// key has a live memory the error is a *mem.ConflictError, unless o.Replace. It wraps ErrReserved
// for notes, whose ids never change, and for quarantined memories; ErrSame, or ErrCycle where a
// memory would be its own successor; or is as that of mem.Store.Set.
func Rename(ctx context.Context, s *mem.Store, c mem.Caller, from, to keypath.Key,
	o RenameOptions) (done Renamed, err error) {
	if err := mayRename(from, to); err != nil {
		return done, err
	}
	if policy.IsAppendOnly(to.Class()) { // before an error can reveal what the key holds
		if err := policy.CheckVerb(to, policy.Mv); err != nil {
			return done, err
		}
	}
	j, err := begin(ctx, s, c, policy.Mv, o.Author)
	if err != nil {
		return done, err
	}
	rec, err := j.get(from)
	if err != nil {
		return done, err
	}
	taken, err := j.findTaken(to, o.Replace)
	if err != nil {
		return done, err
	}
	if j.leadsTo(rec, to) {
		return done, &Error{from, ErrCycle}
	}
	list, err := j.renaming(rec, taken, to)
	if err != nil {
		return done, err
	}
	others, err := j.repointed(succeededBy(to, from))
	if err != nil {
		return done, err
	}
	written, err := j.put(append(list, others...)...)
	if len(written) > 0 {
		done = Renamed{from, written[0], keysOf(others)}
	}
	return done, err
}

func mayRename(from, to keypath.Key) error {
	if from == to {
		return &Error{from, ErrSame}
	}
	for _, key := range []keypath.Key{from, to} {
		_, _, numbered := key.Number()
		class := key.Class()
		if numbered || class == keypath.Quarantined || class == keypath.Session {
			return &Error{key, ErrReserved}
		}
	}
	return nil
}

// findTaken returns the memory that the new key holds, if any. A live one is a *mem.ConflictError
// unless force; an expired one is replaced.
func (j *job) findTaken(key keypath.Key, force bool) (log.Record, error) {
	rec, err := j.get(key)
	switch {
	case errors.Is(err, mem.ErrNotFound):
		return log.Record{}, nil
	case err == nil && !force && !content.Expired(rec.Content, j.op.Now()):
		return rec, &mem.ConflictError{Key: key, Newest: rec, Why: "it holds a memory already"}
	}
	return rec, err
}

func (j *job) renaming(rec, taken log.Record, to keypath.Key) ([]change, error) {
	source := j.author.Source
	if source == nil {
		source = rec.Source
	}
	moved := rec
	moved.Key = to
	written, err := j.keeping(moved, moved.Content, source)
	if err != nil {
		return nil, err
	}
	written.was = taken
	written = j.claimed(written, rec)
	if claimsRule(written.write.Envelope()) && !j.op.IsRule(rec) &&
		content.Origin(rec.Source) == "agent" {
		written.write = written.write.Claimed(content.FromTouch) // an agent's words
	}
	gone, err := j.tombstone(rec, "to", to.String())
	return []change{written, gone}, err
}

// tombstone returns the deletion of a version, whose source has a locator of one member.
func (j *job) tombstone(rec log.Record, name, value string) (change, error) {
	source := j.author.newSource(j.op, j.verb, located(name, value))
	p, err := j.op.Tombstone(j.ctx, rec.Key, "user", source)
	return change{rec, p}, err
}
