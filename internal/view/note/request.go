package note

import (
	"encoding/json"

	"github.com/set-memory/mem/internal/view/request"
)

// Request asks for a short fact to be noted down; see edit.Note.
type Request struct {
	request.Sender
	Text       string      `json:"text" min:"1" max:"500"` // characters, see policy.MaxNote
	Tags       []string    `json:"tags,omitempty" max:"5"` // see policy.MaxNoteTags
	Scope      string      `json:"scope,omitempty" enum:"note"`
	Pin        bool        `json:"pin,omitempty"`                 // it is injected at every start
	Importance json.Number `json:"importance,omitempty" tool:"-"` // from 0 to 10, see mem set
	Replaces   []string    `json:"replaces,omitempty"`            // ids or keys of what it corrects

	// Files are the files that it is about: paths, folders or patterns, see package moved.
	Files []string `json:"files,omitempty" max:"4"`
	// Dir is the working directory of a caller on this machine; "" for another one.
	Dir string `json:"-"`

	// Propose asks the user for the text in the place of a rule, see package proposal.
	Propose bool `json:"propose,omitempty"`

	// Source returns the source of the note by its scope; nil: as in Options.
	Source func(scope string) []byte `json:"-"`
	// Editor is the source of what marks the replaced memories; nil: the caller.
	Editor       []byte   `json:"-"`
	AllowSecrets []string `json:"-"` // as in mem.SetOptions
}

// Options returns the options of the note, without what it replaces. The error wraps mem.ErrInput.
func (r *Request) Options() (Options, error) {
	o := Options{Tags: r.Tags, Scope: r.Scope, Pinned: r.Pin, AllowSecrets: r.AllowSecrets}
	if r.Importance == "" {
		return o, nil
	}
	o.Importance = []byte(r.Importance)
	var value float64
	if err := json.Unmarshal(o.Importance, &value); err != nil || value < 0 || value > 10 {
		return o, &request.Error{Member: "importance", Value: r.Importance.String(),
			Why: "want a number from 0 to 10"}
	}
	return o, nil
}
