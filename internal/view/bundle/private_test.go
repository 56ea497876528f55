package bundle_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/log"
)

// What is private in a session of one agent reaches the bundle of another one if the session lists
// that agent, a handoff is for it, or the settings say so, and else not: neither the agent's words
// nor those of the person that it talks to, in no section.
func TestPrivateSessionsOfOtherAgents(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		put := func(of, agent, channel, text string) string {
			e := message(of, text)
			e.Channel = channel
			if agent != "" {
				e.Actor = ledger.Actor{Type: "agent", ID: agent}
			}
			return l.record(e).Event
		}
		put("ab12-7", "", "private", "the fox asks bob")
		ref := put("ab12-7", "bob", "private", "the fox of bob")
		put("ab12-7", "bob", "team", "the fox of the team")
		put("s3", "", "private", "the fox of nobody")
		l.decide(ledger.Decision{Text: "the fox decides", Scope: ledger.Scope{Session: "ab12-7",
			Agent: "bob", Channel: "private", Refs: []string{ref}}})
		l.decide(ledger.Decision{Text: "the fox is decided", Scope: ledger.Scope{
			Session: "ab12-7", Agent: "bob", Refs: []string{ref}}})
		see := func(agent string, want bool) {
			t.Helper()
			for _, of := range []string{"s1", "ab12-7"} {
				text, err := json.Marshal(l.build(bundle.Request{Session: of, Agent: agent,
					Query: "fox"}).Sections)
				l.Must(err)
				for _, hidden := range []string{"asks bob", "fox of bob", "fox decides"} {
					if got := strings.Contains(string(text), hidden); got != want {
						t.Errorf("%s in %s: %q is there: %t", agent, of, hidden, got)
					}
				}
				for _, open := range []string{"of the team", "of nobody", "is decided"} {
					if !strings.Contains(string(text), open) {
						t.Errorf("%s in %s: %q is not there", agent, of, open)
					}
				}
			}
		}
		see("ada", false)
		see("bob", true)
		_, err := l.book.PutHandoff(ctx, ledger.Handoff{To: "ada", Text: "go on",
			Scope: ledger.Scope{Session: "ab12-7"}})
		l.Must(err)
		see("ada", true)
		see("eve", false)
		// The settings of a client's conversation: an id of a session has no hyphen.
		_, err = session.Create(ctx, l.Store.Store, mem.Caller{}, session.CreateOptions{
			ID: "ab12_7", Config: []byte(`{"agents":["eve"]}`)})
		l.Must(err)
		see("eve", true)
	})
}

// The agents that a session lists may see it; only a person changes that.
func TestSessionListsAgents(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		id, err := session.Create(ctx, l.Store.Store, mem.Caller{}, session.CreateOptions{
			ID: "s7", Config: []byte(`{"agents":["eve"]}`)})
		l.Must(err)
		e := message(id, "the fox of bob")
		e.Actor = ledger.Actor{Type: "agent", ID: "bob"}
		l.record(e)
		sees := func(agent string) bool {
			text, err := json.Marshal(l.build(bundle.Request{Session: "s1", Agent: agent,
				Query: "fox"}).Sections)
			l.Must(err)
			return strings.Contains(string(text), "of bob")
		}
		if !sees("eve") || sees("ada") {
			t.Errorf("eve %t, ada %t", sees("eve"), sees("ada"))
		}
		for agent, want := range map[string]int{"eve": 1, "ada": 0} {
			b := l.build(bundle.Request{Session: "s1", Agent: agent, Query: "fox"})
			if got := b.Provenance.Pool; got != want {
				t.Errorf("the pool of %s counts %d, want %d", agent, got, want)
			}
		}
		_, err = session.Configure(ctx, l.Store.Store, mem.Caller{Client: "claude-code"}, id,
			"agents", `["ada"]`)
		if mem.KindOf(err) != mem.KindRefused {
			t.Errorf("a client lists agents: %v", err)
		}
		_, err = session.Configure(ctx, l.Store.Store, mem.Caller{}, id, "agents", `["ada"]`)
		l.Must(err)
		if sees("eve") || !sees("ada") {
			t.Errorf("after the change: eve %t, ada %t", sees("eve"), sees("ada"))
		}
	})
}

// The id of a session is any text that one segment of a key can have.
func TestSessionIDs(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		for _, id := range []string{"550e8400-e29b-41d4-a716-446655440000", "agent:main:main",
			"s.1", "会话一", "a b", strings.Repeat("x", 200)} {
			l.record(message(id, "the fox of "+id))
			b := l.build(bundle.Request{Session: id, Agent: "ada"})
			if got := texts(b, "recent_window"); len(got) != 1 {
				t.Errorf("%s: %q", id, got)
			}
		}
		for _, id := range []string{"a/b", "..", "a\nb", strings.Repeat("x", 201), "a\xff"} {
			if _, err := l.book.Record(ctx, message(id, "x")); mem.KindOf(err) != mem.KindInput {
				t.Errorf("%q: %v", id, err)
			}
		}
	})
}

// A person decides without a reference; an agent, and a program in place of a person, do not.
func TestPersonDecidesWithoutReference(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		l.decide(ledger.Decision{Text: "PostgreSQL 17"})
		for _, c := range []mem.Caller{{Client: "claude-code"}, {Agent: "ada"}} {
			book := ledger.New(l.Store.Store, c, ledger.Options{})
			_, err := book.Decide(ctx, ledger.Decision{Text: "PostgreSQL 18"})
			if mem.KindOf(err) != mem.KindInput {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if got := texts(l.build(ask("")), "decision_ledger"); len(got) != 1 {
			t.Errorf("%q", got)
		}
	})
}

// An event that says when it happened stands there in the recent window, and an intent is looked up
// where there is no query.
func TestTimeOfEventsAndIntent(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		l.record(message("s1", "the fox came second"))
		earlier := message("s1", "the fox came first")
		at := log.StampOf(l.Clock.Add(-time.Hour))
		earlier.At = &at
		l.record(earlier)
		got := texts(l.build(ask("")), "recent_window")
		if len(got) != 2 || !strings.Contains(got[0], "first") {
			t.Errorf("%q", got)
		}
		b := l.build(bundle.Request{Session: "s2", Agent: "ada", Intent: "fox"})
		if got := texts(b, "retrieved_evidence"); len(got) != 2 {
			t.Errorf("%q", got)
		}
	})
}
