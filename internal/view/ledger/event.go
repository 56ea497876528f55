package ledger

import (
	"encoding/json"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Event is what happened, as it is recorded.
type Event struct {
	Tenant      string          `json:"tenant_id,omitempty" tool:"-"` // for a server; not kept
	Session     string          `json:"session_id"`
	Agent       string          `json:"agent_id,omitempty"`               // "": the caller
	Channel     string          `json:"channel,omitempty" enum:"channel"` // "": private
	Actor       Actor           `json:"actor"`
	Kind        string          `json:"kind" enum:"kind"`
	Sensitivity string          `json:"sensitivity,omitempty" enum:"sensitivity"` // "": none
	Tags        []string        `json:"tags,omitempty"`
	Content     json.RawMessage `json:"content"`               // any JSON but null
	Refs        []string        `json:"refs,omitempty"`        // ids or keys it rests on
	At          *log.Stamp      `json:"at,omitempty" tool:"-"` // when it happened; nil: now
	// ID is evt_ and a ULID that the sender has made, so that it may send the event again. "": the
	// store makes one.
	ID string `json:"event_id,omitempty" tool:"-"`
}

// Actor is the person, agent or tool of an event.
type Actor struct {
	Type string `json:"type" enum:"actor"`
	ID   string `json:"id"`
}

// From returns whom a request is from.
func (e *Event) From() request.Origin {
	return request.Origin{Tenant: e.Tenant, Session: e.Session, Agent: e.Agent}
}

// What an event may be of.
var (
	actorTypes = []string{"human", "agent", "tool"}
	kinds      = []string{"message", "tool_call", "tool_result", "decision", "task_update",
		"artifact"}
)

// Values returns the values of a member of a request by the name in its enum tag; none for another
// name.
func Values(enum string) []string {
	return map[string][]string{"actor": actorTypes, "kind": kinds, "status": decisionStates,
		"decided for": decisionScopes, "task": statuses, "artifact": artifactKinds}[enum]
}

// Check checks an event, and sets what it leaves out. The error wraps mem.ErrInput.
func (e *Event) Check() error {
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
		return noRefs()
	case e.ID != "" && !isEvent(e.ID):
		return BadInput("event_id", e.ID, "want evt_ and a ULID, like evt_01J...")
	}
	return e.scope().Check()
}

// Scope holds the members that all records of a bundle have: where a record comes from, and which
// channels may read it.
type Scope struct {
	Tenant      string `json:"tenant_id,omitempty" tool:"-"` // for a server; not kept
	Session     string `json:"session_id,omitempty" tool:"-"`
	Agent       string `json:"agent_id,omitempty" tool:"-"` // "": the caller
	Channel     string `json:"channel,omitempty" enum:"channel"`
	Sensitivity string `json:"sensitivity,omitempty" tool:"-" enum:"sensitivity"` // "": none
	// Refs are the ids or keys of what it rests on.
	Refs []string `json:"refs,omitempty" query:"ref"`

	AllowSecrets []string `json:"-"` // as in mem.SetOptions

	source []byte // that of the event that brings it; nil: the caller's
	event  string // the ULID of the event that brings it; "": none does
}

// From returns whom a request is from.
func (s *Scope) From() request.Origin {
	return request.Origin{Tenant: s.Tenant, Session: s.Session, Agent: s.Agent}
}

// Check checks a scope. The error wraps mem.ErrInput.
func (s *Scope) Check() error {
	switch {
	case s.Session != "" && !keypath.IsEventSession(s.Session):
		return BadInput("session_id", s.Session,
			"want 1 to 200 bytes that are valid in a key, without a slash")
	case s.Agent != "" && !IsAgent(s.Agent):
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

// IsSealed reports whether records of this sensitivity are stored sealed.
func (s *Scope) IsSealed() bool { return s.Sensitivity == "high" }

// public appends what of a record is never sealed, and is what it is found by.
func (s *Scope) public(o *jsontext.Object, kind string) {
	o.Text("type", kind)
	o.TextUnlessEmpty("session_id", s.Session)
	o.TextUnlessEmpty("channel", s.Channel)
	o.TextUnlessEmpty("sensitivity", s.Sensitivity)
}

// private appends the members that are sealed where the sensitivity asks for it.
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
