package session

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
)

// part is one part of an export: the metadata of a session, one of its entries, or what is wrong in
// their place.
type part struct {
	line     int    // of a text of lines, from 1; else 0
	at       string // like sessions[0].entries[3]; "" for what is a line
	metadata bool
	object   []byte // compact
	err      error
}

// maxDepth is how deep an export may be nested: {"sessions":[{"entries":[{"content": around what a
// content may have.
const maxDepth = jsontext.MaxDepth + 5

// eachPart calls fn for every part of an export in one of its three shapes: a session,
// {"sessions"}, or lines; in whatever way it is indented. The error is that of a text of which no
// line is an object.
func eachPart(text []byte, fn func(part)) error {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) == 0 {
		return nil
	}
	r := &parts{fn: fn}
	object, err := asObject(text)
	if err == nil {
		r.top(part{}, object)
		return nil
	}
	if !r.lines(text, false) {
		return err
	}
	r.lines(text, true)
	return nil
}

// asObject returns an object in compact form.
func asObject(text []byte) ([]byte, error) {
	object, err := jsontext.CompactDepth(nil, text, maxDepth)
	if err == nil && object[0] != '{' {
		err = fmt.Errorf("%w: want an object", mem.ErrInput)
	}
	return object, err
}

// parts goes through an export.
type parts struct{ fn func(part) }

// lines goes through the lines of a text, and reports whether one is an object. Unless all is set
// it calls nothing, and ends with the first that is.
func (r *parts) lines(text []byte, all bool) (found bool) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		object, err := asObject(line)
		switch {
		case !all && err == nil:
			return true
		case !all:
		case err != nil:
			r.fn(part{line: n, err: err})
		default:
			r.top(part{line: n}, object)
		}
	}
	return found
}

// top goes through an object that stands by itself.
func (r *parts) top(p part, object []byte) {
	members := jsontext.ParseMembers(object)
	list := members.Get("sessions")
	if list == nil {
		r.session(p, object)
		return
	}
	if !r.only(p, members, "sessions") || !r.isArray(p, "sessions", list) {
		return
	}
	i := 0
	for one := range jsontext.Elements(list) {
		below := p.below(fmt.Sprintf("sessions[%d]", i))
		if i++; r.isObject(below, one) {
			r.session(below, one)
		}
	}
}

// session goes through a session, or what may stand in its place on a line: its metadata, or one
// entry.
func (r *parts) session(p part, object []byte) {
	members := jsontext.ParseMembers(object)
	metadata, entries := members.Get("metadata"), members.Get("entries")
	if metadata == nil && entries == nil {
		p.object = object
		r.fn(p)
		return
	}
	if !r.only(p, members, "metadata", "entries") {
		return
	}
	if below := p.below("metadata"); metadata != nil && r.isObject(below, metadata) {
		below.metadata, below.object = true, metadata
		r.fn(below)
	}
	if entries == nil || !r.isArray(p, "entries", entries) {
		return
	}
	i := 0
	for one := range jsontext.Elements(entries) {
		below := p.below(fmt.Sprintf("entries[%d]", i))
		if i++; r.isObject(below, one) {
			below.object = one
			r.fn(below)
		}
	}
}

// below returns the place of what is in an object.
func (p part) below(name string) part {
	if p.at != "" {
		name = p.at + "." + name
	}
	return part{line: p.line, at: name}
}

// only refuses members of other names: what nobody reads would be lost.
func (r *parts) only(p part, members jsontext.MemberList, names ...string) bool {
	for _, m := range members {
		if !slices.Contains(names, m.Name) {
			return r.refuse(p, unknownMember(m.Name))
		}
	}
	return true
}

func (r *parts) isObject(p part, value []byte) bool {
	return value[0] == '{' || r.refuse(p, fmt.Errorf("%w: want an object", mem.ErrInput))
}

func (r *parts) isArray(p part, name string, value []byte) bool {
	return value[0] == '[' || r.refuse(p.below(name), fmt.Errorf("%w: want an array", mem.ErrInput))
}

// refuse calls fn with an error, and returns false.
func (r *parts) refuse(p part, err error) bool {
	p.err = err
	r.fn(p)
	return false
}
