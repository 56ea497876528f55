package hook

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"path/filepath"

	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/readout"
)

// Server answers the events of a project from its memory behind a server. It ends with the context.
type Server func(context.Context, Forwarded) Part

// Forwarded is an event for a server.
type Forwarded struct {
	Event   []byte // JSON, which readEvent reads there
	IsStart bool   // a conversation begins, or goes on
	Resumes bool   // it goes on, and has some of the answer already
}

// Part is the answer of a server, of which a model reads what inject.Frame makes of it.
type Part struct {
	Sent   inject.Sent
	Before string // a line before it, never of the server's own words; "" for none
	Said   string // to the person, without "mem: "; likewise
	Missed string // why there is none, or not one of now
	Rules  bool   // a person here has let in the rules of that server's team
	block  inject.Injection
}

// form is the form of the answers of servers.
const form = 1

type sent struct {
	Mem struct {
		V int `json:"v"`
		inject.Sent
	} `json:"mem"`
}

// sentAnswer returns an injection as the hook of a server prints it; nothing if it is empty.
func sentAnswer(in inject.Injection) ([]byte, error) {
	var doc sent
	if doc.Mem.V, doc.Mem.Sent = form, in.Sent(); doc.Mem.Empty() {
		return nil, nil
	}
	text, err := json.Marshal(doc)
	return append(text, '\n'), err
}

var errForm = errors.New("its answers to hooks are of another form than this mem reads, and are " +
	"left out; mem version and that of memd differ")

// PartOf returns the answer that the hook of a server has printed.
func PartOf(answer []byte) (p Part, err error) {
	var doc sent
	if len(answer) == 0 {
		return p, nil
	}
	if json.Unmarshal(answer, &doc) != nil || doc.Mem.V != form {
		return p, errForm
	}
	return Part{Sent: doc.Mem.Sent}, nil
}

// recordPart records what a server has injected, on a line of its own: the conversation has it,
// and the server keeps the record that counts.
func (r *run) recordPart(missed string, part inject.Injection) {
	in := r.missed
	if in.Claim, in.Missed, in.Tokens = "", missed, part.Tokens; part.Start != nil {
		in.Memories = append(in.Memories, part.Start.Memories...)
		in.Tokens += part.Start.Tokens
	}
	in.Memories = append(in.Memories, part.Memories...)
	if !r.view.Unrecorded && len(in.Memories) > 0 {
		inject.Record(r.view.Store, in)
	}
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
func (e event) forwarded(names []string, room int, taught bool) ([]byte, error) {
	return json.Marshal(event{Session: e.Session, Name: e.Name,
		Prompt: text(inject.QueryText(e.message())), Source: e.Source, SubAgent: e.SubAgent,
		Tool: e.Tool, Away: &away{Files: names, Room: room, Taught: taught}})
}

// names returns the names of an event's files in the project.
func (e event) names(view *View) (list []string) {
	for _, file := range e.files() {
		list = append(list, inject.NamesWithin(e.root(view), file)...)
	}
	return list
}

// nowhere is the folder of a project on another machine: no path of this one has a zero byte.
const nowhere = "/\x00"

// root returns the folder of the project, without one the working directory: the names that a
// server gets are those below it.
func (e event) root(view *View) string {
	switch {
	case e.Away != nil:
		return nowhere
	case view.Root == "" && view.Server != nil:
		dir, _ := filepath.EvalSymlinks(string(e.Dir)) // what cannot be read has no files
		return dir
	}
	return view.Root
}

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

// room returns the size of the greatest block for an event; a server has a third.
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

// askServer returns the answer of the server of a view, if it has one, with the block of it.
func (r *run) askServer(ctx context.Context, in *inject.Injection) (p Part) {
	e, view := r.event, r.view
	names := e.names(view)
	if view.Server == nil || inject.IsOff(ctx, view.Store, in.Trigger) ||
		in.Trigger == inject.AtEdit && len(names) == 0 {
		return p
	}
	unit := unitOf(r.Client)
	room := maxAnswer - unit(in.Text)
	doc, err := e.forwarded(names, room, in.Text != "")
	if err != nil {
		return Part{Missed: err.Error()}
	}
	asked, cancel := context.WithTimeout(ctx, partOf(ctx, 3./4))
	defer cancel()
	p = view.Server(asked, Forwarded{doc, in.Trigger == inject.AtStart, e.Source == resume})
	o := inject.Options{Trigger: in.Trigger, Project: view.Project, Zone: r.Zone,
		TeamRules: p.Rules && view.Project != "",
		Block: readout.Block{Teach: in.Trigger == inject.AtStart && in.Text == "",
			Most: room - unit(p.Before), Unit: unit}}
	if r.Keeps {
		o.Agent = r.Agent
	}
	if p.block = inject.Frame(ctx, view.Store, o, p.Sent); p.block.Text != "" {
		p.block.Text = p.Before + p.block.Text
	} else if !p.Sent.Empty() {
		p.Missed = "nothing that the server has sent can be shown, or has room"
	}
	if p.Missed != "" {
		markMissed(in, p.Missed)
	}
	return p
}
