package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// What the state and the scope of a decision may be.
const (
	Active     = "active"
	Superseded = "superseded"
)

var decisionStates = []string{Active, Superseded}

var decisionScopes = []string{"project", "user", "global"}

// Decision is a decision with its reasons and references.
type Decision struct {
	Scope        `require:"refs"`
	Text         string   `json:"decision"`
	For          string   `json:"scope,omitempty" enum:"decided for"` // "": project
	Supersedes   []string `json:"supersedes,omitempty"`               // ids of decisions
	Rationale    []string `json:"rationale,omitempty"`
	Constraints  []string `json:"constraints,omitempty" tool:"-"`
	Alternatives []string `json:"alternatives,omitempty" tool:"-"`
	Consequences []string `json:"consequences,omitempty" tool:"-"`
}

// Key returns a key in the store that takes the decision: the one that holds what it supersedes.
func (d *Decision) Key() string {
	if len(d.Supersedes) > 0 {
		return decisions + "/" + d.Supersedes[0]
	}
	return decisions
}

// Decided is a decision that is stored.
type Decided struct {
	Decision
	ID     string    `json:"decision_id,omitempty"`
	TS     log.Stamp `json:"ts,omitempty"`
	Status string    `json:"status,omitempty" enum:"status"`
	By     string    `json:"superseded_by,omitempty"`
}

// DecisionReply names a decision that was stored.
type DecisionReply struct {
	ID string `json:"decision_id"`
}

// check checks a decision. A person may decide without a word on what it rests on; an agent, and a
// program that calls in place of a person, may not.
func (d *Decision) check(c mem.Caller) error {
	if d.For == "" {
		d.For = decisionScopes[0]
	}
	switch {
	case strings.TrimSpace(d.Text) == "":
		return Missing("decision", "its text")
	case len(d.Refs) == 0 && (d.Agent != "" || !policy.IsPerson(c)):
		return noRefs()
	case !slices.Contains(decisionScopes, d.For):
		return oneOf("scope", d.For, decisionScopes)
	}
	return d.Scope.Check()
}

// Decide stores a decision; what it supersedes is active no longer, in the same update. What it
// refers to must be there. The error wraps mem.ErrInput, ErrNotFound or ErrSuperseded, or is as
// that of Record.
func (b *Book) Decide(ctx context.Context, d Decision) (reply DecisionReply, err error) {
	op, err := b.begin(policy.Decide, &d.Scope)
	if err != nil {
		return reply, err
	}
	id, p, err := b.checkDecision(ctx, op, &d)
	if err != nil {
		op.Failed(keypath.Key{}, err)
		return reply, err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) error { return d.put(ctx, op, tx, p) })
	return DecisionReply{id}, err
}

// put stores a decision, and marks what it supersedes.
func (d *Decision) put(ctx context.Context, op *mem.Operation, tx *mem.Tx, p mem.Checked) error {
	for _, old := range d.Supersedes {
		if err := supersede(ctx, op, tx, old, p); err != nil {
			return err
		}
	}
	return tx.Put(p)
}

// begin begins the operation that stores a record, for the agent that it names or else the caller.
// The error is a *policy.PersonError where the caller is another agent.
func (b *Book) begin(verb mem.Verb, s *Scope) (*mem.Operation, error) {
	as, err := policy.Acting(b.caller, s.Agent)
	if err != nil {
		return nil, err
	}
	s.Agent = as.Agent
	return b.store.Begin(b.caller, verb, s.AllowSecrets...)
}

func (b *Book) checkDecision(ctx context.Context, op *mem.Operation, d *Decision) (
	id string, p mem.Checked, err error) {
	if err = d.check(b.caller); err != nil {
		return "", p, err
	}
	for _, ref := range d.Refs {
		if err = b.exists(ctx, ref); err != nil {
			return "", p, err
		}
	}
	return b.draftDecision(ctx, op, d)
}

// draftDecision checks the write of a decision that is checked.
func (b *Book) draftDecision(ctx context.Context, op *mem.Operation, d *Decision) (
	id string, p mem.Checked, err error) {
	if id, _, err = b.newID(decisionID, d.event, op.Now()); err != nil {
		return "", p, err
	}
	p, err = b.check(ctx, op, &d.Scope, "decision", decisions+"/"+id,
		func(o *jsontext.Object) { d.fill(o) })
	return id, p, err
}

// exists returns an error where there is nothing of an id or key.
func (b *Book) exists(ctx context.Context, ref string) error {
	if IsID(ref) {
		_, err := b.Resolve(ctx, "", ref)
		return err
	}
	key, err := keypath.Parse(ref)
	if err == nil {
		_, err = b.reads.Get(ctx, b.caller, key, true)
	}
	return err
}

// check checks the write of a record whose key is given.
func (b *Book) check(ctx context.Context, op *mem.Operation, s *Scope, kind, key string,
	fill func(*jsontext.Object)) (p mem.Checked, err error) {
	at, err := keypath.Parse(key)
	if err != nil {
		return p, err
	}
	if s.Sensitivity == "secret" {
		return p, fault.Input("sensitivity", "secret content is not stored",
			advice.Say("use it for an event"))
	}
	text, err := b.content(s, kind, fill)
	if err != nil {
		return p, err
	}
	id := key[strings.LastIndexByte(key, '/')+1:]
	source := s.source
	if source == nil {
		source = sourceOf(op, s, op.Verb().String(), id)
	}
	return op.Check(ctx, mem.Write{Key: at, Content: text, Source: source}, false)
}

