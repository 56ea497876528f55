package journal_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/keypath"
)

// execute runs a tool, and returns what the model reads of it.
func (f *fixture) execute(agent string, level journal.Level, text string) string {
	f.T.Helper()
	m, err := journal.Save(ctx, f.Store.Store, mem.Caller{Agent: agent}, level, text,
		journal.Options{})
	doc, err := mem.EncodeJSON(journal.NewReply(m, err))
	f.Must(err)
	return string(doc)
}

// The tests of the specification: of the tools (J-36, J-37).

func TestToolCreatesJournalMemory(t *testing.T) {
	onEach(t, func(f *fixture) {
		got := f.execute("ada", journal.Journal, "Today I learned something")
		want := `{"success":true,"memory_type":"journal","content":"Today I learned something",` +
			`"expires_around":"2026-03-01"}`
		if got != want {
			t.Errorf("%s", got)
		}
		f.counts(0, 1)
	})
}

func TestFailsWithoutAgent(t *testing.T) {
	onEach(t, func(f *fixture) {
		// It is the first of the checks: the text is blank, too.
		got := f.execute("", journal.Journal, "")
		if got != `{"error":"This tool only works in group conversations"}` {
			t.Errorf("%s", got)
		}
	})
}

func TestFailsWithBlankContent(t *testing.T) {
	onEach(t, func(f *fixture) {
		got := f.execute("ada", journal.Journal, "   ")
		if got != `{"error":"Content cannot be blank"}` {
			t.Errorf("%s", got)
		}
	})
}

func TestToolCreatesCoreMemory(t *testing.T) {
	onEach(t, func(f *fixture) {
		got := f.execute("ada", journal.Core, " I <help> & learn\n")
		want := `{"success":true,"memory_type":"core","content":"I <help> & learn",` +
			`"note":"This memory is now part of your permanent identity"}`
		if got != want {
			t.Errorf("%s", got)
		}
		f.counts(1, 0)
	})
}

func TestFailsWithLongContent(t *testing.T) {
	onEach(t, func(f *fixture) {
		got := f.execute("ada", journal.Core, strings.Repeat("x", journal.MaxText+1))
		if got != `{"error":"Content too long (max 10,000 characters)"}` {
			t.Errorf("%s", got)
		}
	})
}

// What the store refuses it refuses here, too, and the exit code is its own.
func TestFailsAsTheStoreDoes(t *testing.T) {
	onEach(t, func(f *fixture) {
		for _, c := range []struct {
			text string
			o    journal.Options
			kind mem.Kind
			says string
		}{
			{"the password is hunter2-Xk9q", journal.Options{}, mem.KindRefused, "secret"},
			{"a\xffb", journal.Options{}, mem.KindInput, "UTF-8"},
			{"x", journal.Options{AllowSecrets: []string{"nope"}}, mem.KindInput, "nope"},
			{"x", journal.Options{Random: iotest.ErrReader(errors.New("no luck"))}, mem.KindBug,
				"no luck"},
		} {
			m, err := journal.Save(ctx, f.Store.Store, ada, journal.Core, c.text, c.o)
			reply := journal.NewReply(m, err)
			if mem.KindOf(err) != c.kind || reply.Success ||
				!strings.HasPrefix(reply.Error, "Failed to save: ") ||
				!strings.Contains(reply.Error, c.says) || strings.Contains(reply.Error, "hunter2") {
				t.Errorf("%q: %v, %+v", c.text, err, reply)
			}
		}
		f.counts(0, 0)
	})
}

// Only itself may an agent name, and the reply says so as of any other refusal.
func TestSaveForAnother(t *testing.T) {
	onEach(t, func(f *fixture) {
		for agent, want := range map[string]error{"ada": nil, "bob": policy.ErrPerson} {
			m, err := journal.Save(ctx, f.Store.Store, ada, journal.Core, "x",
				journal.Options{Agent: agent})
			reply := journal.NewReply(m, err)
			if !errors.Is(err, want) || (reply.Error == "") != (want == nil) {
				t.Errorf("%s: %v, %+v", agent, err, reply)
			}
		}
		_, err := journal.Save(ctx, f.Store.Store, mem.Caller{}, journal.Core, "x",
			journal.Options{Agent: "b o b"})
		if mem.KindOf(err) != mem.KindInput {
			t.Errorf("b o b: %v", err)
		}
		f.counts(1, 0)
	})
}

// An entry says in full where it is from.
func TestSourceIsComplete(t *testing.T) {
	onEach(t, func(f *fixture) {
		m := f.save(journal.Journal, "x")
		rec, err := f.Get(ctx, ada, m.Key, false)
		f.Must(err)
		want := `{"kind":"agent","name":"mem journal","retrieved_at":"2026-02-22T12:00:00.000000Z",` +
			`"locator":{"agent":"ada"}}`
		if string(rec.Source) != want {
			t.Errorf("%s", rec.Source)
		}
		written := policy.NewFacts(&policy.Call{Caller: ada, Verb: policy.Journal}, 0, rec.Envelope)
		if err := (&policy.Ground{}).Admit(&written); err != nil {
			t.Error(err)
		}
	})
}

// No id is taken for a secret, whatever the dice.
func TestIDsAreNoSecrets(t *testing.T) {
	onEach(t, func(f *fixture) {
		op, err := f.Begin(ada, policy.VerbNamed("core"))
		f.Must(err)
		for range 2_000 {
			id, err := ulid.New(f.Clock, nil)
			f.Must(err)
			w := mem.Write{Key: keypath.MustParse("/agent/ada/core/" + id),
				Content: []byte(`{"type":"core","text":"x"}`),
				Source:  op.Source("agent", "mem core", "agent", "ada")}
			if _, err := op.Check(ctx, w, false); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
		}
	})
}
