package edit

import (
	"cmp"
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Undone is what an undo did.
type Undone struct {
	Result
	Restored log.Stamp `json:"restored"` // the version whose content is the newest now
	// Member is the member of a team whose write it took back; "" for none.
	Member string `json:"member,omitempty"`
}

// Undo stores the version before a key's newest as the newest; with to, the version of this ts. If
// the newest version is a tombstone, Undo brings the deleted memory back; if the version before is
// a tombstone, Undo deletes. An undo is a version as any other, so a second one returns to the
// state before the first. A person may also undo changes to an agent's private memories. The error
// wraps ErrFirst, ErrGone or ErrNoVersion, is a *mem.NotFoundError where the key was never written,
// or is as that of mem.Store.Set.
func Undo(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key, to *log.Stamp,
	a Author) (done Undone, err error) {
	if err := cmp.Or(MayEdit(key), policy.CheckOwn(c, policy.Undo, key, true)); err != nil {
		return done, err
	}
	j, err := begin(ctx, s, c, policy.Undo, a)
	if err != nil {
		return done, err
	}
	newest, older, err := j.versions(key, to)
	if err != nil {
		return done, err
	}
	done.Restored, done.Member = older.TS, content.Writer(newest.Source)
	if older.TS == newest.TS {
		done.Result = unchanged(s, newest)
		return done, nil
	}
	back, err := j.restoring(newest, older)
	if err == nil {
		done.Result, err = j.putOne(back)
	}
	return done, err
}

// versions returns the newest version of a key, and the one that is to come back. All between are
// taken back, so none of them may be a person's where a program calls.
func (j *job) versions(key keypath.Key, to *log.Stamp) (newest, older log.Record, err error) {
	versions, err := j.store.History(j.ctx, policy.Reader(j.caller, policy.Undo, key), key)
	if err != nil {
		return newest, older, err
	}
	n := 0
	for v, err := range versions.Rows {
		if err != nil {
			return newest, older, err
		}
		if n++; n == 1 {
			newest = v.Clone()
		}
		if to == nil && n == 2 || to != nil && v.TS == *to {
			return newest, v.Clone(), nil
		}
		err := cmp.Or(j.op.MayChange(newest),
			policy.CheckRevert(j.caller, policy.Undo, key, v.Source))
		if err != nil {
			return newest, older, err
		}
	}
	if to != nil {
		return newest, older, &Error{key, ErrNoVersion}
	}
	if !newest.Valid() {
		return newest, older, &Error{key, ErrGone}
	}
	return newest, older, &Error{key, ErrFirst}
}

// restoring returns the write that makes an older version the newest.
func (j *job) restoring(newest, older log.Record) (change, error) {
	var undone members
	if j.command != "" {
		undone = undone.With("undone", jsontext.AppendString(nil, newest.TS.String())).
			With("command", jsontext.AppendString(nil, j.command))
	}
	if !older.Valid() {
		where := undone.Object()
		if undone == nil {
			where = located("restored", older.TS.String())
		}
		p, err := j.op.Tombstone(j.ctx, older.Key, "user",
			j.author.newSource(j.op, j.verb, where))
		return change{newest, p}, err
	}
	if err := policy.CheckTrusted(j.caller, j.store.Trusts(older), older.Key); err != nil {
		return change{}, err
	}
	if at := content.VersionOf(older.Envelope); at != older.TS {
		undone = undone.With(content.TextOf, jsontext.AppendString(nil, at.String()))
	}
	source := j.author.editedSource(j.op, j.verb, older.Source, older.TS, undone...)
	space, id, ok := note.Split(older.Key)
	if !ok {
		return j.keepingOver(newest, older, source)
	}
	// No write may name the id of a note that is gone; this brings back the very note. For a live
	// one the store need not be asked either.
	was := older
	older.Key = space
	back, err := j.keepingOver(newest, older, source)
	back = j.claimed(back, was)
	if err == nil {
		back.write, err = back.write.Named(id)
	}
	return back, err
}

// keepingOver checks the write of an older version in the place of the newest.
func (j *job) keepingOver(newest, older log.Record, source []byte) (change, error) {
	c, err := j.keeping(older, older.Content, source)
	c.was = newest
	return c, err
}
