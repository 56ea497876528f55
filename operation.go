package mem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Operation is one call of a verb: what it writes passes the rules here, and it has a line in the
// journal of what ran. A view above the Store does its work through one.
type Operation struct {
	store   *Store
	caller  Caller
	verb    Verb
	start   time.Time
	allowed []string  // rules for secrets that do not count this time
	conf    *Config   // nil: not asked for yet
	forced  bool      // it writes also where only other verbs do
	purges  bool      // it deletes append-only records for good, too
	tending bool      // its guard writes
	guard   guardFunc // nil: none; see Guard
	gates   gates
	marks   map[log.Identity]bool // of older builds; nil: not read yet
	kept    []keypath.Key         // rules of the user that an import was to replace
	undoes  string                // id of the command that it takes back
	joined  bool                  // see Join

	first string   // key of the first write that it stored
	last  *Checked // the last one; nil: none
	runs  []run    // what each update stored
}

// Verb is a row of the table of operations: it says what an operation may write, and whether a
// person has to call it. Other modules have [NewOperation] and the methods of Store.
type Verb = policy.Verb

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
	op := &Operation{store: s, caller: c, verb: verb, start: s.opts.clock(), allowed: allowed}
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

// Force lets an operation write also where only other verbs do (policy.CheckVerb): a person may
// mend what they have stored, by --force.
func (op *Operation) Force() { op.forced = true }

// isForced reports whether a person forces the operation. A program that calls in place of one
// cannot: it asks a person.
func (op *Operation) isForced() bool { return op.forced && policy.IsPerson(op.caller) }

// Caller returns the caller of an operation.
func (op *Operation) Caller() Caller { return op.caller }

// Verb returns the row of an operation.
func (op *Operation) Verb() Verb { return op.verb }

// Store returns the store that an operation is of.
func (op *Operation) Store() *Store { return op.store }

// Elapsed returns for how long an operation has run; 0 where the store has no clock for durations.
func (op *Operation) Elapsed() time.Duration { return op.store.opts.clock().Sub(op.start) }

// guardFunc judges an update by what it has written; see [Operation.Guard].
type guardFunc func(ctx context.Context, tx *Tx, written []Checked) error

// Guard makes every update of an operation end with fn, before anything is stored: it sees the
// writes of the update, may add more, and its error refuses all of them. So a view keeps the rules
// of its own keys where another verb writes them; an operation that is forced is not refused.
func (op *Operation) Guard(fn func(ctx context.Context, tx *Tx, written []Checked) error) {
	op.guard = fn
}

