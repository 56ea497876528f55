package edit

import (
	"fmt"
	"slices"

	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
)

// member is a member of a JSON object: its name, and name and value as they are written.
type member struct {
	name  string
	text  []byte // "name":value
	value []byte
}

// members are those of an object in the order in which they are written. To change one leaves the
// bytes of the others as they are.
type members []member

// membersOf returns the members of content. The error wraps ErrNoObject for any other JSON.
func membersOf(key keypath.Key, content []byte) (list members, err error) {
	text, err := jsontext.Compact(nil, content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key.Shown(), err)
	}
	if text[0] != '{' {
		return nil, &Error{key, ErrNoObject}
	}
	return parseMembers(text), nil
}

// parseMembers returns the members of a compact object.
func parseMembers(object []byte) (list members) {
	for b := object[1:]; len(b) > 1 && b[0] == '"'; {
		colon, _ := jsontext.StringLen(b)
		end := colon + 1 + jsontext.ValueLen(b[colon+1:])
		name := jsontext.Unquote(b[:colon])
		list = append(list, member{name, b[:end:end], b[colon+1 : end : end]})
		b = b[min(end+1, len(b)):]
	}
	return list
}

// get returns the value of a member; nil where there is none.
func (m members) get(name string) []byte {
	if i := m.index(name); i >= 0 {
		return m[i].value
	}
	return nil
}

func (m members) index(name string) int {
	return slices.IndexFunc(m, func(one member) bool { return one.name == name })
}

// with returns the members with another value of one, which is the last if it is new.
func (m members) with(name string, value []byte) members {
	text := append(append(jsontext.AppendString(nil, name), ':'), value...)
	one := member{name, text, value}
	if i := m.index(name); i >= 0 {
		m = slices.Clone(m)
		m[i] = one
		return m
	}
	return append(slices.Clip(m), one)
}

// without returns the members without those of a name.
func (m members) without(name string) members {
	return slices.DeleteFunc(slices.Clone(m), func(one member) bool { return one.name == name })
}

// object returns the members as an object.
func (m members) object() []byte {
	b := []byte{'{'}
	for i, one := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, one.text...)
	}
	return append(b, '}')
}
