package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"github.com/set-memory/mem/log"
)

// Parameters returns the fields of a request that a query may have, by their names there.
func Parameters(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if other := f.Tag.Get("query"); other != "" {
			name = other
		}
		if name != "" && name != "-" {
			fields[name] = f
		}
	}
	return fields
}

// DecodeQuery reads a request from a query: only lists are named more than once, and a name without
// a value is not given. The error wraps mem.ErrInput.
func DecodeQuery(query url.Values, into any) error {
	if len(query) == 0 {
		return nil // as of most requests with a body
	}
	v := reflect.ValueOf(into).Elem()
	fields := Parameters(v.Type())
	for name, values := range query {
		f, known := fields[name]
		list := f.Type != nil && f.Type.Kind() == reflect.Slice
		switch {
		case !known:
			return &Error{fmt.Sprintf("query: %.80q", name), "",
				"no such parameter" + notOneOf(fields, name)}
		case len(values) > 1 && !list:
			return &Error{"query: " + name, "", "it is given twice"}
		case list:
			v.FieldByIndex(f.Index).Set(reflect.ValueOf(values))
		case values[0] != "":
			if err := setText(v.FieldByIndex(f.Index), values[0]); err != nil {
				return &Error{fmt.Sprintf("query: %s %.20q", name, values[0]), "",
					"want " + jsonName(f.Type)}
			}
		}
	}
	return checkLists("query", v)
}

// setText sets a field that is no list from its text.
func setText(field reflect.Value, text string) (err error) {
	t := field.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	doc := []byte(text)
	if t.Kind() == reflect.String || t == reflect.TypeFor[log.Stamp]() {
		if doc, err = json.Marshal(text); err != nil {
			return err
		}
	} else if text == "null" {
		return errNull
	}
	return json.Unmarshal(doc, field.Addr().Interface())
}

var errNull = errors.New("null is no value")
