package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// What the state and the scope of a decision may be (B-20).
const (
	Active     = "active"
	Superseded = "superseded"
)

var decisionScopes = []string{"project", "user", "global"}

// Decision is a line of the ledger (B-20).
type Decision struct {
	Scope
	Text         string   `json:"decision"`
	For          string   `json:"scope,omitempty"` // project, user or global; "": project
	Supersedes   []string `json:"supersedes,omitempty"`
	Rationale    []string `json:"rationale,omitempty"`
	Constraints  []string `json:"constraints,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Consequences []string `json:"consequences,omitempty"`

	Tenant string    `json:"tenant_id,omitempty"` // for a server; not kept
	ID     string    `json:"decision_id,omitempty"`
	TS     log.Stamp `json:"ts,omitempty"`     // of what is stored
	Status string    `json:"status,omitempty"` // of what is stored
	By     string    `json:"superseded_by,omitempty"`
}

func (d *Decision) check() error {
	if d.For == "" {
		d.For = decisionScopes[0]
	}
	switch {
	case d.ID != "" || d.Status != "" || d.By != "" || d.TS != 0:
		return &inputError{"decision",
			"decision_id, ts, status and superseded_by are of one that is stored",
			advice.Say("leave them out; supersedes names what it replaces")}
	case strings.TrimSpace(d.Text) == "":
		return Missing("decision", "its text")
	case len(d.Refs) == 0:
		return noRefs
	case !slices.Contains(decisionScopes, d.For):
		return oneOf("scope", d.For, decisionScopes)
	}
	return d.Scope.Check()
}

// Decide stores a decision and returns its id; what it supersedes is active no longer, in the same
// update (B-56). What it refers to must be there. The error wraps mem.ErrInput, ErrNotFound or
// ErrSuperseded, or is as that of Record.
func (b *Book) Decide(ctx context.Context, d Decision, allow ...string) (id string, err error) {
	op, err := b.store.Begin(b.caller, "decide", allow...)
	if err != nil {
		return "", err
	}
	id, p, err := b.checkDecision(ctx, op, &d)
	if err != nil {
		op.Failed(keypath.Key{}, err)
		return "", err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) error {
		for _, old := range d.Supersedes {
			if err := supersede(ctx, op, tx, old, p); err != nil {
				return err
			}
		}
		return tx.Put(p)
	})
	return id, err
}

func (b *Book) checkDecision(ctx context.Context, op *mem.Operation, d *Decision) (
	id string, p mem.Checked, err error) {
	if err = d.check(); err != nil {
		return "", p, err
	}
	for _, ref := range d.Refs {
		if err = b.exists(ctx, ref); err != nil {
			return "", p, err
		}
	}
	if id, _, err = b.newID(decisionID, op.Now()); err != nil {
		return "", p, err
	}
	p, err = b.check(ctx, op, &d.Scope, "decision", spaces[decisionID]+id,
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
		return p, &inputError{"sensitivity", "what is secret is not stored",
			advice.Say("say it of an event")}
	}
	text, err := b.content(s, kind, fill)
	if err != nil {
		return p, err
	}
	id := key[strings.LastIndexByte(key, '/')+1:]
	source := sourceOf(op, s, op.Verb(), id)
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

// supersede marks a decision as replaced by another, of which nobody may be told less.
func supersede(ctx context.Context, op *mem.Operation, tx *mem.Tx, id string,
	by mem.Checked) error {
	prefix, _, _, ok := splitID(id)
	if !ok || prefix != decisionID {
		return &inputError{"supersedes " + id, "want the id of a decision", nil}
	}
	key, err := keypath.Parse(spaces[decisionID] + id)
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
		return &Error{id, ErrSuperseded, advice.Shell("by " + by + ": --supersedes " +
			by[strings.LastIndexByte(by, '/')+1:] + " replaces that")}
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

// Decisions returns the decisions that may be told in a channel, the newest first: with words those
// that they find, best first. status "" stands for all.
func (b *Book) Decisions(ctx context.Context, channel, words, status string, limit int) (
	list []Decision, err error) {
	if status != "" && status != Active && status != Superseded {
		return nil, oneOf("status", status, []string{Active, Superseded})
	}
	r, err := b.Read(ctx, channel, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	records, err := decisionsOf(ctx, r, words)
	for _, rec := range records {
		if d, ok := r.Decision(rec); ok && (status == "" || d.Status == status) &&
			(limit == 0 || len(list) < limit) {
			list = append(list, d)
		}
	}
	return list, err
}

// mostFound is how many decisions a query finds.
const mostFound = 1_000

// decisionsOf returns the records of the ledger, superseded ones too.
func decisionsOf(ctx context.Context, r *Reader, words string) ([]log.Record, error) {
	below, err := keypath.ParsePrefix("/decision")
	if err != nil {
		return nil, err
	}
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
func (b vault) Decision(rec log.Record) (d Decision, ok bool) {
	m, ok := b.open(rec.Content)
	d = Decision{Scope: scopeOf(m), Text: textOf(m, "decision"), For: textOf(m, "scope"),
		Supersedes: listOf(m, "supersedes"), Rationale: listOf(m, "rationale"),
		Constraints: listOf(m, "constraints"), Alternatives: listOf(m, "alternatives"),
		Consequences: listOf(m, "consequences"), TS: rec.TS, Status: Active,
		By: textOf(m, "superseded_by"), ID: IDOf(rec.Key)}
	if d.By != "" {
		d.Status = Superseded
		d.By = d.By[strings.LastIndexByte(d.By, '/')+1:]
	}
	return d, ok
}
