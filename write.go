package mem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Write is a write of one key: JSON null as content deletes the key, anything else replaces its
// content.
type Write struct {
	Key     keypath.Key
	Content []byte     // any JSON text, at most policy.MaxContent bytes
	Source  []byte     // a JSON object or string, at most policy.MaxSource bytes
	TS      *log.Stamp // of an imported envelope, which keeps it; nil: the store gives it one
}

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
	facts := policy.NewFacts(op.call, exempt, p.env)
	p.facts = &facts
	err = op.admit(ctx, p.facts)
	p.op, p.conf, p.mayQuarantine = op, op.conf, quarantine
	p.sign()
	if err = p.quarantineRefused(err); err != nil {
		return Checked{env: p.env}, err
	}
	origin, err := p.facts.Origin()
	if err != nil {
		return Checked{env: p.env}, err
	}
	p.facts.DropSource()
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

// quarantineRefused quarantines a write that was refused for its source alone, if it may be.
func (p *Checked) quarantineRefused(refusal error) (err error) {
	if !p.mayQuarantine || !errors.Is(refusal, policy.ErrProvenance) {
		return refusal
	}
	p.reason = refusal.Error()
	p.env.Key, p.env.Source, err = policy.Quarantine(p.env.Key, p.env.Source, refusal, p.op.Now())
	facts := policy.NewFacts(p.facts.Call, p.facts.Exempt, p.env)
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
		return e, &fault.Fault{What: "content", Err: err}
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
	if now := op.Now(); e.TS > now+log.Day {
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

// Restamped returns a write from elsewhere, also that of the newest version there, as one that gets
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

// sourceIs reports whether the source is that of a record. A line that names none has that of the
// call, in which the time of the call does not count.
func (p Checked) sourceIs(old []byte) bool {
	switch {
	case p.reason != "": // made for the quarantine, with the time
		return true
	case p.sourced:
		return jsontext.Equal(content.BareSource(old), content.BareSource(p.env.Source))
	case p.when == whenNew:
		return jsontext.Equal(originOf(old), originOf(p.env.Source))
	}
	return true
}

// originOf returns a source without its mark and without the time at which it was read.
func originOf(source []byte) []byte {
	return jsontext.ParseMembers(content.BareSource(source)).DropName("retrieved_at").Object()
}

// sameAs reports whether a record holds what p would write.
func (p Checked) sameAs(old log.Envelope, live bool) bool {
	if !live || !p.env.Valid() {
		return live == p.env.Valid()
	}
	return jsontext.Equal(old.Content, p.env.Content) && p.sourceIs(old.Source) &&
		!p.vouches(content.Claim(old.Source))
}

// IsRule reports whether a record of the store is a rule of the user, or a person's word on what an
// agent is, expired or not: a caller names its own time.
func (op *Operation) IsRule(rec log.Record) bool {
	if !rec.Valid() {
		return false
	}
	it := ItemOf(rec)
	return op.store.opts.Belief.Standing(&it, policy.IdentityOf(it.Key)) == readout.Rule
}

// ClaimOf returns the origin that the mark in the source of a record names; "" where a person
// vouches for the record. What is made here of a line of a plain depot is a line of this memory,
// though nobody vouches for it.
func (op *Operation) ClaimOf(rec log.Record) string {
	origin := content.Claim(rec.Source)
	if origin == content.FromDepot {
		origin = content.FromImport
	}
	return origin
}

// Keeps reports whether a caller that is no person may only propose to change a record: a rule of
// the user, or a pin of another member of the team than the caller's.
func (op *Operation) Keeps(rec log.Record) bool {
	return op.IsRule(rec) || policy.PinnedByOther(op.caller, rec) != ""
}

// MayChange refuses a caller that is no person to change what it may only propose to change.
// Where the operation puts a write, the Store asks this by itself. The error is a
// *policy.RuleError.
func (op *Operation) MayChange(rec log.Record) error {
	return policy.MayChange(op.caller, op.verb, rec,
		func(rec log.Record) bool { return op.IsRule(rec) })
}

// checkChange asks [Operation.MayChange] for a line of a batch, so that the whole batch is refused
// before a part of it is stored. A line that the key has already changes nothing.
func (op *Operation) checkChange(ctx context.Context, p Checked) error {
	if policy.IsPerson(op.caller) {
		return nil
	}
	rec, found, err := op.store.backend.Get(ctx, p.env.Key)
	if !found || err != nil || p.isTwin(rec.Envelope) || p.sameAs(rec.Envelope, rec.Valid()) {
		return err
	}
	return op.MayChange(rec)
}

// isDemoted reports whether a write is a rule where it is from, and a fact here.
func (p Checked) isDemoted() bool {
	it := ItemOf(log.Record{Envelope: p.env})
	return content.Claim(p.env.Source) != "" &&
		(p.facts == nil || content.Claim(p.facts.Source) == "") && policy.ClaimsRule(&it)
}

// vouches reports whether a write makes a rule of the user of a line with a mark of this origin.
func (p Checked) vouches(origin string) bool {
	it := ItemOf(log.Record{Envelope: p.env})
	return origin != "" && content.Claim(p.env.Source) == "" && policy.ClaimsRule(&it)
}

// isTwin reports whether an envelope is that of the write, but for the mark in its source.
func (p Checked) isTwin(e log.Envelope) bool {
	return p.Imported() && e.Key == p.env.Key && e.TS == p.env.TS &&
		bytes.Equal(e.Content, p.env.Content) &&
		bytes.Equal(content.BareSource(e.Source), content.BareSource(p.env.Source))
}

// protects reports whether a record is a rule of the user, which no file of a person replaces or
// deletes, and keeps its key.
func (op *Operation) protects(rec log.Record) bool {
	if !op.verb.Claims() || !policy.IsPerson(op.caller) || !op.IsRule(rec) {
		return false
	}
	if !slices.Contains(op.kept, rec.Key) {
		op.kept = append(op.kept, rec.Key)
	}
	return true
}

// KeptRules returns the keys of rules of the user that the operation was to replace or delete, and
// which are as they were.
func (op *Operation) KeptRules() []keypath.Key { return op.kept }
