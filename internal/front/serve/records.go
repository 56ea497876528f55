package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// recordEvent is record_event (B-25, B-27).
func recordEvent(c *call, e *ledger.Event) (any, error) {
	if e.Agent+c.query.Get("agent_id") == "" && e.Actor.Type == "agent" && c.token != nil {
		e.Agent = e.Actor.ID // who speaks is who asks, if its token is for it
	}
	if err := c.open(e.Tenant, e.Agent, e.Session); err != nil {
		return nil, err
	}
	e.Agent = c.caller.Agent
	recorded, err := c.book().Record(c.ctx(), *e)
	if err != nil {
		return nil, err
	}
	return recorded[0], nil
}

// buildBundle is build_acb (B-32, B-33).
func buildBundle(c *call, r *bundle.Request) (any, error) {
	if err := c.open(r.Tenant, r.Agent, r.Session); err != nil {
		return nil, err
	}
	r.Agent = c.caller.Agent
	return bundle.Build(c.ctx(), c.book(), *r)
}

// DecisionRequest is a decision that is to be stored.
type DecisionRequest struct {
	ledger.Scope
	Tenant       string   `json:"tenant_id,omitempty"`
	Text         string   `json:"decision"`
	For          string   `json:"scope,omitempty"` // project, user or global; "": project
	Supersedes   []string `json:"supersedes,omitempty"`
	Rationale    []string `json:"rationale,omitempty"`
	Constraints  []string `json:"constraints,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Consequences []string `json:"consequences,omitempty"`
}

// DecisionReply is the id of a decision that is stored.
type DecisionReply struct {
	ID string `json:"decision_id"`
}

func decide(c *call, in *DecisionRequest) (any, error) {
	if err := c.open(in.Tenant, in.Agent, in.Session); err != nil {
		return nil, err
	}
	in.Agent = c.caller.Agent
	id, err := c.book().Decide(c.ctx(), ledger.Decision{Scope: in.Scope, Text: in.Text, For: in.For,
		Supersedes: in.Supersedes, Rationale: in.Rationale, Constraints: in.Constraints,
		Alternatives: in.Alternatives, Consequences: in.Consequences})
	return DecisionReply{id}, err
}

// DecisionList answers a query for decisions.
type DecisionList struct {
	Count     int               `json:"count"`
	Decisions []ledger.Decision `json:"decisions"`
}

// maxListed is how many decisions or hits one answer may have.
const maxListed = 1_000

func queryDecisions(c *call) (any, error) {
	limit, err := c.number("limit", 100, maxListed)
	if err != nil {
		return nil, err
	}
	if err := c.openQuery(); err != nil {
		return nil, err
	}
	list, err := c.book().Decisions(c.ctx(), c.channel(), c.query.Get("q"),
		c.query.Get("status"), limit)
	return DecisionList{len(list), append([]ledger.Decision{}, list...)}, err
}

// channel returns in which channel an answer is told: private, unless the request says so.
func (c *call) channel() string {
	if name := c.query.Get("channel"); name != "" {
		return name
	}
	return "private"
}

// TaskRequest is a task that is to be stored, or what is to be changed of one.
type TaskRequest struct {
	ledger.Scope
	Tenant  string `json:"tenant_id,omitempty"`
	ID      string `json:"task_id,omitempty"`
	Title   string `json:"title,omitempty"`
	Status  string `json:"status,omitempty"` // open, doing or done; "": open, or as it was
	Details string `json:"details,omitempty"`
}

// TaskReply is the id of a task that is stored.
type TaskReply struct {
	ID string `json:"task_id"`
}

func putTask(c *call, in *TaskRequest) (any, error) {
	if err := c.open(in.Tenant, in.Agent, in.Session); err != nil {
		return nil, err
	}
	if in.ID != "" {
		c.status = http.StatusOK
	} else {
		in.Agent = c.caller.Agent
	}
	id, err := c.book().PutTask(c.ctx(), ledger.Task{Scope: in.Scope, ID: in.ID, Title: in.Title,
		Status: in.Status, Details: in.Details})
	return TaskReply{id}, err
}

// HandoffReply is the key of a handoff that is stored.
type HandoffReply struct {
	Key keypath.Key `json:"key"`
}

func putHandoff(c *call, h *ledger.Handoff) (any, error) {
	if err := c.open(h.Tenant, h.Agent, h.Session); err != nil {
		return nil, err
	}
	h.Agent = c.caller.Agent
	key, err := c.book().PutHandoff(c.ctx(), *h)
	return HandoffReply{key}, err
}

// NoteRequest is a note that is to be stored.
type NoteRequest struct {
	Tenant string   `json:"tenant_id,omitempty"`
	Agent  string   `json:"agent_id,omitempty"`
	Text   string   `json:"text"`
	Tags   []string `json:"tags,omitempty"`
	Scope  string   `json:"scope,omitempty"` // user, workspace or session; "": workspace
	Pin    bool     `json:"pin,omitempty"`   // told at every start
	// Replaces names the memories whose place the note takes, by key or id.
	Replaces []string `json:"replaces,omitempty"`
}

func addNote(c *call, in *NoteRequest) (any, error) {
	if err := c.open(in.Tenant, in.Agent, ""); err != nil {
		return nil, err
	}
	o := note.Options{Tags: in.Tags, Scope: in.Scope, Pinned: in.Pin,
		Supersede: edit.Superseding(edit.Author{})}
	for _, name := range in.Replaces {
		key, err := note.Resolve(c.ctx(), c.store(), c.caller, name)
		if err != nil {
			return nil, err
		}
		o.Replaces = append(o.Replaces, key)
	}
	added, err := note.Add(c.ctx(), c.store(), c.caller, in.Text, o)
	if err != nil {
		return nil, err
	}
	return added.Reply(o, ""), nil
}

// Chunk is the text of a part of an event.
type Chunk struct {
	ID    string      `json:"chunk_id"`
	Event keypath.Key `json:"event"` // its key
	Text  string      `json:"text"`
}

func getChunk(c *call) (any, error) {
	if err := c.openQuery(); err != nil {
		return nil, err
	}
	id := c.r.PathValue("id")
	if !ledger.IsChunk(id) {
		return nil, &inputError{fmt.Sprintf("id %.80q", id), "want one like chk_01J...", nil}
	}
	n, err := c.book().Resolve(c.ctx(), c.channel(), id)
	return Chunk{id, n.Record.Key, n.Text}, err
}

func addArtifact(c *call) (any, error) {
	if err := c.openQuery(); err != nil {
		return nil, err
	}
	a := ledger.Artifact{Kind: c.query.Get("kind"), Scope: ledger.Scope{
		Session: c.query.Get("session_id"), Agent: c.caller.Agent, Channel: c.query.Get("channel"),
		Sensitivity: c.query.Get("sensitivity"), Refs: c.query["ref"],
	}}
	body := &sentBody{r: http.MaxBytesReader(c.w, c.r.Body, ledger.MaxArtifact)}
	kept, err := c.book().AddArtifact(c.ctx(), a, body)
	if body.err != nil {
		err = bodyError(body.err)
	}
	return kept, err
}

// sentBody is a body that is read elsewhere, and why it broke off.
type sentBody struct {
	r   io.Reader
	err error
}

func (s *sentBody) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

func getArtifact(c *call) (any, error) {
	if err := c.openQuery(); err != nil {
		return nil, err
	}
	id := c.r.PathValue("id")
	r, err := c.book().OpenArtifact(c.ctx(), c.channel(), id)
	if err != nil {
		return nil, err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", id))
	_, err = io.Copy(c.w, r)
	if err = errors.Join(err, r.Close()); err != nil && c.w.status != 0 {
		c.w.err = err
		panic(http.ErrAbortHandler) // what was sent must not look whole
	}
	return nil, err
}