// Config returns the configuration that the operation goes by to its end, as [Store.Config] does.
func (op *Operation) Config(ctx context.Context) (conf *Config, err error) {
	if op.conf == nil {
		op.conf, err = op.store.Config(ctx)
	}
	return op.conf, err
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

// Checked is a write that has passed every rule that needs no lock: only [Operation.Check] makes
// one, and [Tx.Put] takes no other.
type Checked struct {
	op     *Operation // that has checked it, and alone may put it
	env    log.Envelope
	reason string // why it is quarantined under /untrusted/; "" if it is not

	imported bool // the ts was given
	once     bool // not wanted where the key has this content already
	sourced  bool // and this source: the line named one
	resumed  bool // and this source, of any origin
	passed   bool // every rule; not what Check returns with an error
	named    bool // the key has changed since
	drawn    bool // its id was drawn at random
	judged   bool // append-only, and it takes no other record's place
	free     bool // its key never held anything
	demoted  bool // a rule where it is from, and a fact here
}

// Key returns the key that is written: for a quarantined write, that below /untrusted.
func (p Checked) Key() keypath.Key { return p.env.Key }

// Envelope returns the envelope to write; it has a time where that is given.
func (p Checked) Envelope() log.Envelope { return p.env }

// SameOrigin reports whether the write does not name its source, and would get this one, whatever
// the time.
func (p Checked) SameOrigin(source []byte) bool {
	return !p.sourced && jsontext.Equal(originOf(source), originOf(p.env.Source))
}

// IfFree returns the write as one that is stored only where its key never held anything: else the
// error is a *ConflictError.
func (p Checked) IfFree() Checked { p.free = true; return p }

// CheckAgain checks a write under another key and with another content, and is else as it was.
func (op *Operation) CheckAgain(ctx context.Context, p Checked, key keypath.Key, text []byte) (
	Checked, error) {
	w := Write{Key: key, Content: text, Source: p.env.Source}
	if p.imported {
		w.TS = &p.env.TS
	}
	q, err := op.Check(ctx, w, false)
	q.once, q.sourced, q.resumed, q.reason = p.once, p.sourced, p.resumed, p.reason
	q.demoted = p.demoted
	return q, err
}

// Content returns the content in the form in which it is stored.
func (p Checked) Content() []byte { return p.env.Content }

// Named returns the write at a key below the one that it was checked for: that with an id, like
// m-4. It is for what gets its number under the lock.
func (p Checked) Named(id string) (Checked, error) {
	if strings.Contains(id, "/") {
		return p, fmt.Errorf("id %q: %w: want one segment of a key", id, ErrInput)
	}
	key, err := keypath.Parse(p.env.Key.String() + "/" + id)
	p.env.Key, p.named = key, true
	return p, err
}

// Drawn returns the write as one whose key has an id that was drawn at random: the store need not
// look whether an append-only record has that key already.
func (p Checked) Drawn() Checked { p.drawn = true; return p }

// IfChanged returns the write as one that is left out where the key holds its content already.
func (p Checked) IfChanged() Checked { p.once = true; return p }

// Claimed returns the write as one for which no person vouches, for this origin: its source gets
// the mark (content.WithClaim).
func (p Checked) Claimed(origin string) Checked {
	p.env.Source = content.WithClaim(p.env.Source, origin)
	return p
}

// Imported reports whether the write has a given time, which it keeps.
func (p Checked) Imported() bool { return p.imported }

// day in microseconds.
const day = log.Stamp(24 * 3600 * 1e6)

// Check checks a write and brings it into the form in which it is stored. With quarantine a write
// that lacks provenance is kept under /untrusted/ instead of refused.
func (op *Operation) Check(ctx context.Context, w Write, quarantine bool) (p Checked, err error) {
	if err := policy.CheckSizes(w.Content, w.Source); err != nil {
		return p, err
	}
	p.env.Key, p.op = w.Key, op
	form := jsontext.Readable
	if w.TS != nil {
		form = jsontext.Compact // an envelope from elsewhere keeps its bytes
	}
	if p.env.Content, err = form(nil, w.Content); err != nil {
		return p, fmt.Errorf("content: %w", err)
	}
	if p.env.Source, err = form(nil, w.Source); err != nil {
		return p, fmt.Errorf("source: %w", err)
	}
	// Before any check whose message shows what it was given.
	if err := policy.CheckSecrets(p.env.Key, p.env.Content, p.env.Source, op.allowed); err != nil {
		return p, err
	}
	if p.env.Source[0] != '{' && p.env.Source[0] != '"' {
		return p, fmt.Errorf("source: %w: want a JSON object or string, not %.20s", ErrInput,
			p.env.Source)
	}
	if w.TS != nil {
		p.env.TS, p.imported = *w.TS, true
		if now := op.Now(); p.env.TS > now+day {
			return p, fmt.Errorf("ts: %w: %s is more than 24 h ahead of %s", ErrFuture, p.env.TS,
				now)
		}
	}
	err = op.admit(ctx, &p, quarantine)
	if origin := policy.ClaimOrigin(op.caller, op.verb, p.env); origin != "" {
		if op.verb.Restores() && content.Claim(p.env.Source) == "" {
			return p, cmp.Or(err, error(&policy.RuleError{Key: w.Key, Verb: op.verb,
				Caller: op.caller})) // a rule is not brought back as a fact either
		}
		it := ItemOf(log.Record{Envelope: p.env})
		p.demoted = content.Claim(p.env.Source) == "" && policy.ClaimsRule(&it)
		p = p.Claimed(origin)
	}
	return p, err
}

// admit checks the key and provenance, the last of the rules, and quarantines a write that lacks
// provenance if that is asked for.
func (op *Operation) admit(ctx context.Context, p *Checked, quarantine bool) error {
	if err := op.checkCaller(p); err != nil {
		return err
	}
	if p.env.Valid() && !p.imported && !op.purges {
		if err := policy.CheckLabel(p.env.Key, p.env.Content); err != nil {
			return err
		}
	}
	if err := op.checkKey(ctx, p); err != nil {
		return err
	}
	conf, err := op.Config(ctx)
	if err != nil {
		return err
	}
	err = cmp.Or(policy.CheckMark(op.verb, p.env),
		conf.Rules.Check(p.env.Key, p.env.Content, p.env.Source))
	if !quarantine || !errors.Is(err, policy.ErrProvenance) {
		p.passed = err == nil
		return err
	}
	p.reason = err.Error()
	p.env.Key, p.env.Source, err = policy.Quarantine(p.env.Key, p.env.Source, err, op.Now())
	p.passed = err == nil
	return err
}

// checkCaller refuses a key that this operation, or its caller, may not write.
func (op *Operation) checkCaller(p *Checked) error {
	return cmp.Or(op.checkVerb(p),
		policy.CheckOwn(op.caller, op.verb, p.env.Key, p.env.Valid()),
		policy.CheckOthers(op.caller, op.verb, p.env.Key, p.env.Valid()),
		policy.CheckClaim(op.caller, op.verb, p.env.Key, p.env.Content, p.env.Source, p.imported))
}

// checkVerb refuses a key that only other verbs write. Force does not replace append-only records;
// importing the envelope of such a record is no replacement.
func (op *Operation) checkVerb(p *Checked) error {
	appendOnly := policy.IsAppendOnly(p.env.Key.Class())
	switch {
	case op.purges:
		return nil
	case appendOnly && p.imported:
		return policy.CheckAppend(p.env.Key, p.env.Content, nil)
	case (op.tending || op.isForced()) && !appendOnly:
		return nil
	}
	err := policy.CheckVerb(p.env.Key, op.verb)
	if err != nil && op.forced {
		err = cmp.Or(policy.CheckNoAgent(op.caller, p.env.Key.Shown()+": --force"), err)
	}
	return err
}

// checkKey refuses a new memory under a key that shows as another does, or that only another verb
// makes. Memories stored under such a key may be replaced, deleted and imported.
func (op *Operation) checkKey(ctx context.Context, p *Checked) error {
	key, s := p.env.Key, op.store
	if s.opts.Belongs != nil && p.env.Valid() {
		if err := s.opts.Belongs(key); err != nil {
			return err
		}
	}
	err := cmp.Or(key.CheckNew(), policy.CheckReserved(key, false))
	if op.verb.KeepsRules() && policy.IsProposal(key) ||
		op.verb.Restores() && key.Untrusted() && policy.IsPerson(op.caller) {
		return nil
	}
	if err == nil || p.imported || !p.env.Valid() {
		return nil
	}
	_, stored, failed := s.backend.Get(ctx, key)
	if stored && failed == nil {
		return policy.CheckReserved(key, true)
	}
	return cmp.Or(failed, err)
}
