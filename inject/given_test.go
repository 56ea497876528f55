package inject_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/inject"
	"github.com/set-memory/mem/note"
)

// What was told in the same words is not told again, whatever its key and however new it is, until
// the conversation loses what it had.
func TestSameWords(t *testing.T) { onEach(t, testSameWords) }

func testSameWords(t *testing.T, f *fixture) {
	f.Put("/port", port)
	prompt := inject.Options{Trigger: inject.AtPrompt, Message: askPort}
	if got := keysIn(f.deliver(prompt)); got != "/port" {
		t.Fatalf("told %q", got)
	}
	const known = ": given before"
	for _, c := range []struct{ key, text, told, left string }{
		{"/port", port, "", "/port" + known},
		{"/port", `{"text":"THE  database\nis PostgreSQL on port ５４３２"}`, "", "/port" + known},
		{"/port", `{"text":"The database is PostgreSQL on port 5433"}`, "/port", ""},
		{"/db", port, "/db", "/port" + known}, // the last words of /port are others
		{"/other", port, "", "/db" + known},
	} {
		f.Clock = f.Clock.Add(time.Minute)
		f.Put(c.key, c.text)
		in := f.deliver(prompt)
		if got := keysIn(in); got != c.told || !strings.Contains(left(in), c.left) {
			t.Errorf("%s %s: told %q, left %q", c.key, c.text, got, left(in))
		}
	}
	lost := prompt
	lost.Retained = inject.RetainedNothing
	if got := keysIn(f.choose(lost)); !strings.Contains(got, "/port") {
		t.Errorf("after what it had was lost: %q", got)
	}
	prompt.Conversation = "d"
	if got := keysIn(f.choose(prompt)); !strings.Contains(got, "/port") {
		t.Errorf("to another conversation: %q", got)
	}
	lines, err := f.Journal("injections.jsonl").Read(1 << 20)
	if f.Must(err); strings.Contains(string(lines), "PostgreSQL") {
		t.Errorf("a text is in the record: %s", lines)
	}
}

// What a conversation has written itself it is not told, until it loses what it had.
func TestWrittenHere(t *testing.T) { onEach(t, testWrittenHere) }

func testWrittenHere(t *testing.T, f *fixture) {
	const here = `{"kind":"agent","name":"codex","locator":{"session":"c"}}`
	write := func(text string) {
		f.Clock = f.Clock.Add(time.Minute)
		_, err := note.Add(context.Background(), f.Store.Store, mem.Caller{}, text,
			note.Options{Source: []byte(here)})
		f.Must(err)
	}
	write("The database is PostgreSQL on port 5432")
	told := func(o inject.Options) string {
		f.T.Helper()
		if o.Client == "" {
			o.Client = "codex"
		}
		o.Message = askPort
		in := f.deliver(o)
		if in.Text == "" && !strings.Contains(left(in), "m-1: written here") {
			t.Errorf("nothing is told, and left is %q", left(in))
		}
		return keysIn(in)
	}
	prompt := inject.Options{Trigger: inject.AtPrompt}
	if got := told(prompt); got != "" {
		t.Errorf("what it wrote: %q", got)
	}
	for _, o := range []inject.Options{
		{Trigger: inject.AtPrompt, Conversation: "d"}, {Trigger: inject.AtPrompt, Client: "gemini"},
		{Trigger: inject.AtSubagent},
	} {
		if got := told(o); got != "/note/workspace/m-1" {
			t.Errorf("%+v is told %q", o, got)
		}
	}
	f.Clock = f.Clock.Add(time.Minute)
	lost := inject.Options{Trigger: inject.AtStart, Retained: inject.RetainedNothing}
	if got := told(lost); got != "/note/workspace/m-1" {
		t.Errorf("after what it had was lost: %q", got)
	}
	write("The port of PostgreSQL in the tests is 5433")
	in := f.choose(inject.Options{Client: "codex", Trigger: inject.AtPrompt, Message: askPort})
	if got := keysIn(in); got != "" || !strings.Contains(left(in), "m-2: written here") {
		t.Errorf("what it wrote since: %q, left %q", got, left(in))
	}
}
