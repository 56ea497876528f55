package pgstore_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/ledger"
)

// What is private in a session of one agent reaches no bundle of another one, unless a handoff is
// for that agent: neither an event nor what it decides.
func TestPrivateSessionsOfOtherAgents(t *testing.T) {
	d, ctx := newDesk(t), context.Background()
	put := func(actor, id, channel, kind, text string) {
		t.Helper()
		content, err := json.Marshal(map[string]string{"text": text})
		must(t, err)
		_, err = d.Record(ctx, ledger.Event{Session: "ab12-7", Channel: channel, Kind: kind,
			Actor: ledger.Actor{Type: actor, ID: id}, Content: content, Refs: []string{"/kb/go"}})
		must(t, err)
	}
	put("human", "user", "private", "message", "the fox asks bob")
	put("agent", "bob", "private", "message", "the fox of bob")
	put("agent", "bob", "private", "decision", "the fox decides")
	put("agent", "bob", "team", "message", "the fox of the team")
	see := func(agent string, want bool) {
		t.Helper()
		for _, session := range []string{"s1", "ab12-7"} {
			b, err := bundle.Build(ctx, d.Book, bundle.Request{Session: session, Agent: agent,
				Query: "fox"})
			must(t, err)
			text, err := json.Marshal(b.Sections)
			must(t, err)
			for part, want := range map[string]bool{"asks bob": want, "fox of bob": want,
				"fox decides": want, "of the team": true} {
				if got := strings.Contains(string(text), part); got != want {
					t.Errorf("%s in %s: %q is there: %t", agent, session, part, got)
				}
			}
		}
	}
	see("ada", false)
	see("bob", true)
	_, err := d.PutHandoff(ctx, ledger.Handoff{To: "ada", Text: "go on",
		Scope: ledger.Scope{Session: "ab12-7"}})
	must(t, err)
	see("ada", true)
	see("eve", false)
}
