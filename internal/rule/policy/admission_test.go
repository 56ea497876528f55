package policy

import (
	"testing"

	"github.com/set-memory/mem/log"
)

// A pin whose source names the agent or the client that wrote it is none of an earlier build.
func TestOldPin(t *testing.T) {
	const rule, fact = `{"text":"x","pinned":true}`, `{"text":"x"}`
	for _, c := range []struct {
		source, content string
		want            bool
	}{
		{`{"kind":"agent","name":"mem note","locator":{"scope":"user"}}`, rule, true},
		{`{"kind":"agent","name":"mem note"}`, rule, true},
		{`{"kind":"agent","name":"mem note"}`, fact, false},
		{`{"kind":"agent","name":"mem note","locator":{"scope":"user","agent":"bob"}}`, rule, false},
		{`{"kind":"agent","name":"mem note","locator":{"client":"codex"}}`, rule, false},
		{`{"kind":"agent","name":"mem note","pinned_by":"user"}`, rule, false},
		{`{"kind":"agent","name":"codex"}`, rule, false},
		{`{"kind":"user","name":"mem note"}`, rule, false},
	} {
		rec := log.Record{Envelope: log.Envelope{
			Source: []byte(c.source), Content: []byte(c.content)}}
		if got := IsOldPin(rec); got != c.want {
			t.Errorf("%s: %v", c.source, got)
		}
	}
}
