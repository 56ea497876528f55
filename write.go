package mem

import (
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
	"github.com/set-memory/mem/internal/store/backend"
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
	allowed []string          // rules for secrets that do not count this time
	conf    *Config           // nil: not asked for yet
	version string            // of conf, which the store compares; see known
	assumed bool              // conf is what this process knew; nobody was asked
	exempt  policy.Exemptions // of what it writes
	guard   guardFunc         // nil: none; see Guard
	gates   gates
	kept    []keypath.Key   // rules of the user that an import was to replace
	undoes  string          // id of the command that it takes back
	joined  bool            // see Join
	joint   bool            // it is one of an update of several stores
	ready   func(*Tx) error // called before an update is stored; nil: nothing is

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

// Checked is a write that has passed every rule that needs no lock: only [Operation.Check] makes
// one, and [Tx.Put] takes no other.
type Checked struct {
	op     *Operation    // that has checked it, and alone may put it; nil: it did not pass
	facts  *policy.Facts // shared by its copies, which replace and do not change them; nil as op
	env    log.Envelope
	reason string    // why it is quarantined under /untrusted/; "" if it is not
	conf   *Config   // by which it was checked
	spared bool      // it is quarantined, where its source does not suffice
	when   condition // under which a batch stores it

	restamped bool // see Restamped
	sourced   bool // its line named a source
	fresh     bool // its key holds nothing append-only: it was drawn, or the history was asked
}

// condition is what the key of a write has to hold for a batch to store it.
type condition int

const (
	always      condition = iota
	whenFree              // nothing, and never did: else it is a conflict
	whenChanged           // another content, or another source where the line names one
	whenNew               // another content or source, of whatever origin
)

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
func (p Checked) IfFree() Checked { p.when = whenFree; return p }

// CheckAgain checks a write under another key and with another content, and is else as it was.
func (op *Operation) CheckAgain(ctx context.Context, p Checked, key keypath.Key, text []byte) (
	Checked, error) {
	w := Write{Key: key, Content: text}
	if p.facts != nil {
		w.Source = p.facts.Source
	}
	if p.Imported() {
		w.TS = &p.env.TS
	}
	q, err := op.Check(ctx, w, false)
	q.when, q.sourced, q.reason = p.when, p.sourced, p.reason
	return q, err
}

// Content returns the content in the form in which it is stored.
func (p Checked) Content() []byte { return p.env.Content }

// Named returns the write at a key below the one that it was checked for: that with an id, like
// m-4. It is for what gets its number under the lock. The rules for keys are asked once more.
func (p Checked) Named(id string) (Checked, error) {
	if id == "" || strings.Contains(id, "/") {
		return p, fmt.Errorf("id %q: %w: want one segment of a key", id, ErrInput)
	}
	key, err := keypath.Parse(p.env.Key.String() + "/" + id)
	if err == nil && p.op == nil {
		err = ErrUnchecked
	}
	if err != nil {
		return p, err
	}
	facts := p.facts.Renamed(key)
	p.env.Key, p.facts = key, &facts
	ground := policy.Ground{Belongs: p.op.store.opts.Belongs}
	return p, ground.Admit(p.facts)
}

// Drawn returns the write as one whose key has an id that was drawn at random: the store need not
// look whether an append-only record has that key already.
func (p Checked) Drawn() Checked {
	p.fresh = p.facts != nil && !p.Imported() && p.facts.Verb.Writes(p.facts.Class)
	return p
}

// Restamped returns a write that is from elsewhere, and may be what was new there, as one that gets
// the time of its update.
func (p Checked) Restamped() Checked { p.restamped = true; return p }

// IfChanged returns the write as one that is left out where the key holds its content already.
func (p Checked) IfChanged() Checked { p.when = whenChanged; return p }

// Claimed returns the write as one for which no person vouches, for this origin: its source gets
// the mark (content.WithClaim).
func (p Checked) Claimed(origin string) Checked {
	p.env.Source = content.WithClaim(p.env.Source, origin)
	return p
}

// Earlier returns the write of a tombstone as one that names the versions which its memory had
// elsewhere (content.WithEarlier).
func (p Checked) Earlier(ids []string) Checked {
	p.env.Source = content.WithEarlier(p.env.Source, ids)
	return p
}

// Imported reports whether the write has a given time, which it keeps.
func (p Checked) Imported() bool { return p.facts != nil && p.facts.Exempt&policy.Given != 0 }

// day in microseconds.
const day = log.Stamp(24 * 3600 * 1e6)

// Check checks a write and brings it into the form in which it is stored. With quarantine a write
// that lacks provenance is kept under /untrusted/ instead of refused.
func (op *Operation) Check(ctx context.Context, w Write, quarantine bool) (Checked, error) {
	return op.check(ctx, w, quarantine, op.exempt)
}

func (op *Operation) check(ctx context.Context, w Write, quarantine bool,
	exempt policy.Exemptions) (p Checked, err error) {
	if w.TS != nil {
		if !op.verb.Dates() {
			return p, fmt.Errorf("ts: %w: %s stores at its own time", ErrInput, op.verb)
		}
		exempt |= policy.Given
	}
	if p.env, err = op.envelope(w, exempt); err != nil {
		return p, err
	}
	facts := policy.NewFacts(op.caller, op.verb, exempt, p.env)
	p.facts = &facts
	err = op.admit(ctx, p.facts)
	p.op, p.conf, p.spared = op, op.conf, quarantine
	p.sign()
	if err = p.spare(err); err != nil {
		return Checked{env: p.env}, err
	}
	origin, err := p.facts.Origin()
	if err != nil {
		return Checked{env: p.env}, err
	}
	if origin != "" {
		p = p.Claimed(origin)
	}
	return p, nil
}

// sign names the member of a team that writes, on a server, whatever the request says of it.
func (p *Checked) sign() {
	if c := p.op.caller; c.Tenant != "" {
		p.env.Source = content.WithWriter(p.env.Source, c.Member)
	}
}

// spare quarantines a write that was refused for its source alone, if it is to be.
func (p *Checked) spare(refusal error) (err error) {
	if !p.spared || !errors.Is(refusal, policy.ErrProvenance) {
		return refusal
	}
	p.reason = refusal.Error()
	p.env.Key, p.env.Source, err = policy.Quarantine(p.env.Key, p.env.Source, refusal, p.op.Now())
	facts := policy.NewFacts(p.op.caller, p.op.verb, p.facts.Exempt, p.env)
	p.facts = &facts
	p.sign()
	return err
}

// admit asks the rules that need no lock. A refusal by the configuration that this process knew is
// asked for once more by that of the store.
func (op *Operation) admit(ctx context.Context, f *policy.Facts) error {
	conf, err := op.known(ctx)
	if err == nil {
		err = op.ground(ctx, conf).Admit(f)
	}
	if !op.assumed || !errors.Is(err, policy.ErrProvenance) {
		return err
	}
	if conf, err = op.Config(ctx); err != nil {
		return err
	}
	return op.ground(ctx, conf).Admit(f)
}

// envelope brings a write into the form in which it is stored.
func (op *Operation) envelope(w Write, exempt policy.Exemptions) (e log.Envelope, err error) {
	if err := policy.CheckSizes(w.Content, w.Source, exempt); err != nil {
		return e, err
	}
	e.Key = w.Key
	form := jsontext.Readable
	if w.TS != nil {
		form = jsontext.Compact // an envelope from elsewhere keeps its bytes
	}
	if e.Content, err = form(nil, w.Content); err != nil {
		return e, fmt.Errorf("content: %w", err)
	}
	if e.Source = w.Source; exempt&policy.Approved == 0 {
		e.Source, err = form(nil, w.Source)
	}
	if err != nil {
		return e, fmt.Errorf("source: %w", err)
	}
	if w.TS == nil {
		return e, nil
	}
	e.TS = *w.TS
	if now := op.Now(); e.TS > now+day {
		return e, fmt.Errorf("ts: %w: %s is more than 24 h ahead of %s", ErrFuture, e.TS, now)
	}
	return e, nil
}

// ground returns what the rules ask of the store.
func (op *Operation) ground(ctx context.Context, conf *Config) *policy.Ground {
	return &policy.Ground{Rules: conf.Rules, Allowed: op.allowed, Belongs: op.store.opts.Belongs,
		Stored: func(key keypath.Key) (bool, error) {
			_, stored, err := op.store.backend.Get(ctx, key)
			return stored, err
		}}
}
