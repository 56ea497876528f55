package ledger

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
)

// A record has no members but those of its type, each once and as it is spelt.
func TestDecode(t *testing.T) {
	var e Event
	text := `{"session_id":"s1","actor":{"type":"human","id":"u"},"content":[1]}`
	err := Decode("event", []byte(text), &e)
	if err != nil || e.Session != "s1" || e.Actor.ID != "u" || string(e.Content) != "[1]" {
		t.Errorf("%+v, %v", e, err)
	}
	for text, want := range map[string]error{
		`{`: jsontext.ErrJSON, ``: jsontext.ErrJSON, `{"kind":"a","kind":"b"}`: jsontext.ErrJSON,
		`[]`: mem.ErrInput, `"x"`: mem.ErrInput, `{"nonsense":1}`: mem.ErrInput,
		`{"kind":1}`: mem.ErrInput, `{"Kind":"message"}`: mem.ErrInput,
		`{"kind":"message","KIND":"decision"}`: mem.ErrInput,
		`{"actor":{"type":"human","ID":"u"}}`:  mem.ErrInput,
		`{"actor":{"type":"human","x":"u"}}`:   mem.ErrInput,
	} {
		err := Decode("event", []byte(text), new(Event))
		if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "event: ") {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}
