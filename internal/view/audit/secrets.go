package audit

import (
	"bytes"
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// SecretOptions are what an audit for secrets reads.
type SecretOptions struct {
	Prefix  keypath.Prefix
	History bool // everything ever written, not only live memories
}

// Leak is a stored envelope in which something looks like a secret.
type Leak struct {
	Key string `json:"key"` // with stars where it holds the secret
	TS  string `json:"ts"`
	secret.Finding
}

// SecretReport is what an audit for secrets has found.
type SecretReport struct {
	Scanned int    `json:"scanned"` // envelopes
	Found   []Leak `json:"found"`
}

// Secrets looks for secrets in stored memories, expired and quarantined ones included. It finds
// those that were stored with AllowSecrets too.
func Secrets(ctx context.Context, s *mem.Store, c mem.Caller, o SecretOptions) (
	rep SecretReport, err error) {
	rep.Found = []Leak{}
	op, err := s.Begin(c, policy.Audit)
	if err != nil {
		return rep, err
	}
	each := func(rec log.Record) error {
		if o.Prefix.Holds(rec.Key) {
			rep.Scanned++
			rep.Found = append(rep.Found, leaks(rec)...)
		}
		return nil
	}
	if o.History {
		err = s.Everything(ctx, each)
	} else {
		err = s.List(ctx, c, mem.Filter{Prefix: o.Prefix, Expired: true, All: true}, each)
	}
	op.Done(len(rep.Found), err)
	return rep, err
}

// InboxSecrets looks for secrets in what hooks have kept for a person's decision.
func InboxSecrets(b *inbox.Inbox) (rep SecretReport, err error) {
	rep.Found = []Leak{}
	err = b.Each(func(path string, line []byte) {
		rep.Scanned++
		for _, f := range secret.ScanNote("line", bytes.TrimSpace(line)) {
			rep.Found = append(rep.Found, Leak{Key: path, Finding: f})
		}
	})
	return rep, err
}

func leaks(rec log.Record) (found []Leak) {
	key := rec.Key.String()
	for _, f := range policy.Secrets(rec.Key, rec.Content, rec.Source) {
		if f.Place == "key" {
			key = starred(key, f)
		}
		found = append(found, Leak{Key: key, TS: rec.TS.String(), Finding: f})
	}
	return found
}

func starred(text string, f secret.Finding) string {
	runes := []rune(text)
	for i := f.From - 1; i < f.To; i++ {
		runes[i] = '*'
	}
	return string(runes)
}
