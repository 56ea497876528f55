package mem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Write is a write of one key: JSON null as content deletes the key, anything else replaces its
// content.
type Write struct {
	Key     keypath.Key
	Content []byte     // any JSON text, at most policy.MaxContent bytes
	Source  []byte     // a JSON object or string, at most policy.MaxSource bytes
	TS      *log.Stamp // of an imported envelope, which keeps it; nil: the store gives it one
}

// SetOptions are the conditions of a write.
type SetOptions struct {
	Quarantine bool       // keep a write without provenance under /untrusted/, not refuse it
	IfAbsent   bool       // only where the key has no live memory
	IfTS       *log.Stamp // only where the key's newest live envelope has this ts
	// AllowSecrets names rules for secrets (package secret) that do not count this time. The
	// journal keeps them.
	AllowSecrets []string
	Force        bool // also where only other verbs write, see Force
}

// Outcome is the result of a write.
type Outcome struct {
	Key    keypath.Key `json:"key"`
	TS     log.Stamp   `json:"ts"`
	Valid  bool        `json:"valid"`
	Path   string      `json:"path,omitempty"`        // its index file; empty if there is none
	Layer  string      `json:"layer,omitempty"`       // where it was written, if there are two
	Reason string      `json:"quarantined,omitempty"` // why it is under /untrusted/, or empty

	Proposal string `json:"proposal,omitempty"` // id of a change that waits for a person
}

// Set stores one write; when it returns nil the write is on disk. The error wraps jsontext.ErrJSON,
// policy.ErrTooLarge, policy.ErrProvenance, policy.ErrSecret, ErrConflict, log.ErrLocked,
// backend.ErrStored (stored all the same), or is the file system's.
func (s *Store) Set(ctx context.Context, c Caller, w Write, o SetOptions) (out Outcome, err error) {
	if w.TS != nil {
		return out, fmt.Errorf("ts: %w: only SetAll imports", ErrInput)
	}
	op, err := s.Begin(c, policy.Set, o.AllowSecrets...)
	if err != nil {
		return out, err
	}
	if o.Force {
		op.Force()
	}
	p, err := op.Check(ctx, w, o.Quarantine)
	if err != nil {
		op.Failed(w.Key, err)
		return out, err
	}
	s.opts.warnContent(p.env.Content, nil, op.Now())
	written, err := op.update(ctx, func(t *Tx) error {
		if err := op.compare(ctx, t, p.env.Key, o); err != nil {
			return err
		}
		return t.Put(p)
	})
	if len(written) == 1 {
		p = written[0]
		out = p.outcome(s)
	}
	op.wrote(p, err)
	return out, err
}

// compare checks the conditions of a compare-and-set. An expired record counts as absent.
func (op *Operation) compare(ctx context.Context, t *Tx, key keypath.Key, o SetOptions) error {
	if !o.IfAbsent && o.IfTS == nil {
		return nil
	}
	rec, found, err := t.Get(ctx, key)
	if err != nil {
		return err
	}
	if found && content.Expired(rec.Content, op.Now()) {
		found = false
	}
	if o.IfAbsent && !found || o.IfTS != nil && found && rec.TS == *o.IfTS {
		return nil
	}
	if !found {
		rec = log.Record{}
	} else if !policy.Permits(op.caller, key) {
		return &ConflictError{Key: key, Why: "compare-and-set lost: it is another agent's"}
	}
	return &ConflictError{Key: key, Newest: rec}
}

func (p Checked) outcome(s *Store) Outcome {
	out := Outcome{Key: p.env.Key, TS: p.env.TS, Valid: p.env.Valid(), Reason: p.reason}
	if out.Valid {
		out.Path = s.FilePath(p.env.Key)
	}
	return out
}

// Delete replaces live keys by tombstones, all in one append. Keys without a live memory, and those
// of another agent, are returned as missing. A nil source stands for a user that ran mem rm.
func (s *Store) Delete(ctx context.Context, c Caller, keys []keypath.Key,
	source []byte) (deleted []Outcome, missing []keypath.Key, err error) {
	op := s.newOperation(c, policy.Rm)
	return op.Delete(ctx, "user", keys, source)
}

