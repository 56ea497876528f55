package edit

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Changes are the changes to a memory's members; all others keep their bytes and their order.
type Changes struct {
	Importance []byte   // a JSON number; nil: as it is
	Expires    string   // of expired_at, a time; "": as it is
	NoExpiry   bool     // without expired_at
	Add        []string // tags that it is to have
	Remove     []string // tags that it is not to have
	Current    bool     // without superseded_by
	Pin, Unpin bool     // with pinned, or without

	seen log.Stamp // of the version that a person was shown; 0: any
}

// Touched is what a touch did.
type Touched struct {
	Touched   []mem.Outcome   `json:"touched"`
	Unchanged []keypath.Key   `json:"unchanged"` // memories that needed no change
	Missing   mem.MissingKeys `json:"missing"`   // keys without a live memory
	// Proposed are the pins that wait for a person.
	Proposed []mem.Outcome `json:"proposed,omitempty"`
}

// Touch changes members of memories, all in one update. They are as old as they were. Expired
// memories count, too: a new expiry brings them back. The error wraps ErrNoObject or ErrNoList, or
// is as that of mem.Store.Set; nothing is stored then.
func Touch(ctx context.Context, s *mem.Store, c mem.Caller, keys []keypath.Key, with Changes,
	a Author) (done Touched, err error) {
	return touch(ctx, s, c, policy.Touch, keys, with, a)
}

// Pin pins memories, or unpins them, all in one update. A pin by a caller that is no person waits
// for one. The error is as that of [Touch], of proposal.Add, or of [CheckCurrent].
func Pin(ctx context.Context, s *mem.Store, c mem.Caller, keys []keypath.Key, pinned bool,
	a Author) (Touched, error) {
	verb := policy.Pin
	if !pinned {
		verb = policy.Unpin
	}
	if pinned && pinWaits(s, c) {
		return proposePins(ctx, s, c, keys, a)
	}
	return touch(ctx, s, c, verb, keys, Changes{Pin: pinned, Unpin: !pinned}, a)
}

// PinShown pins one memory in the version that a person was shown. The error is a
// *mem.ConflictError that wraps mem.ErrUnseen where that is not the newest, or as that of [Touch].
func PinShown(ctx context.Context, s *mem.Store, c mem.Caller, shown mem.Shown, a Author) (
	Touched, error) {
	with := Changes{Pin: true, seen: shown.TS}
	return touch(ctx, s, c, policy.Pin, []keypath.Key{shown.Key}, with, a)
}

func newTouched() Touched {
	return Touched{Touched: []mem.Outcome{}, Unchanged: []keypath.Key{}, Missing: mem.MissingKeys{}}
}

func touch(ctx context.Context, s *mem.Store, c mem.Caller, verb mem.Verb, keys []keypath.Key,
	with Changes, a Author) (done Touched, err error) {
	done = newTouched()
	j, err := begin(ctx, s, c, verb, a)
	if err != nil {
		return done, err
	}
	var list []change
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			continue
		}
		rec, err := j.get(key)
		switch {
		case errors.Is(err, mem.ErrNotFound):
			done.Missing = append(done.Missing, key)
			continue
		case err == nil && with.seen != 0 && rec.TS != with.seen:
			err = &mem.ConflictError{Key: key, Newest: rec, Why: mem.ErrUnseen.Error()}
		case err == nil && with.Pin:
			err = CheckCurrent(rec, policy.Pin)
		}
		if err != nil {
			return done, err
		}
		one, changed, err := j.touched(rec, with)
		if err != nil {
			return done, err
		}
		if !changed {
			done.Unchanged = append(done.Unchanged, key)
			continue
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return done, nil
	}
	for _, one := range list {
		j.op.Warn(one.write, one.was.Content)
	}
	written, err := j.put(list...)
	done.Touched = append(done.Touched, written...)
	return done, err
}

// touched checks the write of a memory with its changes; changed is false where there are none.
func (j *job) touched(rec log.Record, with Changes) (one change, changed bool, err error) {
	m, err := membersOf(rec.Key, rec.Content)
	if err != nil {
		return one, false, err
	}
	was := m.Object()
	if m, err = with.apply(rec.Key, m); err != nil {
		return one, false, err
	}
	text := m.Object()
	source := j.author.editedSource(j.op, j.verb, rec.Source, 0)
	if with.Pin {
		source = policy.PinSource(j.op.Caller(), j.author.Agent, source)
	}
	if bytes.Equal(text, was) && !(with.Pin && policy.IsPinOfPerson(source) &&
		!policy.IsPinOfPerson(rec.Source)) {
		return one, false, nil
	}
	if err := checkNote(rec, text); err != nil {
		return one, false, err
	}
	one, err = j.keeping(rec, text, source)
	if !with.Pin && !claimsRule(rec.Envelope) && claimsRule(one.write.Envelope()) {
		one.write = one.write.Claimed(content.FromTouch)
	}
	return one, err == nil, err
}

// claimsRule reports whether a line claims to be a rule of the user: a tag alone makes none.
func claimsRule(e log.Envelope) bool {
	it := mem.ItemOf(log.Record{Envelope: e})
	return policy.ClaimsRule(&it)
}

func (with Changes) apply(key keypath.Key, m members) (members, error) {
	if with.Importance != nil {
		m = m.With("importance", with.Importance)
	}
	if with.NoExpiry {
		m = m.DropName("expired_at")
	}
	if with.Expires != "" {
		m = m.With("expired_at", jsontext.AppendString(nil, with.Expires))
	}
	if with.Pin {
		m = m.With("pinned", []byte("true"))
	}
	if with.Unpin {
		m = m.DropName("pinned")
	}
	if with.Current {
		m = m.DropName("superseded_by")
	}
	if len(with.Add)+len(with.Remove) == 0 {
		return m, nil
	}
	return with.tag(key, m)
}

// tag changes the tags. A list that has none left goes.
func (with Changes) tag(key keypath.Key, m members) (members, error) {
	old := m.Get("tags")
	if old != nil && old[0] != '[' && string(old) != "null" {
		return nil, &Error{key, ErrNoList}
	}
	var tags [][]byte
	for tag := range jsontext.Elements(old) {
		if !slices.Contains(with.Remove, jsontext.Unquote(tag)) {
			tags = append(tags, tag)
		}
	}
	for _, tag := range with.Add {
		is := func(have []byte) bool { return jsontext.Unquote(have) == tag }
		if !slices.ContainsFunc(tags, is) {
			tags = append(tags, jsontext.AppendString(nil, tag))
		}
	}
	if len(tags) == 0 {
		if string(old) == "[]" {
			return m, nil
		}
		return m.DropName("tags"), nil
	}
	return m.With("tags", listOf(tags)), nil
}

// listOf returns values as a JSON array.
func listOf(values [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(values, []byte{','})...), ']')
}
