package proposal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const (
	maxOpen  = 20           // proposals of one client
	maxAll   = 200          // proposals of all
	lifetime = 30 * log.Day // until a proposal expires
)

var (
	// ErrNoRule is wrapped for a proposal about a memory that the caller may change itself.
	ErrNoRule error = &fault.Fault{Why: "no rule of the user", Err: mem.ErrInput,
		Later: func() advice.List {
			return advice.Shell("the same command without --propose changes it").
				Tools("the same call without propose changes it")
		}}
	// ErrSame is wrapped for a proposal that changes nothing.
	ErrSame = fmt.Errorf("%w: the rule says that already", mem.ErrInput)
)

var verbs = []string{"set", "note", "edit", "pin", "forget"}

// Change is a change that an agent asks for.
type Change struct {
	Verb    string      // set, note, edit, pin or forget
	Key     keypath.Key // of the rule
	Content []byte      // JSON; null deletes the rule
	Source  []byte      // as in mem.Write; nil: the caller's own
}

// Proposal is a change that waits for a person.
type Proposal struct {
	ID      string          `json:"id"`
	Change  string          `json:"change"` // the verb
	Key     keypath.Key     `json:"key"`
	Rule    log.Stamp       `json:"rule,omitzero"` // time of the rule; 0: the key held nothing
	Content json.RawMessage `json:"content"`
	Source  json.RawMessage `json:"source,omitempty"`
	Client  string          `json:"client"`
	Session string          `json:"session,omitempty"`

	At  log.Stamp       `json:"at"`
	Old json.RawMessage `json:"old,omitempty"` // the content of the key now

	Layer string `json:"layer,omitempty"` // of the store; "" where it is named

	key    keypath.Key // of the proposal
	over   log.Stamp   // of the memory with the old content; 0: none
	isLate bool
}

// Add stores a proposal and changes no rule. The error wraps ErrNoRule where the caller needs no
// proposal, or as that of mem.Store.Set. A key that the caller may not see is not found, whether
// it exists or not.
func Add(ctx context.Context, s *mem.Store, c mem.Caller, ch Change) (p Proposal, err error) {
	if !policy.Permits(c, ch.Key) {
		return p, &mem.NotFoundError{Key: ch.Key}
	}
	op, err := s.Begin(c, policy.Propose)
	if err != nil {
		return p, err
	}
	p = Proposal{Change: ch.Verb, Key: ch.Key, Source: ch.Source, At: op.Now(),
		Client: nameOf(c), Session: c.Session}
	if p.Content, err = jsontext.Readable(nil, ch.Content); err != nil {
		return p, &fault.Fault{What: "content", Err: err}
	}
	if p.Source == nil {
		p.Source = op.Source("user", "mem "+ch.Verb, "key", ch.Key.String())
	}
	approval, err := s.Begin(mem.Caller{Tenant: c.Tenant, Now: c.Now}, policy.Approve)
	if err != nil {
		return p, err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) error { return p.put(ctx, op, approval, tx) })
	return p, err
}

// checkApproval refuses a change that no approval could store, as under a key that hides a
// character. A secret is found where the proposal itself is stored, unless its caller allows it.
func (p *Proposal) checkApproval(ctx context.Context, approval *mem.Operation) error {
	_, err := approval.Check(ctx, mem.Write{Key: p.Key, Content: p.Content,
		Source: approval.Source("user", "mem approve", "key", p.Key.String())}, false)
	if errors.Is(err, policy.ErrSecret) {
		return nil
	}
	return err
}

// Place returns the key of a proposal.
func (p *Proposal) Place() keypath.Key { return p.key }

// Shown returns the decision about a proposal as it is here, for [Approve] and mem.Store.Reject.
func (p *Proposal) Shown() mem.Shown { return mem.Shown{Key: p.key, TS: p.At, Over: p.over} }

// IsLate reports whether the key was written since the proposal, which cannot be approved then.
func (p *Proposal) IsLate() bool { return p.isLate }

// IsGone reports whether the memory was deleted since the proposal: only a rejection ends it, or an
// undo of the deletion lets it wait again.
func (p *Proposal) IsGone() bool { return p.isLate && p.Old == nil }

// isAbout reports whether a record, a zero one for none, is the rule that was seen, or that version
// restored; to a pin it is the same with the same content, as where a note was renewed.
func (p *Proposal) isAbout(rec log.Record) bool {
	if p.Change == "pin" && bytes.HasPrefix(rec.Content, []byte("{")) && bytes.Equal(p.Content,
		jsontext.ParseMembers(rec.Content).With("pinned", []byte("true")).Object()) {
		return true
	}
	restored := content.Member(content.Member(rec.Source, "edited"), "restored")
	return rec.TS == p.Rule || p.Rule != 0 && jsontext.Unquote(restored) == p.Rule.String()
}

