package request

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/log"
)

// adapt returns an object with what callers write in another form, and can mean in one way only, in
// the form of its type: a list as a text or the JSON of one, a number or a boolean in quotes, and
// the id of a memory in place of its key.
func adapt(object []byte, t reflect.Type) []byte {
	fields := members(t)
	var o jsontext.Object
	for name, value := range jsontext.Members(object) {
		_, known := fields[name]
		if _, keyed := fields["key"]; name == "id" && keyed && !known &&
			jsontext.ParseMembers(object).Get("key") == nil {
			name = "key"
		}
		if f, known := fields[name]; known && value[0] == '"' {
			value = variant(value, f.Type)
		}
		o.Raw(name, value)
	}
	return o.Bytes()
}

// variant returns a quoted value in the form of a type; as it is where it has none.
func variant(value []byte, t reflect.Type) []byte {
	said := []byte(strings.TrimSpace(jsontext.Unquote(value)))
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[log.Stamp]() || len(said) == 0 || string(said) == "null":
		return value
	case t == reflect.TypeFor[[]string]() && said[0] != '[':
		list, _ := json.Marshal(splitList(string(said))) // texts always can be encoded
		return list
	case t.Kind() == reflect.String || json.Unmarshal(said, reflect.New(t).Interface()) != nil:
		return value
	}
	return said
}

// splitList returns the parts of a text between commas; the text alone where a part is several
// words, and so hardly one of a list.
func splitList(said string) (list []string) {
	for part := range strings.SplitSeq(said, ",") {
		if part = strings.TrimSpace(part); strings.ContainsAny(part, " \t\n") {
			return []string{said}
		} else if part != "" {
			list = append(list, part)
		}
	}
	return list
}

var membersOf sync.Map

// members returns the fields of a request by the names that they have in JSON, for reading.
func members(t reflect.Type) map[string]reflect.StructField {
	if fields, ok := membersOf.Load(t); ok {
		return fields.(map[string]reflect.StructField)
	}
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			fields[name] = f
		}
	}
	membersOf.Store(t, fields)
	return fields
}

// notOneOf returns why a name is none of these, with the one that was probably meant, or else with
// all.
func notOneOf(fields map[string]reflect.StructField, name string) string {
	var names []string
	for of, f := range fields {
		if f.Tag.Get("tool") != "-" {
			names = append(names, of)
		}
	}
	slices.Sort(names)
	if near := text.Nearest(name, names); near != "" {
		return "; did you mean " + near + "?"
	} else if len(names) == 0 {
		return ""
	}
	return "; want one of " + strings.Join(names, ", ")
}
