package policy

import (
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
)

// A program names no time later than the clock's, and where ages count none much earlier; a person
// names any, but not the time of a server.
func TestWhyNotAt(t *testing.T) {
	person, client := backend.Caller{Channel: "cli"}, backend.Caller{Client: "codex"}
	agent := backend.Caller{Agent: "ada", Channel: "cli"}
	clock := time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		caller  backend.Caller
		verb    Verb
		after   time.Duration
		refuses bool
	}{
		{person, Compact, 24 * 365 * time.Hour, false},
		{person, Compact, -24 * 365 * time.Hour, false},
		{backend.Caller{Channel: "http"}, Read, time.Second, true},
		{backend.Caller{Channel: "http"}, Sync, -48 * time.Hour, false},
		{client, Read, time.Microsecond, true},
		{client, Read, 0, false},
		{client, Read, -24 * 365 * time.Hour, false},
		{client, Plain("mcp"), time.Second, true},
		{agent, Set, time.Second, true},
		{agent, Fsck, -48 * time.Hour, false},
		{agent, Repair, -24 * time.Hour, false},
		{agent, Repair, -25 * time.Hour, true},
		{client, Compact, -25 * time.Hour, true},
		{client, VerbNamed("import"), -25 * time.Hour, true},
		{client, VerbNamed("sync"), -25 * time.Hour, true},
		{client, VerbNamed("backup"), -25 * time.Hour, true},
		{client, VerbNamed("restore"), -25 * time.Hour, true},
	} {
		why := WhyNotAt(c.caller, c.verb, clock.Add(c.after), clock)
		if (why != "") != c.refuses {
			t.Errorf("%+v, %s, %s after the clock: %q", c.caller, c.verb, c.after, why)
		}
	}
}