// Outcome returns the answer to a proposal: the rule that stays in force, and the id.
func (p *Proposal) Outcome() mem.Outcome {
	return mem.Outcome{Key: p.Key, TS: p.Rule, Valid: p.Rule != 0, Proposal: p.ID}
}

// nameOf returns the client and the agent that propose, and for which member of a team.
func nameOf(c mem.Caller) string {
	name := cmp.Or(c.Client, "person")
	if c.Agent != "" {
		name = strings.TrimPrefix(c.Client+", agent "+c.Agent, ", ")
	}
	if c.Member != "" {
		name += " of " + c.Member
	}
	return name
}

// asker returns the proposer of a name of nameOf, which has its own room: the member of a team,
// whatever clients and agents the member's requests name, or else the client.
func asker(name string) string {
	if i := strings.LastIndex(name, " of "); i >= 0 { // no member's name has a space
		return name[i:]
	}
	return name
}

// put stores the proposal, and tombstones for the oldest that are too many with it. One that is
// there already stays as it is.
func (p *Proposal) put(ctx context.Context, op, approval *mem.Operation, tx *mem.Tx) error {
	p.ID, p.Rule = "", 0 // of an update that runs again
	rule, found, err := tx.Get(ctx, p.Key)
	switch {
	case err != nil:
		return err
	case !found && string(p.Content) == "null":
		return &mem.NotFoundError{Key: p.Key}
	case found && !op.Keeps(rule) && !p.pins(rule), !found && !p.makesRule():
		return fmt.Errorf("%s: %w", p.Key.Shown(), ErrNoRule)
	case found && bytes.Equal(p.Content, rule.Content):
		return fmt.Errorf("%s: %w", p.Key.Shown(), ErrSame)
	case found:
		p.Rule = rule.TS
		p.keepClaim(rule)
	}
	if err := p.checkApproval(ctx, approval); err != nil {
		return err
	}
	writes, err := p.surplus(ctx, op, tx)
	if err != nil || p.ID != "" {
		return err
	}
	if err := p.drawID(); err != nil {
		return err
	}
	text := jsontext.ParseMembers(p.text()).With("expired_at",
		jsontext.AppendString(nil, (op.Now()+lifetime).String())).Object()
	w := mem.Write{Key: p.key, Content: text,
		Source: op.Source("user", "mem "+p.Change+" --propose", "key", p.Key.String())}
	checked, err := op.Check(ctx, w, false)
	if err != nil {
		return err
	}
	return tx.Put(append(writes, checked)...)
}

// pins reports whether the proposal is to pin a fact, which makes a rule of it where a person pins.
func (p *Proposal) pins(rec log.Record) bool {
	return p.Change == "pin" && content.Parse(p.Content).Pinned &&
		!content.Parse(rec.Content).Pinned
}

// makesRule reports whether a person's write of the content would be a new rule.
func (p *Proposal) makesRule() bool {
	_, _, numbered := p.Key.Number()
	class := p.Key.Class()
	return string(p.Content) != "null" && !numbered &&
		(class == keypath.Open || class == keypath.Personal) && p.claimsRule()
}

func (p *Proposal) claimsRule() bool {
	f := content.Parse(p.Content)
	return f.IsRule() || strings.HasPrefix(p.Key.String(), policy.RulesPrefix+"/")
}

// keepClaim adds to a new text the type, the tags and the pin of the rule, where it says nothing
// that would make it one.
func (p *Proposal) keepClaim(rule log.Record) {
	if p.Change != "set" || p.claimsRule() || p.Content[0] != '{' || rule.Content[0] != '{' {
		return
	}
	m, old := jsontext.ParseMembers(p.Content), jsontext.ParseMembers(rule.Content)
	for _, name := range [...]string{"type", "tags", "pinned"} {
		if value := old.Get(name); value != nil && m.Get(name) == nil {
			m = m.With(name, value)
		}
	}
	p.Content = m.Object()
}

// drawID draws an id for the proposal that no caller can choose: a person approves by it.
func (p *Proposal) drawID() error {
	id, err := ulid.New(p.At.Time(), nil)
	if err != nil {
		return err
	}
	p.ID = "p-" + strings.ToLower(id[ulid.Len-8:])
	p.key = keypath.MustParse(policy.Proposals + "/" + p.ID)
	return nil
}

