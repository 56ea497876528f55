package settings

import (
	"bytes"
	"errors"
	"slices"

	"github.com/set-memory/mem/internal/base/jsontext"
)

const null = "null"

// Value is what a text says of one member.
type Value struct {
	Path []string // the names on the way to it, from the outermost
	Raw  []byte   // compact
	Line int      // of its name, from 1
}

// Values are what a text says, in its order: the members, each behind the objects around it.
type Values []Value

// Get returns the last value of a path, an object or a member.
func (list Values) Get(path ...string) (v Value, found bool) {
	for _, v := range slices.Backward(list) {
		if slices.Equal(v.Path, path) {
			return v, true
		}
	}
	return v, false
}

// Read checks a text and returns what it says. An empty text says nothing. The error is a [*Fault].
func (t Table) Read(text []byte) (Values, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	r := reader{table: t, text: text}
	err = r.object(root, nil)
	return r.values, err
}

// parse checks that a text is one object and returns it, with all that is in it.
func parse(text []byte) (node, error) {
	var fault *jsontext.Error
	if _, err := jsontext.Compact(nil, text); errors.As(err, &fault) {
		end := len(bytes.TrimRight(text, " \t\r\n")) // the last line ends there
		return node{}, &Fault{Line: lineOf(text, min(fault.Pos, end)),
			Why: jsontext.ErrJSON.Error() + ": " + fault.Fault}
	}
	if root := newNode(text, space(text, 0)); text[root.start] == '{' {
		return root, nil
	}
	return node{}, &Fault{Line: 1, Why: `want an object, like {"version":"1.0"}`}
}

// reader is one pass over a text.
type reader struct {
	table  Table
	text   []byte
	values Values
}

func (r *reader) object(n node, path []string) error {
	for _, it := range n.items {
		if err := r.member(it, append(slices.Clip(path), it.name)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) member(n node, path []string) error {
	fault := &Fault{Line: lineOf(r.text, n.nameStart), Name: dotted(path)}
	raw, _ := jsontext.Compact(nil, r.text[n.start:n.end]) // it was checked with the whole
	m, found, isGroup := r.table.rowAt(path)
	switch {
	case !found && !isGroup:
		fault.Why, fault.Near = NoMember, r.table.Suggest(path)
		return fault
	case string(raw) == null:
		return nil
	case isGroup && raw[0] != '{':
		fault.Why = "want an object"
		return fault
	}
	r.values = append(r.values, Value{path, raw, fault.Line})
	if isGroup {
		return r.object(n, path)
	}
	if !m.Want.fits(raw) {
		fault.Why = m.Want.refusal(raw)
		return fault
	}
	return nil
}

// Lookup returns the value of a path in a compact object; nil where there is none.
func Lookup(object []byte, path []string) []byte {
	for _, name := range path {
		var next []byte
		for member, value := range jsontext.Members(object) {
			if member == name {
				next = value
			}
		}
		object = next
	}
	return object
}

// ValueIn returns what a compact object says at a path of the member; nil if it is not wanted.
func (m *Member) ValueIn(object []byte, path []string) []byte {
	if value := Lookup(object, path); len(value) > 0 && m.Want.fits(value) {
		return value
	}
	return nil
}

// lineOf returns the line of a place in a text, from 1.
func lineOf(text []byte, at int) int { return 1 + bytes.Count(text[:at], []byte{'\n'}) }

// node is one value of a checked text, and its place in it.
type node struct {
	start, end int
	name       string // where it is a member
	nameStart  int
	items      []node // its members, where it is an object
}

// newNode returns the value at a place of a checked text.
func newNode(text []byte, at int) node {
	n := node{start: at, end: at + jsontext.ValueLen(text[at:])}
	if text[at] != '{' {
		return n
	}
	for at = space(text, at+1); text[at] == '"'; at = space(text, at) {
		name, _ := jsontext.StringLen(text[at:])
		value := space(text, at+name)
		value = space(text, value+len(":"))
		it := newNode(text, value)
		it.name, it.nameStart = jsontext.Unquote(text[at:at+name]), at
		n.items = append(n.items, it)
		if at = space(text, it.end); text[at] == ',' {
			at = space(text, at+1)
		}
	}
	return n
}

// space returns where the next thing begins that is no white space.
func space(text []byte, at int) int {
	return len(text) - len(bytes.TrimLeft(text[at:], " \t\r\n"))
}
