// Package schema makes JSON schemas of the types of requests and answers, for the tests that write
// openapi.json and the tools of the protocol server. See package request for the tags.
package schema

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Object is a JSON object.
type Object = map[string]any

// Describer makes schemas of types.
type Describer struct {
	// Schemas has the schemas of structs by their names, and others refer to them; nil: each stands
	// where it is used.
	Schemas Object
	// Tool makes the schemas of tools, which cost tokens: without formats and hidden members.
	Tool bool
}

// Of returns the schema of a type; in d.Schemas that of a struct has its name.
func (d Describer) Of(t reflect.Type) Object {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return Object{}
	case reflect.TypeFor[json.Number]():
		return Object{"type": "number"}
	case reflect.TypeFor[keypath.Key]():
		return Object{"type": "string"}
	case reflect.TypeFor[log.Stamp]():
		if d.Tool {
			return Object{"type": "string"}
		}
		return Object{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.Of(t.Elem())
	case reflect.Slice:
		return Object{"type": "array", "items": d.Of(t.Elem())}
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return Object{"type": "integer"}
	case reflect.Float64:
		return Object{"type": "number"}
	case reflect.Struct:
		return d.ofStruct(t)
	}
	panic("no schema for " + t.String())
}

// Name returns the name that the schema of a struct has among others.
func Name(t reflect.Type) string { return strings.ReplaceAll(t.String(), ".", "_") }

func (d Describer) ofStruct(t reflect.Type) Object {
	name := Name(t)
	switch {
	case t.Name() == "" || d.Schemas == nil:
		return d.members(t)
	case d.Schemas[name] == nil:
		d.Schemas[name] = Object{} // for one that holds itself
		d.Schemas[name] = d.members(t)
	}
	return Object{"$ref": "#/components/schemas/" + name}
}

func (d Describer) members(t reflect.Type) Object {
	properties, required, needed := Object{}, []string{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name := f.Tag.Get("require"); name != "" {
			needed = append(needed, name)
		}
		if f.Anonymous || name == "-" || name == "" || d.Tool && f.Tag.Get("tool") == "-" {
			continue
		}
		properties[name] = d.Field(f)
		if !strings.Contains(rest, "omitempty") {
			required = append(required, name)
		}
	}
	for _, name := range needed {
		if p := properties[name].(Object); p["type"] == "array" {
			p["minItems"] = 1
		}
	}
	required = append(required, needed...)
	s := Object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		slices.Sort(required)
		s["required"] = required
	}
	return s
}

// Field returns the schema of a member, with what its tags say.
func (d Describer) Field(f reflect.StructField) Object {
	s := d.Of(f.Type)
	if name := f.Tag.Get("enum"); name != "" {
		s["enum"] = values(name)
	}
	of := map[any]string{"array": "Items", "string": "Length"}[s["type"]]
	for _, tag := range []string{"min", "max"} {
		n, err := strconv.Atoi(f.Tag.Get(tag))
		switch {
		case err != nil:
		case of != "":
			s[tag+of] = n
		default:
			s[tag+"imum"] = n
		}
	}
	return s
}

// values returns the values of a member by the name of their list.
func values(enum string) (list []string) {
	switch enum {
	case "channel":
		list = content.Channels()
	case "sensitivity":
		list = content.Sensitivities()
	case "source": // a caller is not the system
		list = slices.DeleteFunc(slices.Clone(policy.Kinds[:]),
			func(kind string) bool { return kind == "system" })
	case "note":
		list = note.Scopes[:]
	case "sort":
		list = session.Sorts
	default:
		list = ledger.Values(enum)
	}
	if len(list) == 0 {
		panic("no values of " + enum)
	}
	return list
}

// Parameters returns the parameters that the query of a type may have, sorted by name.
func (d Describer) Parameters(t reflect.Type) (list []any) {
	fields := request.Parameters(t)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, Object{"name": name, "in": "query", "schema": d.Field(fields[name])})
	}
	return list
}
