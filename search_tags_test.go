package mem_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
)

// A ! negates the whole list; anywhere else it is refused, with flags that do what was meant.
func TestTagsOfASearch(t *testing.T) {
	for text, want := range map[string]backend.TagRule{
		"a,b":      {Any: []string{"a", "b"}},
		"!a, b":    {Any: []string{"a", "b"}, Not: true},
		" ! a":     {Any: []string{"a"}, Not: true},
		",a,":      {Any: []string{"a"}},
		"hey!,a!b": {Any: []string{"hey!", "a!b"}},
	} {
		w, err := mem.SearchOptions{Tags: []string{text}}.Where(0)
		if err != nil || len(w.Tags) != 1 || !reflect.DeepEqual(w.Tags[0], want) {
			t.Errorf("%q: %+v, %v", text, w.Tags, err)
		}
	}
	for text, hint := range map[string]string{
		"go,!old":   "each condition has a flag of its own: --tag 'go' --tag '!old'",
		"!a,!b":     "each condition has a flag of its own: --tag '!a' --tag '!b'",
		"a,b,! x's": `each condition has a flag of its own: --tag 'a,b' --tag '!x'\''s'`,
		"":          "", "!": "", ",": "",
	} {
		_, err := mem.SearchOptions{Tags: []string{text}}.Where(0)
		if !errors.Is(err, mem.ErrInput) || mem.Hint(err) != hint {
			t.Errorf("%q: %v, %q", text, err, mem.Hint(err))
		}
	}
}
