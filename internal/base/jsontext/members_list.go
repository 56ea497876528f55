package jsontext

import "slices"

// MemberList is the members of an object in the order in which they are written. To change one
// leaves the bytes of the others as they are.
type MemberList []Member

// Member is one member: its name, and name and value as they are written.
type Member struct {
	Name  string
	text  []byte // "name":value
	Value []byte
}

// ParseMembers returns the members of a compact object.
func ParseMembers(object []byte) (list MemberList) {
	for b := object[1:]; len(b) > 1 && b[0] == '"'; {
		colon, _ := StringLen(b)
		end := colon + 1 + ValueLen(b[colon+1:])
		name := Unquote(b[:colon])
		list = append(list, Member{name, b[:end:end], b[colon+1 : end : end]})
		b = b[min(end+1, len(b)):]
	}
	return list
}

// Get returns the value of a member; nil where there is none.
func (m MemberList) Get(name string) []byte {
	if i := m.index(name); i >= 0 {
		return m[i].Value
	}
	return nil
}

func (m MemberList) index(name string) int {
	return slices.IndexFunc(m, func(one Member) bool { return one.Name == name })
}

// With returns the members with another value of one, which is the last if it is new.
func (m MemberList) With(name string, value []byte) MemberList {
	text := append(append(AppendString(nil, name), ':'), value...)
	one := Member{name, text, value}
	if i := m.index(name); i >= 0 {
		m = slices.Clone(m)
		m[i] = one
		return m
	}
	return append(slices.Clip(m), one)
}

// DropName returns the members without those of a name.
func (m MemberList) DropName(name string) MemberList {
	return slices.DeleteFunc(slices.Clone(m), func(one Member) bool { return one.Name == name })
}

// Object returns the members as an object.
func (m MemberList) Object() []byte {
	b := []byte{'{'}
	for i, one := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, one.text...)
	}
	return append(b, '}')
}
