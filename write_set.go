package mem

import (
	"context"
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
