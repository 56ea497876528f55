package mem

import (
	"fmt"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
)

// Approve moves what was kept apart under /untrusted/ to the key it was written for (M-18). key is either of the two. source is the word on which
// it enters; nil says that a user approved it, with the source it came with inside. allowSecrets is as in SetOptions.
func (s *Store) Approve(key keypath.Key, source []byte, allowSecrets ...string) (out Outcome, err error) {
	if err := checkAllowed(allowSecrets); err != nil {
		return out, err
	}
	apart, rec, err := s.apart(key)
	if err != nil {
		return out, err
	}
	target, err := policy.Released(apart)
	if err != nil {
		return out, err
	}
	p := prepared{Envelope: log.Envelope{Key: target, Content: rec.Content}}
	if source == nil {
		p.Source = s.approval(apart, rec)
		if err = policy.CheckSecrets(p.Key, p.Content, p.Source, allowSecrets); err == nil {
			err = s.admit(&p, false)
		}
	} else {
		p, err = s.prepare(Write{Key: target, Content: rec.Content, Source: source}, false, allowSecrets)
	}
	if err != nil {
		return out, err
	}
	done := s.begin("approve")
	done.allowed = allowSecrets
	err = s.update("approve", func(wr *compact.Writer) error { return s.move(wr, &p, rec) })
	done.write(target, p, err)
	return s.outcome(p), err
}

// Reject voids what was kept apart. key is either of the two.
func (s *Store) Reject(key keypath.Key) (Outcome, error) {
	apart, _, err := s.apart(key)
	if err != nil {
		return Outcome{}, err
	}
	deleted, _, err := s.Delete([]keypath.Key{apart}, s.source("user", "mem reject", "key", apart.String()))
	switch {
	case err != nil:
		return Outcome{}, err
	case len(deleted) == 0:
		return Outcome{}, &NotFoundError{Key: apart}
	}
	return deleted[0], nil
}

// apart finds the quarantined record of a key.
func (s *Store) apart(key keypath.Key) (keypath.Key, log.Record, error) {
	if !key.Untrusted() {
		var err error
		if key, err = key.WithPrefix(keypath.Untrusted); err != nil {
			return key, log.Record{}, err
		}
	}
	rec, err := s.Get(key, true)
	return key, rec, err
}

// move stores the approved write and the tombstone of its place apart with one append.
func (s *Store) move(wr *compact.Writer, p *prepared, was log.Record) error {
	now, found, err := wr.Newest(was.Key)
	if err != nil {
		return err
	}
	if !found || now.TS != was.TS {
		return &ConflictError{Key: was.Key, Newest: now}
	}
	if p.TS, err = log.NextStamp(s.now(), wr.MaxTS()); err != nil {
		return err
	}
	gone := log.Envelope{Key: was.Key, Source: s.source("user", "mem approve", "key", p.Key.String()), Content: []byte("null")}
	if gone.TS, err = log.NextStamp(s.now(), p.TS); err != nil {
		return err
	}
	return wr.Append([]log.Envelope{p.Envelope, gone})
}

// approval is a complete source that says a user vouched, and keeps what was given.
func (s *Store) approval(apart keypath.Key, rec log.Record) []byte {
	src := s.source("user", "mem approve", "untrusted", apart.String())
	given, _ := policy.Given(rec.Source)
	if given == nil {
		return src
	}
	return fmt.Appendf(src[:len(src)-1], `,"given":%s}`, given)
}