// Delete is [Store.Delete] for another verb. A nil source stands for a person or client of this
// kind.
func (op *Operation) Delete(ctx context.Context, kind string, keys []keypath.Key,
	source []byte) (deleted []Outcome, missing []keypath.Key, err error) {
	if !op.store.Exists() {
		return nil, keys, nil
	}
	if err := policy.CheckSource(op.caller, source); err != nil {
		return nil, nil, err
	}
	tombstones := make([]Checked, 0, len(keys))
	for _, key := range keys {
		p, err := op.Tombstone(ctx, key, kind, source)
		if err != nil {
			op.Failed(key, err)
			return nil, nil, err
		}
		tombstones = append(tombstones, p)
	}
	written, err := op.update(ctx, func(t *Tx) error {
		var live []Checked
		missing = nil
		newest, err := t.tx.Newest(ctx, keys)
		if err != nil {
			return err
		}
		for _, p := range tombstones {
			_, found := newest[p.env.Key]
			if !found || !policy.Reaches(op.caller, op.verb, p.env.Key) {
				missing = append(missing, p.env.Key)
				continue
			}
			live = append(live, p)
		}
		return t.Put(live...)
	})
	if !stored(err) {
		op.Failed(keypath.Key{}, err)
	}
	for _, p := range written {
		op.wrote(p, err)
		deleted = append(deleted, p.outcome(op.store))
	}
	return deleted, missing, err
}

// Tombstone returns the deletion of a key. A nil source stands for a person or client of this kind.
func (op *Operation) Tombstone(ctx context.Context, key keypath.Key, kind string,
	source []byte) (Checked, error) {
	if source == nil {
		source = op.Source(kind, "mem "+op.verb.String(), "key", key.String())
	}
	return op.Check(ctx, Write{Key: key, Content: []byte("null"), Source: source}, false)
}

// ApproveOptions are how something quarantined is approved.
type ApproveOptions struct {
	// Source is the new source; nil: it says that a user approved, and contains the original one.
	Source []byte
	Force  bool // also over a memory that was written since
	// Shown is the time of the line that the person has seen; 0: of any.
	Shown log.Stamp
	// AllowSecrets is as in SetOptions.
	AllowSecrets []string
}

// Approve moves a write quarantined under /untrusted/ to the key it was written for. key is either
// of the two. Where nothing waits for a decision, a person stands for the live memory of the key
// instead: it keeps its content, and if that claims to be a rule it is one now. Where that key has
// a live memory that was written later the error is a *ConflictError, unless o.Force: a trusted,
// newer memory is not replaced unseen.
func (s *Store) Approve(ctx context.Context, c Caller, key keypath.Key, o ApproveOptions) (
	out Outcome, err error) {
	op, err := s.Begin(c, policy.Approve, o.AllowSecrets...)
	if err != nil {
		return out, err
	}
	place, rec, err := s.quarantined(ctx, c, key)
	if errors.Is(err, ErrNotFound) && place != key {
		return op.standFor(ctx, place, key, o)
	}
	if err == nil {
		err = o.checkShown(rec)
	}
	if err != nil {
		return out, err
	}
	p, err := op.release(ctx, place, rec, o.Source)
	if err != nil {
		return out, err
	}
	written, err := op.update(ctx, func(t *Tx) error {
		if !o.Force {
			if err := stillOlder(ctx, t, p.env.Key, rec, op.Now()); err != nil {
				return err
			}
		}
		return op.move(ctx, t, p, rec)
	})
	if len(written) > 0 {
		p = written[0]
	}
	op.wrote(p, err)
	return p.outcome(s), err
}

// checkShown refuses a line that is not the one that the person has seen.
func (o ApproveOptions) checkShown(rec log.Record) error {
	if o.Shown == 0 || o.Shown == rec.TS {
		return nil
	}
	return &ConflictError{Key: rec.Key, Newest: rec, Why: "written since it was shown"}
}

// standFor writes the live memory of a key anew with a person as its source, which keeps the one
// that it had. The error is a *NotFoundError of the place in quarantine where a person stands for
// it already.
func (op *Operation) standFor(ctx context.Context, place, key keypath.Key, o ApproveOptions) (
	out Outcome, err error) {
	source := o.Source
	rec, err := op.store.Get(ctx, op.caller, key, false)
	if err == nil {
		err = o.checkShown(rec)
	}
	if err != nil {
		return out, err
	}
	it := ItemOf(rec)
	switch {
	case source != nil:
	case op.IsRule(ctx, rec), !policy.ClaimsRule(&it) && content.Origin(rec.Source) == "user":
		return out, &NotFoundError{Key: place} // nothing waits for a decision
	default:
		source = wrapSource(op.Source("user", "mem approve", "key", key.String()), rec.Source)
	}
	p, err := op.Check(ctx, Write{Key: key, Content: content.KeepTime(rec.Content, rec.TS),
		Source: source}, false)
	if err != nil {
		op.Failed(key, err)
		return out, err
	}
	written, err := op.Update(ctx, func(t *Tx) error {
		now, found, err := t.Get(ctx, key)
		if err == nil && (!found || now.TS != rec.TS) {
			err = &ConflictError{Key: key, Newest: now}
		}
		if err != nil {
			return err
		}
		return t.Put(p)
	})
	for _, out := range written {
		return out, err
	}
	return out, err
}