// text returns the content of the proposal's envelope.
func (p *Proposal) text() []byte {
	var o jsontext.Object
	o.Text("type", "proposal")
	o.Text("change", p.Change)
	o.Text("key", p.Key.String())
	if p.Rule != 0 {
		o.Text("rule", p.Rule.String())
	}
	o.Raw("content", p.Content)
	o.Raw("source", p.Source)
	o.Text("client", p.Client)
	o.TextUnlessEmpty("session", p.Session)
	return o.Bytes()
}

// surplus returns tombstones for the oldest proposals of the client that are too many with one
// more. It gives the proposal the id of one that asks for the same.
func (p *Proposal) surplus(ctx context.Context, op *mem.Operation, tx *mem.Tx) (
	gone []mem.Checked, err error) {
	var open []Proposal
	all := 0
	for rec, err := range tx.ScanBelow(ctx, below()) {
		if err != nil {
			return nil, err
		}
		o, ok := parse(rec.Clone(), op.Now())
		if all++; !ok || asker(o.Client) != asker(p.Client) {
			continue
		}
		if o.Key == p.Key && (o.Rule == p.Rule || p.Change == "pin" && o.Change == "pin") &&
			bytes.Equal(o.Content, p.Content) {
			p.ID = o.ID
			return nil, nil
		}
		open = append(open, o)
	}
	sortOldest(open)
	for _, o := range open[:max(0, len(open)+1-maxOpen)] {
		t, err := op.Tombstone(ctx, o.key, "system", nil)
		if err != nil {
			return nil, err
		}
		gone = append(gone, t)
	}
	if all-len(gone) >= maxAll {
		return nil, &policy.ReservedError{Key: p.Key, Why: "too many changes of rules wait",
			Todo: advice.Run("approve").Then(" lists them for the user")}
	}
	return gone, nil
}

func sortOldest(list []Proposal) {
	slices.SortFunc(list, func(a, b Proposal) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
	})
}

func below() keypath.Prefix { return keypath.MustPrefix(policy.Proposals) }

// parse parses a record as a proposal that has not expired.
func parse(rec log.Record, now log.Stamp) (p Proposal, ok bool) {
	if !rec.Valid() || content.Expired(rec.Content, now) || now > rec.TS+lifetime ||
		json.Unmarshal(rec.Content, &p) != nil || p.Key.IsZero() ||
		!slices.Contains(verbs, p.Change) {
		return p, false
	}
	p.key, p.At, p.ID = rec.Key, rec.TS, idOf(rec.Key.String())
	return p, true
}

func idOf(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// List returns the proposals of a store, the oldest first, with the present content of their keys.
// A store that may hold no rules has none.
func List(ctx context.Context, s *mem.Store, c mem.Caller) (list []Proposal, err error) {
	if !s.HoldsRules() {
		return nil, nil
	}
	now := cmp.Or(c.Now, log.StampOf(s.Now()))
	for rec, err := range s.Reader(c).ScanBelow(ctx, below()) {
		if err != nil {
			return nil, err
		}
		if p, ok := parse(rec.Clone(), now); ok {
			list = append(list, p)
		}
	}
	for i := range list {
		if err := list[i].look(ctx, s, c); err != nil {
			return nil, err
		}
	}
	sortOldest(list)
	return list, nil
}

// look reads the present content of the key.
func (p *Proposal) look(ctx context.Context, s *mem.Store, c mem.Caller) error {
	rec, err := s.Get(ctx, c, p.Key, true)
	if errors.Is(err, mem.ErrNotFound) {
		rec, err = log.Record{}, nil
	}
	p.Old, p.over, p.isLate = slices.Clone(rec.Content), rec.TS, !p.isAbout(rec)
	return err
}

// Find returns the proposal of an id, or of its key; ok is false where there is none.
func Find(ctx context.Context, s *mem.Store, c mem.Caller, id string) (
	p Proposal, ok bool, err error) {
	if strings.HasPrefix(id, "p-") {
		id = policy.Proposals + "/" + id
	}
	key, bad := keypath.ParseShown(id)
	if bad != nil || !policy.IsProposal(key) || !s.HoldsRules() {
		return p, false, nil
	}
	rec, err := s.Get(ctx, c, key, false)
	if errors.Is(err, mem.ErrNotFound) {
		return p, false, nil
	}
	if err != nil {
		return p, false, err
	}
	if p, ok = parse(rec, cmp.Or(c.Now, log.StampOf(s.Now()))); ok {
		err = p.look(ctx, s, c)
	}
	return p, ok, err
}
