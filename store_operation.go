package mem

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// NewOperation returns the row of an operation of this name that writes plain keys only: none in a
// namespace with a form of its own, such as sessions, events and what agents keep.
func NewOperation(name string) Verb { return policy.Plain(name) }

// Begin begins an operation. allowSecrets names rules for secrets (package secret) that do not
// count this time; the journal keeps them. The error is a *policy.PersonError where only a person
// may call the operation and the caller is none, and wraps ErrInput where there is no such rule for
// secrets: an exception without effect is not meant.
func (s *Store) Begin(c Caller, verb Verb, allowSecrets ...string) (*Operation, error) {
	if verb.String() == "" {
		return nil, fmt.Errorf("operation: %w: it has no name", ErrInput)
	}
	if err := policy.CheckPerson(c, verb); err != nil {
		return nil, err
	}
	if err := policy.CheckAllowed(allowSecrets); err != nil {
		return nil, fmt.Errorf("allow-secret: %w: %w", ErrInput, err)
	}
	return s.newOperation(c, verb, allowSecrets...), nil
}

// newOperation is Begin for rules that are known, or none.
func (s *Store) newOperation(c Caller, verb Verb, allowed ...string) *Operation {
	op := &Operation{store: s, caller: c, verb: verb, call: &policy.Call{Caller: c, Verb: verb},
		start: s.opts.clock(), allowed: allowed}
	if s.opts.OnBegin != nil {
		s.opts.OnBegin(op)
	}
	return op
}

// Warn says what a write may have meant otherwise, where the content that it replaces does not say
// so too: an importance of a whole 1, a time that is none. A nil content is none.
func (op *Operation) Warn(p Checked, was []byte) {
	op.store.opts.warnContent(p.env.Content, was, op.Now())
}

// warnContent warns of what in a content is hardly meant, and was not in the content that it
// replaces. Content may be anything, so this is no error.
func (o Options) warnContent(text, was []byte, now log.Stamp) {
	known := doubts(was, now)
	for _, doubt := range doubts(text, now) {
		if !slices.Contains(known, doubt) {
			o.Warn(doubt)
		}
	}
}

// doubts returns what in a content is hardly meant: it never expires because its expired_at is not
// a time, or has expired already; it is not as old as it says because that is no time; or it
// outranks all others because its importance is a whole 1.
func doubts(text []byte, now log.Stamp) (list []string) {
	f := content.Parse(text)
	switch {
	case f.BadExpiry:
		list = append(list, "content: expired_at is no ISO 8601 time, so this memory never expires")
	case f.Expired(now):
		list = append(list, "content: expired_at is in the past, so this memory has expired")
	}
	if name := content.BadTime(text); name != "" {
		list = append(list,
			"content: "+name+" is no ISO 8601 time, so the memory has the time of its write")
	}
	if f.WholeOne {
		list = append(list, wholeOne)
	}
	return list
}

// wholeOne is the hint on importance 1. The scale of the other memories is not looked up: the
// spelling is enough, for 1.0 says the same without a doubt.
const wholeOne = "importance 1 is the greatest of 0..1, above a 9 of 1..10: " +
	"write 1.0 for the greatest, and 0.1 for the least"

// Force lets an operation write also where only other verbs do (policy.CheckVerb): a person may
// mend what they have stored, by --force.
func (op *Operation) Force() { op.exempt |= policy.Forced }

// isForced reports whether a person forces the operation. A program that calls in place of one
// cannot: it asks a person.
func (op *Operation) isForced() bool {
	return op.exempt&policy.Forced != 0 && policy.IsPerson(op.caller)
}

// Caller returns the caller of an operation.
func (op *Operation) Caller() Caller { return op.caller }

// Verb returns the row of an operation.
func (op *Operation) Verb() Verb { return op.verb }

// Store returns the store that an operation is of.
func (op *Operation) Store() *Store { return op.store }

// Elapsed returns for how long an operation has run; 0 where the store has no clock for durations.
func (op *Operation) Elapsed() time.Duration { return op.store.opts.clock().Sub(op.start) }

// Guard makes every update of an operation end with fn, before anything is stored: it sees the
// writes of the update, may add more, and its error refuses all of them. So a view keeps the rules
// of its own keys where another verb writes them; an operation that is forced is not refused.
func (op *Operation) Guard(fn func(ctx context.Context, tx *Tx, written []Checked) error) {
	op.guard = fn
}

// Config returns the configuration that the operation goes by to its end, as [Store.Config] does.
func (op *Operation) Config(ctx context.Context) (conf *Config, err error) {
	if op.conf == nil || op.assumed {
		conf, err = op.store.Config(ctx)
		if err != nil {
			return nil, err
		}
		op.conf, op.assumed = conf, false
	}
	return op.conf, nil
}

// known returns the configuration that the operation goes by so far. Where the store compares its
// version in the commit it is the one that this process knows, and costs no question. It may be an
// old one: before a write is refused, or quarantined, by it, Config is asked.
func (op *Operation) known(ctx context.Context) (*Config, error) {
	if _, compares := op.store.backend.(backend.ConfigComparer); compares && op.conf == nil {
		op.conf, op.version = op.store.knownConfig()
		op.assumed = op.conf != nil
	}
	if op.conf != nil {
		return op.conf, nil
	}
	return op.Config(ctx)
}

// Now is the instant of the operation.
func (op *Operation) Now() log.Stamp { return op.store.opts.stamp(op.caller) }

// Source returns a complete source, with a member of the locator. Kind user becomes agent where no
// person calls, and the locator then has the client, the agent and the conversation as well.
func (op *Operation) Source(kind, name, trace, value string) []byte {
	var source, locator jsontext.Object
	locator.Text(trace, value)
	if kind == "user" && !policy.IsPerson(op.caller) {
		kind = "agent"
		for _, by := range [...]struct{ name, value string }{{"client", op.caller.Client},
			{"agent", op.caller.Agent}, {"session", op.caller.Session}} {
			if by.name != trace {
				locator.TextUnlessEmpty(by.name, by.value)
			}
		}
	}
	source.Text("kind", kind)
	source.Text("name", name)
	source.Text("retrieved_at", op.Now().String())
	source.Raw("locator", locator.Bytes())
	return source.Bytes()
}

// FileSource returns the source of records read from a file that names none. Of a path that looks
// like a secret, as the names of temporary directories may, only the file's name is kept.
func (op *Operation) FileSource(file string) []byte {
	file = strings.ToValidUTF8(filepath.ToSlash(file), "�")
	name := file[strings.LastIndexByte(file, '/')+1:]
	if secret.HasSecret(jsontext.AppendString(nil, file)) {
		file = name
	}
	return op.Source("file", name, "path", file)
}
