package policy

import (
	"errors"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A member's agent changes facts and its own pins, and no pin of another member.
func TestPinOfAnotherMember(t *testing.T) {
	t.Parallel()
	bob := backend.Caller{Tenant: "t", Agent: "bot", Member: "bob", Client: "HTTP"}
	persons := backend.Caller{Tenant: "t", Member: "bob"}
	local := backend.Caller{Client: "codex"}
	const pinned = `{"text":"x","pinned":true}`
	for _, c := range []struct {
		name, content, source string
		by                    backend.Caller
		pinner                string
	}{
		{"another member's", pinned, `{"kind":"agent","member":"ada"}`, bob, "ada"},
		{"for a person", pinned, `{"kind":"agent","member":"ada"}`, persons, ""},
		{"in a file", pinned, `{"kind":"agent","member":"ada"}`, local, ""},
		{"one's own", pinned, `{"kind":"agent","member":"bob"}`, bob, ""},
		{"one's own, as a person has changed it", pinned,
			`{"kind":"user","pinned_by":"bob","member":"ada"}`, bob, ""},
		{"another's, as a person has changed it", pinned,
			`{"kind":"user","pinned_by":"eve","member":"ada"}`, bob, "eve"},
		{"another's, as a person of one's own name has changed it", pinned,
			`{"name":"chat","pinned_by":"eve","member":"bob"}`, bob, "eve"},
		{"a client's, moved by oneself", pinned,
			`{"name":"chat","pinned_by":"codex","claimed":"import","member":"bob"}`, bob, ""},
		{"no pin", `{"text":"x"}`, `{"kind":"agent","member":"ada"}`, bob, ""},
		{"of nobody", pinned, `{"kind":"agent"}`, bob, ""},
		{"of an older agent", pinned, `{"kind":"agent","locator":{"agent":"ada"}}`, bob, "ada"},
		{"of the agent before", pinned, `{"kind":"agent","locator":{"agent":"bot"}}`, bob, ""},
		{"of the member before", pinned, `{"kind":"agent","locator":{"agent":"bob"}}`, bob, ""},
	} {
		old := log.Record{Envelope: log.Envelope{Key: keypath.MustParse("/a"),
			Content: []byte(c.content), Source: []byte(c.source)}}
		for _, verb := range []Verb{Set, Rm, Forget, Edit, Touch, Unpin, Mv, Merge, Supersede, Undo,
			Note, Import} {
			err := MayChange(c.by, verb, old, func(log.Record) bool { return false })
			var refused *RuleError
			pinner := ""
			if errors.As(err, &refused) {
				pinner = refused.Pinner
			}
			if pinner != c.pinner {
				t.Errorf("%s: %s: %q, want %q: %v", c.name, verb, pinner, c.pinner, err)
			}
		}
	}
}
