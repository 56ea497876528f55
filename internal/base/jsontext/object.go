package jsontext

// Object builds the text of a JSON object, its members in the order in which they are added. The
// zero Object has none.
type Object struct{ b []byte }

// objectSize is the room of a new object: of most it is enough.
const objectSize = 128

// name adds the name of a member, whose value is to follow.
func (o *Object) name(name string) {
	if o.b == nil {
		o.b = append(make([]byte, 0, objectSize), '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(AppendString(o.b, name), ':')
}

// Raw adds a member whose value is JSON text already.
func (o *Object) Raw(name string, value []byte) {
	o.name(name)
	o.b = append(o.b, value...)
}

// Text adds a member that is a string.
func (o *Object) Text(name, value string) {
	o.name(name)
	o.b = AppendString(o.b, value)
}

// TextUnlessEmpty adds a member that is a string, unless the string is empty.
func (o *Object) TextUnlessEmpty(name, value string) {
	if value != "" {
		o.Text(name, value)
	}
}

// Empty reports whether nothing was added yet.
func (o *Object) Empty() bool { return o.b == nil }

// Bytes returns the object. Nothing may be added after.
func (o *Object) Bytes() []byte {
	if o.b == nil {
		return []byte("{}")
	}
	return append(o.b, '}')
}

// AppendStrings appends a list as a JSON array of strings.
func AppendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, text := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, text)
	}
	return append(dst, ']')
}