// wrapSource returns a source that contains the one that a memory came with.
func wrapSource(source, original []byte) []byte {
	return fmt.Appendf(source[:len(source)-1], `,"given":%s}`, original)
}

// release checks a quarantined record as a write of the key that it was for. The memory is as old
// as it was in quarantine.
func (op *Operation) release(ctx context.Context, place keypath.Key, rec log.Record,
	source []byte) (p Checked, err error) {
	target, err := policy.Released(place)
	if err != nil {
		return p, err
	}
	exempt := op.exempt
	if source == nil {
		source, exempt = op.approval(place, rec), exempt|policy.Approved
	}
	return op.check(ctx, Write{Key: target, Content: content.KeepTime(rec.Content, rec.TS),
		Source: source}, false, exempt)
}

// Reject deletes a quarantined write. key is either of the two.
func (s *Store) Reject(ctx context.Context, c Caller, key keypath.Key) (Outcome, error) {
	place, _, err := s.quarantined(ctx, c, key)
	if err != nil {
		return Outcome{}, err
	}
	op, err := s.Begin(c, policy.Reject)
	if err != nil {
		return Outcome{}, err
	}
	deleted, _, err := op.Delete(ctx, "user", []keypath.Key{place},
		op.Source("user", "mem reject", "key", place.String()))
	switch {
	case err != nil:
		return Outcome{}, err
	case len(deleted) == 0:
		return Outcome{}, &NotFoundError{Key: place}
	}
	return deleted[0], nil
}

// quarantined finds the quarantined record of a key.
func (s *Store) quarantined(ctx context.Context, c Caller, key keypath.Key) (
	keypath.Key, log.Record, error) {
	if !key.Untrusted() {
		var err error
		if key, err = key.WithPrefix(keypath.Untrusted); err != nil {
			return key, log.Record{}, err
		}
	}
	rec, err := s.Get(ctx, c, key, true)
	return key, rec, err
}

// stillOlder checks that the key has no live memory that was written after the quarantined record.
func stillOlder(ctx context.Context, t *Tx, key keypath.Key, rec log.Record,
	now log.Stamp) error {
	have, found, err := t.Get(ctx, key)
	if err != nil || !found || !have.Wins(rec) || content.Expired(have.Content, now) {
		return err
	}
	return &ConflictError{Key: key, Newest: have,
		Why: "written after the quarantined memory, which is of " + rec.TS.String()}
}

// move stores the approved write and the tombstone of its place in quarantine with one append.
func (op *Operation) move(ctx context.Context, t *Tx, p Checked, was log.Record) error {
	now, found, err := t.Get(ctx, was.Key)
	if err != nil {
		return err
	}
	if !found || now.TS != was.TS {
		return &ConflictError{Key: was.Key, Newest: now}
	}
	gone, err := op.Tombstone(ctx, was.Key, "user",
		op.Source("user", "mem approve", "key", p.env.Key.String()))
	if err != nil {
		return err
	}
	return t.Put(p, gone)
}

// approval returns the source of an approval by a user, which contains the original one.
func (op *Operation) approval(place keypath.Key, rec log.Record) []byte {
	src := op.Source("user", "mem approve", "untrusted", place.String())
	if original, _ := policy.ParseQuarantine(rec.Source); original != nil {
		return wrapSource(src, original)
	}
	return src
}

// warnOwners warns of writes for other agents than the calling one: the caller cannot see them. A
// restored backup has them on purpose, so this is no error.
func (op *Operation) warnOwners(written []Checked) {
	var owners []string
	count := 0
	for _, p := range written {
		if !p.env.Valid() || policy.Permits(op.caller, p.env.Key) {
			continue
		}
		count++
		if owner := p.env.Key.Realm().Owner; !slices.Contains(owners, owner) {
			owners = append(owners, owner)
		}
	}
	if count == 0 {
		return
	}
	what := "written for agent " + strings.Join(owners, ", ") + ": MEM_AGENT is "
	if op.caller.Agent == "" {
		what += "not set, and no other caller can read it"
	} else {
		what += op.caller.Agent + ", which cannot read it"
	}
	if count > 1 {
		what += fmt.Sprintf(" (memories: %d)", count)
	}
	op.store.opts.Warn(what)
}
