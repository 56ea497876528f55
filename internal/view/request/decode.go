package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/log"
)

// Decode reads a request or a record as JSON: an object with no members but those of its type, and
// none twice. The error wraps jsontext.ErrJSON or mem.ErrInput.
func Decode(what string, text []byte, into any) error {
	compact, err := jsontext.Compact(nil, text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return DecodeCompact(what, compact, into)
}

// DecodeCompact is Decode of a text that jsontext.Compact has returned, or of a value in it.
func DecodeCompact(what string, compact []byte, into any) (err error) {
	if compact[0] != '{' {
		return &Error{what, "", "want a JSON object"}
	}
	t := reflect.TypeOf(into).Elem()
	if err = strictly(compact, into); err != nil && !errors.Is(err, io.EOF) {
		if adapted := adapt(compact, t); !bytes.Equal(adapted, compact) {
			compact, err = adapted, strictly(adapted, into)
		}
	}
	if err == nil {
		if name := otherwiseSpelt(compact, t); name != "" {
			return &Error{fmt.Sprintf("%s: %.80q", what, name), "",
				"no such member" + notOneOf(members(t), name)}
		}
		if bytes.Count(compact, []byte(",")) < policy.MaxList {
			return nil // no list has so many entries
		}
		return checkLists(what, reflect.ValueOf(into).Elem())
	}
	if errors.Is(err, io.EOF) {
		return err
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &Error{what + ": " + memberName(wrong.Field, into), "",
			"want " + jsonName(wrong.Type) + ", not a " + wrong.Value}
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		why, bare := "no such member", strings.Trim(name, `"`)
		if jsontext.ParseMembers(compact).Get(bare) != nil { // and not of an object within
			why += notOneOf(members(t), bare)
		}
		return &Error{what + ": " + name, "", why}
	}
	return fmt.Errorf("%s: %w: %w", what, mem.ErrInput, err)
}

// checkLists refuses a request with a list that has more entries than policy.MaxList, or than its
// tag says where that is more.
func checkLists(what string, request reflect.Value) error {
	for name, f := range members(request.Type()) {
		field, err := request.FieldByIndexErr(f.Index)
		if err != nil {
			continue // it is in a struct that is absent
		}
		name = what + ": " + name
		most, _ := strconv.Atoi(f.Tag.Get("max"))
		switch kind := field.Kind(); {
		case kind == reflect.Struct:
			err = checkLists(name, field)
		case kind == reflect.Map, kind == reflect.Slice && f.Type.Elem().Kind() != reflect.Uint8:
			err = policy.CheckLength(name, field.Len(), max(most, policy.MaxList), "entries")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// strictly decodes an object that has no members but those of a type.
func strictly(object []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(object))
	d.DisallowUnknownFields()
	return d.Decode(into)
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

func jsonName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[log.Stamp]():
		return "a time"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map:
		return "an object"
	case t == reflect.TypeFor[[]string]():
		return `a list like ["a","b"]`
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
	fields := members(t)
	for name, value := range jsontext.Members(object) {
		of, known := fields[name]
		if !known {
			return name
		}
		if of.Type.Kind() == reflect.Struct && value[0] == '{' {
			if name := otherwiseSpelt(value, of.Type); name != "" {
				return name
			}
		}
	}
	return ""
}
