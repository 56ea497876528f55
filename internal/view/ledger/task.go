package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var statuses = []string{"open", "doing", "done"}

// Task is something to be done.
type Task struct {
	Scope
	ID      string `json:"task_id,omitempty"` // of a stored task, which is changed
	Title   string `json:"title,omitempty"`
	Status  string `json:"status,omitempty" enum:"task"` // "": open, or as it was
	Details string `json:"details,omitempty"`

	TS log.Stamp `json:"-"` // of a stored task
}

// Key returns a key in the store that takes the task: its own if it is stored.
func (t *Task) Key() string {
	if t.ID != "" {
		return tasks + "/" + t.ID
	}
	return tasks
}

// TaskReply names a task that was stored.
type TaskReply struct {
	ID string `json:"task_id"`
}

// PutTask stores a task, or with an id changes the given members of the stored one. The error wraps
// mem.ErrInput or ErrNotFound, or is as that of Record.
func (b *Book) PutTask(ctx context.Context, t Task) (reply TaskReply, err error) {
	isNew, agent := t.ID == "", t.Agent
	op, err := b.begin(policy.Task, &t.Scope)
	if err != nil {
		return reply, err
	}
	if err = t.check(); err != nil {
		op.Failed(keypath.Key{}, err)
		return reply, err
	}
	if !isNew {
		t.Agent = agent // a change leaves the agent as it was
	} else if t.ID, _, err = b.newID(taskID, "", op.Now()); err != nil {
		return reply, err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) error {
		p, err := b.draftTask(ctx, op, tx, t, isNew)
		if err != nil {
			return err
		}
		return tx.Put(p)
	})
	return TaskReply{t.ID}, err
}

// draftTask checks the write of a task; one that is stored keeps what t leaves out.
func (b *Book) draftTask(ctx context.Context, op *mem.Operation, tx *mem.Tx, t Task, isNew bool) (
	p mem.Checked, err error) {
	if !isNew {
		if err = b.complete(ctx, tx, &t); err != nil {
			return p, err
		}
	}
	return b.check(ctx, op, &t.Scope, "task", tasks+"/"+t.ID, t.fill)
}

func (t *Task) check() error {
	if prefix, _, _, ok := splitID(t.ID); t.ID != "" && (!ok || prefix != taskID) {
		return BadInput("task_id", t.ID, "want an id like task_01J...")
	}
	switch {
	case t.ID == "" && strings.TrimSpace(t.Title) == "":
		return Missing("title", "its text")
	case t.Status != "" && !slices.Contains(statuses, t.Status):
		return oneOf("status", t.Status, statuses)
	case t.ID == "" && t.Status == "":
		t.Status = statuses[0]
	}
	return t.Scope.Check()
}

// complete fills in the members that a change of a task omits from the stored task.
func (b vault) complete(ctx context.Context, tx *mem.Tx, t *Task) error {
	key, err := keypath.Parse(tasks + "/" + t.ID)
	if err != nil {
		return err
	}
	rec, found, err := tx.Get(ctx, key)
	if err = orNotFound(t.ID, found, err); err != nil {
		return err
	}
	old, ok := b.Task(rec)
	if !ok {
		return noKey()
	}
	for _, one := range [...][2]*string{{&t.Title, &old.Title}, {&t.Status, &old.Status},
		{&t.Details, &old.Details}, {&t.Session, &old.Session}, {&t.Agent, &old.Agent},
		{&t.Channel, &old.Channel}, {&t.Sensitivity, &old.Sensitivity}} {
		if *one[0] == "" {
			*one[0] = *one[1]
		}
	}
	if t.Refs == nil || t.source != nil {
		t.Refs = slices.Concat(old.Refs, t.Refs) // an event adds itself
	}
	return nil
}

// OpenImportance is the least importance, in 0..1, of a task that is not done. A done task has
// less. So a reader finds the open tasks without a look at all done ones, and reads show done tasks
// last.
const (
	OpenImportance = 0.2

	doneImportance = "0.1"
)

func (t *Task) fill(o *jsontext.Object) {
	o.Text("title", t.Title)
	o.Text("status", t.Status)
	if t.Status == "done" && !t.IsSealed() {
		o.Raw("importance", []byte(doneImportance))
	}
	o.TextUnlessEmpty("details", t.Details)
	t.private(o)
}

// Task returns a record as a task; not ok for one that is sealed where there is no key.
func (b vault) Task(rec log.Record) (t Task, ok bool) {
	m, ok := b.open(rec.Content)
	return Task{Scope: scopeOf(m), Title: textOf(m, "title"), Status: textOf(m, "status"),
		Details: textOf(m, "details"), ID: IDOf(rec.Key), TS: rec.TS}, ok
}

// Handoff is a message from one agent to another that goes on with a session.
type Handoff struct {
	Scope `require:"session_id"`
	To    string `json:"to"` // the agent
	Text  string `json:"text"`
}

// HandoffReply is the key of a handoff that was stored.
type HandoffReply struct {
	Key keypath.Key `json:"key"`
}

// PutHandoff stores a handoff in place of the last one to the same agent in the session. The error
// wraps mem.ErrInput, or is as that of Record.
func (b *Book) PutHandoff(ctx context.Context, h Handoff) (reply HandoffReply, err error) {
	op, err := b.begin(policy.Handoff, &h.Scope)
	if err != nil {
		return reply, err
	}
	p, err := b.checkHandoff(ctx, op, &h)
	if err != nil {
		op.Failed(keypath.Key{}, err)
		return reply, err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p) })
	return HandoffReply{p.Key()}, err
}

func (b *Book) checkHandoff(ctx context.Context, op *mem.Operation, h *Handoff) (
	p mem.Checked, err error) {
	switch {
	case h.Session == "":
		return p, Missing("session_id", "--session")
	case h.To == "":
		return p, Missing("to", "--to")
	case !IsAgent(h.To):
		return p, BadInput("to", h.To, "want 1 to 64 letters, digits and _ . @ -")
	case strings.TrimSpace(h.Text) == "":
		return p, Missing("text", "its text")
	}
	if err = h.Scope.Check(); err != nil {
		return p, err
	}
	if b.project != "" && h.Scope.source == nil {
		source := sourceOf(op, &h.Scope, op.Verb().String(), h.To)
		h.Scope.source = policy.OfProject(source, b.project)
	}
	return b.check(ctx, op, &h.Scope, "handoff", keypath.Handoffs+"/"+h.Session+"/"+h.To,
		func(o *jsontext.Object) {
			o.Text("text", h.Text)
			h.private(o)
		})
}
