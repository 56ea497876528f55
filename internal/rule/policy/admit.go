package policy

import (
	"cmp"
	"fmt"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// ErrInput is wrapped when an argument, a line or the configuration is malformed in a way that
// no other error says.
var ErrInput = fault.ErrInput

// Exemptions are the reasons for which some rules are not asked about a write; the table of rules
// says which.
type Exemptions uint8

const (
	// Forced: a person mends by --force what only other verbs write. Nobody forces an append-only
	// record, and a program asks a person.
	Forced Exemptions = 1 << iota
	// Purging: the tombstone stands for a purge, which takes out append-only records too.
	Purging
	// Tending: the guard of a view writes, and keeps to the form of its class by itself.
	Tending
	// Given: the envelope is from elsewhere and keeps its time: it was new there.
	Given
	// Numbered: the write was admitted, and its key now ends with the number that the store gave.
	Numbered
	// Approved: the text was measured when it came into quarantine, and mem makes a source of its
	// own around that.
	Approved
)

func (x Exemptions) has(any Exemptions) bool { return x&any != 0 }

// Call is what the writes of one operation have in common.
type Call struct {
	Caller backend.Caller
	Verb   Verb
}

// Facts is what the rules ask of a write. They are parsed once, and every rule reads them here.
type Facts struct {
	*Call
	Exempt  Exemptions
	Key     keypath.Key
	Class   keypath.Class
	Owner   string // the agent whose own record the key is; "": nobody's
	Deletes bool
	Content []byte // compact JSON
	Source  []byte // compact JSON

	source *source // nil: it is to be parsed anew, see DropSource
	clean  bool    // checkSecrets found nothing, allowed or not
}

// Clean reports whether the write was scanned for secrets, and none was found in its key, content
// and source, not even one that is allowed.
func (f *Facts) Clean() bool { return f.clean }

// NewFacts returns the facts of a write of an envelope.
func NewFacts(c *Call, exempt Exemptions, e log.Envelope) Facts {
	s := parseSource(e.Source)
	f := Facts{Call: c, Exempt: exempt, Deletes: !e.Valid(), Content: e.Content,
		Source: e.Source, source: &s}
	return f.at(e.Key)
}

// DropSource drops what only [Ground.Admit] needs often: a batch keeps the facts of all its
// writes.
func (f *Facts) DropSource() { f.source = nil }

// parsed returns the source as the rules read it.
func (f *Facts) parsed() source {
	if f.source == nil {
		return parseSource(f.Source)
	}
	return *f.source
}

func (f Facts) at(key keypath.Key) Facts {
	f.Key, f.Class, f.Owner = key, key.Class(), key.Realm().Owner
	return f
}

// Renamed returns the facts of an admitted write whose key now ends with a number. Admit asks the
// rules for keys about it once more.
func (f Facts) Renamed(key keypath.Key) Facts {
	f.Exempt |= Numbered
	return f.at(key)
}

// Ground is what the rules ask of the store that a write is for.
type Ground struct {
	Rules
	Allowed []string                        // rules for secrets that do not count
	Belongs func(keypath.Key) error         // refuses keys that the layer does not hold; nil: none
	Stored  func(keypath.Key) (bool, error) // whether a key has a live memory
}

// admission has every rule that needs no lock, in the order in which they are asked: a message
// shows nothing of a text before it was searched for secrets, and the last rule is the one that
// quarantine makes up for. A rule with 0 is asked about every write; those of classes, of new keys
// and of claims then weigh exemptions by themselves. [CheckSizes] comes before.
var admission = [...]struct {
	ask    func(*Facts, *Ground) error
	unless Exemptions // that spare a write the rule
}{
	{(*Facts).checkSecrets, Numbered},
	{(*Facts).checkForm, Numbered},
	{(*Facts).checkClass, Purging},
	{(*Facts).checkOwn, 0},
	{(*Facts).checkOthers, 0},
	{(*Facts).checkClaim, 0},
	{(*Facts).checkLabel, Given | Purging},
	{(*Facts).checkLayer, 0},
	{(*Facts).checkNew, Given},
	{(*Facts).checkText, Given},
	{(*Facts).checkMark, 0},
	{(*Facts).checkProvenance, 0},
}

// Admit decides whether a write may enter the store, as far as that needs no lock. The error comes
// from the first rule that refuses it, and wraps ErrProvenance only where no other rule does.
func (g *Ground) Admit(f *Facts) error {
	for _, rule := range admission {
		if f.Exempt.has(rule.unless) {
			continue
		}
		if err := rule.ask(f, g); err != nil {
			return err
		}
	}
	return nil
}

// NeedsOld reports whether [Facts.AdmitOver] has to know the record that a write replaces.
func (f *Facts) NeedsOld() bool { return IsAppendOnly(f.Class) || mustKeep(f.Caller, f.Verb) }

// AdmitOver decides whether a write may take the place of the live record that its key has when it
// is stored; the zero record: it has none. isRule reports whether that is a rule of the user.
func (f *Facts) AdmitOver(old log.Record, isRule func(log.Record) bool) error {
	return cmp.Or(MayChange(f.Caller, f.Verb, old, isRule),
		CheckAppend(f.Key, f.Content, old.Content))
}

// MayChange refuses a caller that is no person to change a rule of the user, or a pin of another
// member, or to take it away. The error is a *RuleError.
func MayChange(c backend.Caller, verb Verb, old log.Record, isRule func(log.Record) bool) error {
	if !mustKeep(c, verb) || old.Key.IsZero() {
		return nil
	}
	pinner := PinnedByOther(c, old)
	switch {
	case isRule(old):
		pinner = ""
	case pinner == "":
		return nil
	}
	return &RuleError{Key: old.Key, Verb: verb, Caller: c, Pinner: pinner}
}

// mustKeep reports whether a write must leave every rule of the user as it is: only a person
// changes one, and an operation that says by itself what it keeps.
func mustKeep(c backend.Caller, verb Verb) bool { return !IsPerson(c) && !verb.KeepsRules() }

// checkForm refuses a source that is neither an object nor a text.
func (f *Facts) checkForm(*Ground) error {
	if f.Source[0] == '{' || f.Source[0] == '"' {
		return nil
	}
	return fmt.Errorf("source: %w: want a JSON object or string, not %.20s", ErrInput, f.Source)
}

// checkClass refuses a key that only other verbs write.
func (f *Facts) checkClass(*Ground) error {
	appendOnly := IsAppendOnly(f.Class)
	forced := f.Exempt.has(Forced) && IsPerson(f.Caller)
	switch {
	case appendOnly && f.Exempt.has(Given):
		return CheckAppend(f.Key, f.Content, nil)
	case (f.Exempt.has(Tending) || forced) && !appendOnly:
		return nil
	}
	err := CheckVerb(f.Key, f.Verb)
	if err != nil && f.Exempt.has(Forced) {
		err = cmp.Or(CheckNoAgent(f.Caller, f.Key.Shown()+": --force"), err)
	}
	return err
}

func (f *Facts) checkOwn(*Ground) error { return CheckOwn(f.Caller, f.Verb, f.Key, !f.Deletes) }

func (f *Facts) checkLayer(g *Ground) error {
	if g.Belongs == nil || f.Deletes {
		return nil
	}
	return g.Belongs(f.Key)
}

// checkNew refuses a new memory under a key that shows as another does, or that only another verb
// makes. Memories stored under such a key may be replaced and deleted.
func (f *Facts) checkNew(g *Ground) error {
	switch {
	case f.Exempt.has(Numbered):
		return f.checkNumber()
	case f.Deletes, f.Verb.KeepsRules() && IsProposal(f.Key),
		f.Verb.Restores() && f.Key.Untrusted() && IsPerson(f.Caller):
		return nil
	}
	err := cmp.Or(f.Key.CheckNew(), CheckReserved(f.Key, false))
	if err == nil {
		return nil
	}
	stored, failed := g.Stored(f.Key)
	if stored && failed == nil {
		return CheckReserved(f.Key, true)
	}
	return cmp.Or(failed, err)
}

// Origin returns the origin with which the line of a write is marked; "" for a line without a mark.
// All lines of an import are marked, and those of a client that would be rules if a person had
// written them. The error is a *RuleError where a caller restores such a line that had no mark.
func (f *Facts) Origin() (string, error) {
	it := &readout.Item{Key: f.Key.String(), Source: f.Source, Fields: content.Parse(f.Content)}
	switch {
	case f.Deletes || f.Key.Untrusted():
		return "", nil
	case f.Verb.Claims(), f.Verb == Restore && QuotesPrompt(f.Source) && !ClaimsRule(it):
		return content.FromImport, nil
	case IsPerson(f.Caller) || !ClaimsRule(it):
		return "", nil
	case f.Verb.Restores() && content.Claim(f.Source) == "":
		return "", &RuleError{Key: f.Key, Verb: f.Verb, Caller: f.Caller}
	}
	return content.FromClient + " " + cmp.Or(f.Caller.Client, f.Caller.Agent), nil
}
