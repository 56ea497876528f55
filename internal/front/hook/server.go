package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"path/filepath"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// Server answers the events of a project from its memory behind a server. It ends with the context.
type Server func(context.Context, Forwarded) Part

// Forwarded is an event for a server.
type Forwarded struct {
	Event   []byte // JSON, which readEvent reads there
	IsStart bool   // a conversation begins, or goes on
	Resumes bool   // it goes on, and has some of the answer already
	// Fits reports whether there is room for a text.
	Fits func(text string) bool
}

// Part is the answer of a server.
type Part struct {
	Text   string
	Said   string // to the person, without "mem: "; never of the server's own words
	Missed string // why there is none, or not one of now
	given
}

// given is what a server has injected, for the record of the client's machine.
type given struct {
	Memories []inject.Injected `json:"memories"`
	Tokens   int               `json:"tokens"`
}

// maxGiven is how many memories of a server's answer are recorded.
const maxGiven = 100

// withGiven adds to an answer what it holds.
func withGiven(answer []byte, in inject.Injection) ([]byte, error) {
	if len(answer) == 0 {
		return answer, nil
	}
	g := given{in.Memories, in.Tokens}
	if in.Start != nil {
		g = given{append(in.Start.Memories, in.Memories...), in.Tokens}
	}
	doc, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	return append(append(append(bytes.TrimSuffix(answer, []byte("}\n")), `,"mem":`...), doc...),
		"}\n"...), nil
}

// recordPart records what a server has injected, on a line of its own: the conversation has it,
// and the server keeps the record that counts.
func (r *run) recordPart(view *View, in inject.Injection, missed string, p Part) {
	if view.Unrecorded || len(p.Memories) == 0 {
		return
	}
	in.Claim, in.Missed, in.Tokens = "", missed, min(max(p.Tokens, 0), maxAnswer)
	for _, m := range p.Memories[:min(len(p.Memories), maxGiven)] {
		if key, err := keypath.Parse(m.Key); err == nil && policy.CheckTeam(key) == nil {
			in.Memories = append(in.Memories, inject.Injected{Key: key.String(), TS: m.TS,
				Layer: site.Project})
		}
	}
	inject.Record(view.Store, in)
}

// errFence is returned for an answer that would speak to a model outside of a block.
var errFence = errors.New("the answer has more than memories")

// PartOf returns the answer that the hook of a server has printed. A model reads nothing of it but
// whole blocks, which say that they are data.
func PartOf(answer []byte) (p Part, err error) {
	if len(answer) == 0 {
		return p, nil
	}
	var doc struct {
		Output struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
		Given given `json:"mem"`
	}
	if err = json.Unmarshal(answer, &doc); err == nil && !readout.IsFenced(doc.Output.Context) {
		err = errFence
	}
	if err != nil {
		return p, err
	}
	return Part{Text: doc.Output.Context, given: doc.Given}, nil
}

// away is what the hook of another machine adds to an event.
type away struct {
	Files []string `json:"files,omitempty"` // by their names in the project, with slashes
	Room  int      `json:"room"`
	// Taught is whether another part of the answer says how to find and keep more.
	Taught bool `json:"taught,omitempty"`
}

// forwarded returns an event for a server: without paths of this machine but those in the project,
// and without what tools have got and answered.
func (e event) forwarded(root string, room int, taught bool) ([]byte, error) {
	out := event{Session: e.Session, Name: e.Name, Prompt: text(inject.QueryText(e.message())),
		Source: e.Source, Agent: e.Agent, Tool: e.Tool, Away: &away{Room: room, Taught: taught}}
	for _, file := range e.files() {
		if name, ok := site.PathWithin(root, file); ok && root != "" {
			out.Away.Files = append(out.Away.Files, filepath.ToSlash(name))
		}
	}
	return json.Marshal(out)
}

// nowhere is the folder of a project on another machine: no path of this one has a zero byte.
const nowhere = "/\x00"

// stay takes from an event of another machine all that could name a file of this one.
func (e *event) stay() {
	e.Dir, e.Input, e.Transcript = nowhere, edit{}, ""
	if e.Away == nil {
		e.Away = &away{}
	}
	e.Away.Room = min(max(e.Away.Room, 0), maxAnswer)
}

// awayFiles returns the files of an event of another machine.
func (e event) awayFiles() (list []string) {
	for _, name := range e.Away.Files[:min(len(e.Away.Files), inject.MaxEdited)] {
		if filepath.IsLocal(name) {
			list = append(list, path.Join(nowhere, name))
		}
	}
	return list
}

// room returns the size of the greatest block for an event. One that a server answers too leaves it
// a third.
func (e event) room(view *View) int {
	switch {
	case e.Away != nil:
		return e.Away.Room
	case view.Server != nil:
		return maxAnswer * 2 / 3
	}
	return maxAnswer
}

// isTaught reports whether another part of the answer says how to find and keep more.
func (e event) isTaught() bool { return e.Away != nil && e.Away.Taught }

// ask returns the answer of the server of a view, if it has one.
func (r *run) ask(ctx context.Context, e event, view *View, in *inject.Injection) (p Part) {
	if view.Server == nil {
		return p
	}
	room := maxAnswer - unitOf(r.Client)(in.Text)
	doc, err := e.forwarded(view.Root, room, in.Text != "")
	if err != nil {
		return Part{Missed: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, remaining(ctx)*3/4)
	defer cancel()
	fits := func(text string) bool { return unitOf(r.Client)(text) <= room }
	p = view.Server(ctx, Forwarded{doc, in.Trigger == inject.AtStart, e.Source == resume, fits})
	if !fits(p.Text) {
		p.Text, p.given, p.Missed = "", given{}, "there is no room for the answer of the server"
	}
	if p.Missed != "" {
		markMissed(in, p.Missed)
	}
	return p
}
