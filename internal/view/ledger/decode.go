package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// Decode reads a request or a record as JSON: an object with no members but those of its type, and
// none twice. The error wraps jsontext.ErrJSON or mem.ErrInput.
func Decode(what string, text []byte, into any) error {
	compact, err := jsontext.Compact(nil, text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if compact[0] != '{' {
		return &inputError{what, "want a JSON object", nil}
	}
	d := json.NewDecoder(bytes.NewReader(compact))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil {
		if name := otherwiseSpelt(compact, reflect.TypeOf(into).Elem()); name != "" {
			return &inputError{fmt.Sprintf("%s: %.80q", what, name), "no such member", nil}
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &inputError{what + ": " + memberName(wrong.Field, into),
			"want " + jsonName(wrong.Type) + ", not a " + wrong.Value, nil}
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return &inputError{what + ": " + name, "no such member", nil}
	}
	return fmt.Errorf("%s: %w: %w", what, mem.ErrInput, err)
}

// memberName returns the name of a member without that of the Go struct that it is embedded in.
func memberName(field string, into any) string {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(into).Elem()) {
		if f.Anonymous {
			field = strings.TrimPrefix(field, f.Name+".")
		}
	}
	return field
}

// jsonName returns what a type is in JSON.
func jsonName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[log.Stamp]():
		return "a time"
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map:
		return "an object"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return "a whole number"
	case t.Kind() == reflect.Bool:
		return "true or false"
	}
	return "a " + t.Kind().String()
}

// otherwiseSpelt returns a member of an object that is one of its type only if capitals do not
// count: encoding/json takes it for that, and of two the last would win. "" is none.
func otherwiseSpelt(object []byte, t reflect.Type) string {
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[name] = f.Type
	}
	for name, value := range jsontext.Members(object) {
		of, known := fields[name]
		if !known {
			return name
		}
		if of.Kind() == reflect.Struct && value[0] == '{' {
			if name := otherwiseSpelt(value, of); name != "" {
				return name
			}
		}
	}
	return ""
}
