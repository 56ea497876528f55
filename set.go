package mem

import (
	"errors"
	"fmt"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
)

// Write is one call of set_memory (M-01): JSON null as content voids the key, anything else replaces what it held.
type Write struct {
	Key     keypath.Key
	Content []byte     // any JSON text, at most policy.MaxContent bytes
	Source  []byte     // a JSON object or string, at most policy.MaxSource bytes
	TS      *log.Stamp // of an imported envelope, which keeps it (SetAll only); nil for a new write
}

// SetOptions are the conditions of a write.
type SetOptions struct {
	Quarantine bool       // keep a write that lacks provenance under /untrusted/ instead of refusing it
	IfAbsent   bool       // only where the key has no live memory
	IfTS       *log.Stamp // only where the key's newest live envelope has this ts
	// AllowSecrets names rules for secrets (package secret) that do not count this time. The journal keeps them.
	AllowSecrets []string
}

// Outcome says what became of a write.
type Outcome struct {
	Key    keypath.Key `json:"key"`
	TS     log.Stamp   `json:"ts"`
	Valid  bool        `json:"valid"`
	Path   string      `json:"path,omitempty"`        // its index file; empty for a tombstone
	Reason string      `json:"quarantined,omitempty"` // why it is under /untrusted/; empty if it is not
}

// Set stores one write; when it returns nil the write is on disk. The error wraps jsontext.ErrJSON, policy.ErrTooLarge,
// policy.ErrProvenance, policy.ErrSecret, ErrConflict, log.ErrLocked, compact.ErrIndexBehind (stored all the same), or is the file system's.
func (s *Store) Set(w Write, o SetOptions) (out Outcome, err error) {
	done := s.begin("set")
	done.allowed = o.AllowSecrets
	if w.TS != nil {
		return out, fmt.Errorf("ts: %w: only SetAll imports", ErrInput)
	}
	if err := checkAllowed(o.AllowSecrets); err != nil {
		return out, err
	}
	p, err := s.prepare(w, o.Quarantine, o.AllowSecrets)
	if err == nil {
		s.warnExpiry(p.Content)
		err = s.commit(&p, o)
	}
	if stored(err) {
		out = s.outcome(p)
	}
	done.write(w.Key, p, err)
	return out, err
}

// stored reports whether a write that ended with err is in the log.
func stored(err error) bool { return err == nil || errors.Is(err, compact.ErrIndexBehind) }

// checkAllowed refuses a permission for a rule that does not exist: it would never do what its giver means.
func checkAllowed(rules []string) error {
	if err := policy.CheckAllowed(rules); err != nil {
		return fmt.Errorf("allow-secret: %w: %w", ErrInput, err)
	}
	return nil
}

// prepared is a write that has passed every check that needs no lock.
type prepared struct {
	log.Envelope
	imported bool   // TS was given
	reason   string // why it is kept apart
	once     bool   // not wanted where the key has this content already
	sourced  bool   // and this source: the line named one
}

// prepare checks a write and brings it into the form in which it is stored.
func (s *Store) prepare(w Write, quarantine bool, allow []string) (p prepared, err error) {
	if err := policy.CheckSizes(w.Content, w.Source); err != nil {
		return p, err
	}
	p.Key = w.Key
	if p.Content, err = jsontext.Compact(nil, w.Content); err != nil {
		return p, fmt.Errorf("content: %w", err)
	}
	if p.Source, err = jsontext.Compact(nil, w.Source); err != nil {
		return p, fmt.Errorf("source: %w", err)
	}
	// Before any check that shows in its message what it was given.
	if err := policy.CheckSecrets(p.Key, p.Content, p.Source, allow); err != nil {
		return p, err
	}
	if p.Source[0] != '{' && p.Source[0] != '"' {
		return p, fmt.Errorf("source: %w: want a JSON object or string, not %.20s", ErrInput, p.Source)
	}
	if w.TS != nil {
		p.TS, p.imported = *w.TS, true
		if horizon := s.stamp() + day; p.TS > horizon {
			return p, fmt.Errorf("ts: %w: %s is more than 24 h ahead of %s", ErrFuture, p.TS, s.stamp())
		}
	}
	return p, s.admit(&p, quarantine)
}

// day in microseconds.
const day = log.Stamp(24 * 3600 * 1e6)

// admit asks policy, and sets apart what it refuses for its provenance where that is wanted.
func (s *Store) admit(p *prepared, quarantine bool) error {
	conf, err := s.Config()
	if err != nil {
		return err
	}
	err = conf.rules.Check(p.Key, p.Content, p.Source)
	if !quarantine || !errors.Is(err, policy.ErrProvenance) {
		return err
	}
	p.reason = err.Error()
	p.Key, p.Source, err = policy.Quarantine(p.Key, p.Source, err, s.stamp())
	return err
}

// warnExpiry tells the writer that what it gave as a time will never expire: content is free, so this is no error.
func (s *Store) warnExpiry(text []byte) {
	if content.Parse(text).BadExpiry {
		s.warn("content: expired_at is no ISO 8601 time, so this memory never expires")
	}
}

func (s *Store) outcome(p prepared) Outcome {
	out := Outcome{Key: p.Key, TS: p.TS, Valid: p.Valid(), Reason: p.reason}
	if out.Valid {
		out.Path = s.FilePath(p.Key)
	}
	return out
}

// Delete voids live keys with tombstones, all in one append. Keys without a live memory are returned as missing, and only
// they are left alone. A nil source says that a user ran mem rm.
func (s *Store) Delete(keys []keypath.Key, source []byte) (deleted []Outcome, missing []keypath.Key, err error) {
	return s.void("rm", "user", keys, source)
}

// void is Delete by a verb. A nil source says that somebody of a kind ran it.
func (s *Store) void(verb, kind string, keys []keypath.Key, source []byte) (deleted []Outcome, missing []keypath.Key, err error) {
	if s.root() == nil {
		return nil, keys, nil
	}
	done := s.begin(verb)
	voids := make([]prepared, 0, len(keys))
	for _, key := range keys {
		w := Write{Key: key, Content: []byte("null"), Source: source}
		if source == nil {
			w.Source = s.source(kind, "mem "+verb, "key", key.String())
		}
		p, err := s.prepare(w, false, nil)
		if err != nil {
			return nil, nil, err
		}
		voids = append(voids, p)
	}
	err = s.update(verb, func(wr *compact.Writer) (err error) {
		voids, missing, err = s.voidable(wr, voids)
		if err != nil || len(voids) == 0 {
			return err
		}
		return wr.Append(envelopesOf(voids))
	})
	if !stored(err) {
		voids = nil
	}
	for _, p := range voids {
		done.write(p.Key, p, err)
		deleted = append(deleted, s.outcome(p))
	}
	return deleted, missing, err
}

// voidable sorts out the keys that hold nothing and gives the other tombstones their times.
func (s *Store) voidable(wr *compact.Writer, voids []prepared) (live []prepared, missing []keypath.Key, err error) {
	newest := wr.MaxTS()
	for _, p := range voids {
		_, found, err := wr.Newest(p.Key)
		if err != nil {
			return nil, nil, err
		}
		if !found {
			missing = append(missing, p.Key)
			continue
		}
		if newest, err = log.NextStamp(s.now(), newest); err != nil {
			return nil, nil, err
		}
		p.TS = newest
		live = append(live, p)
	}
	return live, missing, nil
}

func envelopesOf(writes []prepared) []log.Envelope {
	envelopes := make([]log.Envelope, len(writes))
	for i, p := range writes {
		envelopes[i] = p.Envelope
	}
	return envelopes
}
