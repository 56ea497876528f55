package ledger

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
)

// bring adds to a draft the decision or the task of its event, without what may be secret. An event
// that names none is only an event, and none is refused for a secret.
func (b *Book) bring(ctx context.Context, op *mem.Operation, d *draft, e *Event,
	clean cleanEvent) (err error) {
	if e.Sensitivity == "secret" || e.Kind != "decision" && e.Kind != "task_update" {
		return nil
	}
	scope, m := *e.scope(), membersOf(clean.content)
	scope.Agent, scope.Refs = clean.agent, []string{d.answer.Event}
	scope.source, scope.event = e.source(op, d.answer.Event, clean), uniqueOf(d.key)
	text := cmp.Or(textOf(m, "text"), jsontext.TextOr(clean.content, ""))
	switch e.Kind {
	case "decision":
		err = b.bringDecision(ctx, op, d, scope, m, text)
	case "task_update":
		err = b.bringTask(ctx, op, d, scope, m, text)
	}
	if errors.Is(err, policy.ErrSecret) {
		return nil
	}
	return err
}

func (b *Book) bringDecision(ctx context.Context, op *mem.Operation, d *draft, scope Scope,
	m jsontext.MemberList, text string) error {
	one := Decision{Scope: scope, Text: cmp.Or(textOf(m, "decision"), text),
		For: textOf(m, "scope"), Supersedes: textsOf(m, "supersedes"),
		Rationale: textsOf(m, "rationale"), Constraints: textsOf(m, "constraints"),
		Alternatives: textsOf(m, "alternatives"), Consequences: textsOf(m, "consequences")}
	if strings.TrimSpace(one.Text) == "" || jsontext.TextOr(m.Get("status"), Active) != Active {
		return nil
	}
	if err := one.check(b.caller); err != nil {
		return err
	}
	id, p, err := b.draftDecision(ctx, op, &one)
	if err != nil {
		return err
	}
	d.answer.Decision = id
	d.along = func(tx *mem.Tx) error { return one.put(ctx, op, tx, p) }
	return nil
}

// bringTask adds a task to a draft, or a change of one that is stored. Every channel that can read
// the stored task must be able to read the event too.
func (b *Book) bringTask(ctx context.Context, op *mem.Operation, d *draft, scope Scope,
	m jsontext.MemberList, text string) (err error) {
	t := Task{Scope: scope, ID: textOf(m, "task_id"), Title: textOf(m, "title"),
		Status: textOf(m, "status"), Details: textOf(m, "details")}
	isNew := t.ID == ""
	if isNew {
		t.Title = cmp.Or(t.Title, text)
	}
	if isNew && strings.TrimSpace(t.Title) == "" {
		return nil
	}
	if err = t.check(); err != nil {
		return err
	}
	if isNew {
		t.ID, _, err = b.newID(taskID, scope.event, op.Now())
	} else if t.Scope = (Scope{Refs: scope.Refs, source: scope.source}); scope.IsSealed() {
		t.Sensitivity = scope.Sensitivity
	}
	event := d.writes[len(d.writes)-1]
	d.answer.Task = t.ID
	d.along = func(tx *mem.Tx) error {
		p, err := b.draftTask(ctx, op, tx, t, isNew)
		if err == nil {
			err = policy.CheckSuccessor(p.Key(), event.Key(),
				content.LabelOf(p.Key(), p.Content()),
				content.LabelOf(event.Key(), event.Content()))
		}
		if errors.Is(err, policy.ErrSecret) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.Put(p)
	}
	return err
}

func textsOf(m jsontext.MemberList, name string) []string {
	if one := textOf(m, name); one != "" {
		return []string{one}
	}
	return slices.DeleteFunc(listOf(m, name), func(s string) bool { return s == "" })
}
