package mem

import (
	"bytes"
	"context"
	"fmt"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

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

// Set stores one write; when it returns nil the write is on disk. The error wraps jsontext.ErrJSON,
// policy.ErrTooLarge, policy.ErrProvenance, policy.ErrSecret, ErrConflict, log.ErrLocked or
// backend.ErrStored (stored all the same), is a backend.UnknownError (perhaps stored), or is the
// file system's.
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
		op.Failed(keypath.Key{}, err)
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
	if !isStored(err) {
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

// DeleteReply answers a delete.
type DeleteReply struct {
	Deleted []keypath.Key `json:"deleted"`
	Missing MissingKeys   `json:"missing"` // keys without a live memory
}

// MissingKeys are keys without a memory that a caller has named. An answer withholds what looks
// like a secret in them, as an error does: no rule has refused them.
type MissingKeys []keypath.Key

// MarshalJSON encodes the keys as an error shows them.
func (k MissingKeys) MarshalJSON() ([]byte, error) {
	list := make([]string, len(k))
	for i, key := range k {
		list[i] = MaskSecrets(key.String())
	}
	return EncodeJSON(list)
}

// NewDeleteReply returns the answer to what [Store.Delete] returned.
func NewDeleteReply(deleted []Outcome, missing []keypath.Key) DeleteReply {
	reply := DeleteReply{Deleted: []keypath.Key{}, Missing: append([]keypath.Key{}, missing...)}
	for _, out := range deleted {
		reply.Deleted = append(reply.Deleted, out.Key)
	}
	return reply
}

// SetSetting sets one member of config.json to another value, and reports whether that changed the
// file: arg is JSON, or the bare text of a text; null removes the member, also one that mem does
// not know. A value that would have no effect is refused. All else in the file stays as it is
// spelled. What the file says after that is judged as a whole. Of a wrong file one fault after the
// other can be mended: with fewer than it had it is written, with a warning of the rest. Else
// nothing is written, and the error is a *ConfigError. It wraps backend.ErrChanged where another
// program changed the file meanwhile.
func (s *Store) SetSetting(ctx context.Context, c Caller, name, arg string) (changed bool,
	err error) {
	file, ok := s.backend.(backend.Configurer)
	if !ok {
		return false, fmt.Errorf("%w: this store has no configuration of its own", ErrInput)
	}
	if s.opts.ForeignConfig {
		return false, ErrForeignConfig
	}
	if why := s.WhyNoEffect(name); why != "" && arg != "null" {
		fault := settings.Fault{Name: name, Why: "it would have no effect: " + why}
		return false, &ConfigError{Fault: fault, Layer: s.opts.Layer, refused: arg}
	}
	verb := map[settings.Decider]Verb{settings.Anybody: policy.Config,
		settings.Person: policy.Tune, settings.Answered: policy.Widen}[settings.DeciderOf(name)]
	op, err := s.Begin(c, verb)
	if err != nil {
		return false, err
	}
	var left error // the fault that remains in the written text
	err = file.SetConfig(ctx, c, func(text []byte) ([]byte, error) {
		next, wrong, err := settings.Change(text, name, arg)
		left, changed = wrong, err == nil && !bytes.Equal(next, text)
		return next, err
	})
	if err = s.configError(err); err == nil && left != nil {
		wrong := s.configError(left)
		s.opts.Warn(wrong.Error() + "; other changes are refused until this is corrected: " +
			Hint(wrong))
	}
	rec := opRecord{What: redact(text.Clip(name, maxName), name)}
	if changed {
		rec.Count = 1
	}
	op.end(rec, err)
	return changed && err == nil, err
}

// maxName is how many characters of a member's name the journal keeps.
const maxName = 60
