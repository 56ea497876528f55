package session

import (
	"errors"
	"math"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/log"
)

// Each condition that a request may name arrives, by its tags alone, from JSON and from a query,
// and is enough for a search without words.
func TestConditionsArrive(t *testing.T) {
	n := 0
	for name, f := range request.Parameters(reflect.TypeFor[mem.Conditions]()) {
		member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		var text, doc string
		switch f.Type {
		case reflect.TypeFor[[]string]():
			text, doc = "x", `["x"]`
		case reflect.TypeFor[*log.Stamp]():
			text, doc = "2026-02-22T10:00:00.000000Z", `"2026-02-22T10:00:00.000000Z"`
		case reflect.TypeFor[bool]():
			text, doc = "true", "true"
		case reflect.TypeFor[string]():
			text, doc = "x", `"x"`
		default:
			text, doc = "1", "1"
		}
		n++
		var sent, asked SearchRequest
		if err := request.Decode("search", []byte(`{"`+member+`":`+doc+`}`), &sent); err != nil {
			t.Error(err)
		}
		if err := request.DecodeQuery(url.Values{name: {text}}, &asked); err != nil {
			t.Error(err)
		}
		for from, r := range map[string]*SearchRequest{"JSON": &sent, "a query": &asked} {
			if reflect.ValueOf(r.Conditions).FieldByIndex(f.Index).IsZero() {
				t.Errorf("%s from %s does not arrive", member, from)
			}
			if r.IsEmpty() {
				t.Errorf("Narrow in internal/store/backend/where.go passes over %s", f.Name)
			}
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
	}
	if n < 4 {
		t.Errorf("%d conditions", n)
	}
}

// A number has the bounds of its tags, NaN too.
func TestBounds(t *testing.T) {
	none, one := 0, 1
	for _, tc := range []struct {
		least float64
		limit *int
		want  string
	}{
		{0, nil, ""}, {10, &one, ""},
		{-0.1, nil, "min_importance: want a number from 0 to 10"},
		{10.1, nil, "min_importance: want a number from 0 to 10"},
		{math.NaN(), nil, "min_importance: want a number from 0 to 10"},
		{1, &none, "limit: want a number above 0"},
	} {
		r := SearchRequest{Limit: tc.limit}
		r.MinImportance = tc.least
		switch err := r.Check(); {
		case tc.want == "" && err == nil:
		case err == nil || err.Error() != tc.want || !errors.Is(err, mem.ErrInput):
			t.Errorf("%g: %v, want %q", tc.least, err, tc.want)
		}
	}
}
