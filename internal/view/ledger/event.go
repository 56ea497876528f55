package ledger

import (
	"encoding/json"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// Event is what happened, as it is recorded (B-25).
type Event struct {
	Tenant      string          `json:"tenant_id,omitempty"` // for a server; not kept
	Session     string          `json:"session_id"`
	Agent       string          `json:"agent_id,omitempty"`
	Channel     string          `json:"channel,omitempty"` // "": private
	Actor       Actor           `json:"actor"`
	Kind        string          `json:"kind"`
	Sensitivity string          `json:"sensitivity,omitempty"` // "": none
	Tags        []string        `json:"tags,omitempty"`
	Content     json.RawMessage `json:"content"` // any JSON but null
	Refs        []string        `json:"refs,omitempty"`
}

// Actor is who did it (B-16).
type Actor struct {
	Type string `json:"type"` // human, agent or tool
	ID   string `json:"id"`
}

// What an event may be of (B-16).
var (
	actorTypes = []string{"human", "agent", "tool"}
	kinds      = []string{"message", "tool_call", "tool_result", "decision", "task_update",
		"artifact"}
)

// Kinds returns the kinds of events.
func Kinds() []string { return slices.Clone(kinds) }

// Check checks an event, and sets what it leaves out. The error wraps mem.ErrInput.
func (e *Event) Check() error {
	scope := Scope{Session: e.Session, Agent: e.Agent, Channel: e.Channel,
		Sensitivity: e.Sensitivity, Refs: e.Refs}
	if e.Channel == "" {
		e.Channel = "private"
	}
	if e.Sensitivity == "" {
		e.Sensitivity = "none"
	}
	switch {
	case e.Session == "":
		return Missing("session_id", "--session")
	case e.Kind == "":
		return Missing("kind", "--kind")
	case !slices.Contains(kinds, e.Kind):
		return oneOf("kind", e.Kind, kinds)
	case e.Actor.Type == "" || e.Actor.ID == "":
		return Missing("actor", "--actor TYPE:ID")
	case !slices.Contains(actorTypes, e.Actor.Type):
		return oneOf("actor.type", e.Actor.Type, actorTypes)
	case len(e.Content) == 0 || string(e.Content) == "null":
		return Missing("content", "--text")
	case e.Kind == "decision" && len(e.Refs) == 0:
		return noRefs
	}
	return scope.Check()
}

// Scope is what the records of a bundle have in common: where they come from, and who may be told.
type Scope struct {
	Session     string   `json:"session_id,omitempty"`
	Agent       string   `json:"agent_id,omitempty"`
	Channel     string   `json:"channel,omitempty"`     // "": none is named
	Sensitivity string   `json:"sensitivity,omitempty"` // "": none
	Refs        []string `json:"refs,omitempty"`        // ids, or keys, of what it rests on
}

// Check checks a scope. The error wraps mem.ErrInput.
func (s *Scope) Check() error {
	switch {
	case s.Session != "" && !keypath.IsSessionID(s.Session):
		return BadInput("session_id", s.Session, "want 1 to 64 letters, digits and _")
	case s.Agent != "" && !isAgent(s.Agent):
		return BadInput("agent_id", s.Agent, "want 1 to 64 letters, digits and _ . @ -")
	case s.Channel != "" && !slices.Contains(content.Channels(), s.Channel):
		return oneOf("channel", s.Channel, content.Channels())
	case s.Sensitivity != "" && !slices.Contains(content.Sensitivities(), s.Sensitivity):
		return oneOf("sensitivity", s.Sensitivity, content.Sensitivities())
	}
	for _, ref := range s.Refs {
		if err := checkRef(ref); err != nil {
			return err
		}
	}
	return nil
}

// IsSealed reports whether what has this sensitivity is stored sealed.
func (s *Scope) IsSealed() bool { return s.Sensitivity == "high" }

// public appends what of a record is never sealed, and is what it is found by.
func (s *Scope) public(o *jsontext.Object, kind string) {
	o.Text("type", kind)
	o.TextUnlessEmpty("session_id", s.Session)
	o.TextUnlessEmpty("channel", s.Channel)
	o.TextUnlessEmpty("sensitivity", s.Sensitivity)
}

// private appends what is sealed where the sensitivity asks for it.
func (s *Scope) private(o *jsontext.Object) {
	o.TextUnlessEmpty("agent_id", s.Agent)
	texts(o, "refs", s.Refs)
}

// texts appends a list, unless it is empty.
func texts(o *jsontext.Object, name string, list []string) {
	if len(list) > 0 {
		o.Raw(name, jsontext.AppendStrings(nil, list))
	}
}