func (d *Decision) fill(o *jsontext.Object) {
	o.Text("decision", d.Text)
	o.Text("status", Active)
	o.Text("scope", d.For)
	texts(o, "rationale", d.Rationale)
	texts(o, "constraints", d.Constraints)
	texts(o, "alternatives", d.Alternatives)
	texts(o, "consequences", d.Consequences)
	texts(o, "supersedes", d.Supersedes)
	d.private(o)
}

// supersede marks a decision as replaced by another, which every channel that may read the old one
// must be able to read.
func supersede(ctx context.Context, op *mem.Operation, tx *mem.Tx, id string,
	by mem.Checked) error {
	prefix, _, _, ok := splitID(id)
	if !ok || prefix != decisionID {
		return fault.Input("supersedes "+id, "want the id of a decision",
			advice.Run("ls", decisions).Then(" lists them").
				Tools("memory_query_decisions lists them"))
	}
	key, err := keypath.Parse(decisions + "/" + id)
	if err != nil {
		return err
	}
	rec, found, err := tx.Get(ctx, key)
	if err = orNotFound(id, found, err); err != nil {
		return err
	}
	if err := policy.CheckSuccessor(key, by.Key(), content.LabelOf(key, rec.Content),
		content.LabelOf(by.Key(), by.Content())); err != nil {
		return err
	}
	m := membersOf(rec.Content)
	if m.Get("superseded_by") != nil {
		by := textOf(m, "superseded_by")
		return fault.Wrap(mem.KindRefused, id, ErrSuperseded,
			advice.Shell("by "+by+": --supersedes "+by[strings.LastIndexByte(by, '/')+1:]+
				" replaces that"))
	}
	if m.Get("status") != nil {
		m = m.With("status", jsontext.AppendString(nil, Superseded))
	}
	text := m.With("superseded_by", jsontext.AppendString(nil, by.Key().String())).Object()
	p, err := op.Check(ctx, mem.Write{Key: key, Content: text, Source: rec.Source}, false)
	if err != nil {
		return err
	}
	return tx.Put(p)
}

// DecisionQuery asks for decisions.
type DecisionQuery struct {
	request.Sender
	Query   string `json:"query,omitempty" query:"q"`        // words; "": the newest come first
	Status  string `json:"status,omitempty" enum:"status"`   // "": all
	Channel string `json:"channel,omitempty" enum:"channel"` // "": private
	Limit   *int   `json:"limit,omitempty"`                  // nil: all
}

// DecisionList answers a query for decisions.
type DecisionList struct {
	Count     int       `json:"count"`
	Decisions []Decided `json:"decisions"` // never nil
}

// Decisions returns the decisions that a channel may read, newest first; with words it returns the
// matching ones, best first.
func (b *Book) Decisions(ctx context.Context, q DecisionQuery) (DecisionList, error) {
	list := DecisionList{Decisions: []Decided{}}
	if q.Status != "" && !slices.Contains(decisionStates, q.Status) {
		return list, oneOf("status", q.Status, decisionStates)
	}
	r, err := b.Read(ctx, cmp.Or(q.Channel, "private"), 0)
	if err != nil {
		return list, err
	}
	defer r.Close()
	records, err := decisionsOf(ctx, r, q.Query)
	for _, rec := range records {
		if d, ok := r.Decision(rec); ok && (q.Status == "" || d.Status == q.Status) &&
			(q.Limit == nil || list.Count < *q.Limit) {
			list.Decisions = append(list.Decisions, d)
			list.Count++
		}
	}
	return list, err
}

// mostFound is how many decisions a query finds.
const mostFound = 1_000

// decisionsOf returns the records of the ledger, superseded ones too.
func decisionsOf(ctx context.Context, r *Reader, words string) ([]log.Record, error) {
	below := keypath.MustPrefix(decisions)
	if words == "" {
		return r.All(ctx, below)
	}
	found, _, err := r.Matches(ctx, words, below, mostFound)
	var list []log.Record
	for i := 0; i < len(found) && err == nil; i++ {
		var rec log.Record
		rec, _, err = r.Get(ctx, found[i].Key)
		list = append(list, rec)
	}
	return list, err
}

// Decision returns a record as a decision; not ok for one that is sealed where there is no key.
func (b vault) Decision(rec log.Record) (d Decided, ok bool) {
	m, ok := b.open(rec.Content)
	d = Decided{Decision{Scope: scopeOf(m), Text: textOf(m, "decision"), For: textOf(m, "scope"),
		Supersedes: listOf(m, "supersedes"), Rationale: listOf(m, "rationale"),
		Constraints: listOf(m, "constraints"), Alternatives: listOf(m, "alternatives"),
		Consequences: listOf(m, "consequences")},
		IDOf(rec.Key), rec.TS, Active, textOf(m, "superseded_by")}
	if d.By != "" {
		d.Status = Superseded
		d.By = d.By[strings.LastIndexByte(d.By, '/')+1:]
	}
	return d, ok
}
