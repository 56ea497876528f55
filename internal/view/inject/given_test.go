package inject_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/note"
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
		{"/db", port, "/db", "/port" + known},     // the last words of /port are others
		{"/other", port, "/other", "/db" + known}, // what a key says is a part of it
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

// The record has no plain hash of a text, and one that an older mem wrote counts all the same.
func TestSumsOfWords(t *testing.T) { onEach(t, testSumsOfWords) }

func testSumsOfWords(t *testing.T, f *fixture) {
	const text = "The database is PostgreSQL on port 5432"
	sum := sha256.Sum256([]byte(content.FoldText(text)))
	plain := hex.EncodeToString(sum[:6])
	f.Put("/port", `{"text":"`+text+`"}`)
	prompt := inject.Options{Trigger: inject.AtPrompt, Message: askPort}
	in := f.deliver(prompt)
	if keysIn(in) != "/port" || in.Memories[0].Text == "" ||
		strings.HasPrefix(in.Memories[0].Text, plain) {
		t.Errorf("%+v", in.Memories)
	}
	in.Conversation, in.Memories[0].Text = "old", plain
	inject.Record(f.Store.Store, in)
	f.Clock = f.Clock.Add(time.Minute)
	f.Put("/port", `{"text":"`+text+`","tags":["renewed"]}`)
	prompt.Conversation = "old"
	if in = f.choose(prompt); keysIn(in) != "" {
		t.Errorf("told again: %+v", in.Memories)
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
	write("The port of the PostgreSQL database in the tests is 5433")
	in := f.choose(inject.Options{Client: "codex", Trigger: inject.AtPrompt, Message: askPort})
	if got := keysIn(in); got != "" || !strings.Contains(left(in), "m-2: written here") {
		t.Errorf("what it wrote since: %q, left %q", got, left(in))
	}
}

// Of notes the words are all there is to know again: the same fact under another id is no news, but
// one that had been replaced meanwhile is.
func TestSameWordsOfNotes(t *testing.T) { onEach(t, testSameWordsOfNotes) }

func testSameWordsOfNotes(t *testing.T, f *fixture) {
	f.garden(24)
	put := func(n int, text, more string) {
		f.Clock = f.Clock.Add(time.Minute)
		f.Import(fmt.Sprint("/note/workspace/m-", n),
			fmt.Sprintf(`{"type":"note","text":"the port of PostgreSQL is %s"%s}`, text, more))
	}
	told := func(want string) {
		f.T.Helper()
		in := f.deliver(inject.Options{Trigger: inject.AtPrompt, Message: askPort})
		if got := keysIn(in); got != want {
			t.Errorf("told %q, want %q (left %s)", got, want, left(in))
		}
	}
	put(1, "100", "")
	told("/note/workspace/m-1")
	put(2, "100", "")
	told("")
	put(1, "100", `,"superseded_by":"/note/workspace/m-3"`)
	put(2, "100", `,"superseded_by":"/note/workspace/m-3"`)
	put(3, "200", "")
	told("/note/workspace/m-3")
	put(3, "200", `,"superseded_by":"/note/workspace/m-4"`)
	put(4, "100", "")
	told("/note/workspace/m-4")
}

// A note that somebody else has renewed is still what the conversation wrote, as long as it has it.
func TestRenewedByOthers(t *testing.T) { onEach(t, testRenewedByOthers) }

func testRenewedByOthers(t *testing.T, f *fixture) {
	write := func(conversation string) {
		f.Clock = f.Clock.Add(time.Minute)
		_, err := note.Add(context.Background(), f.Store.Store, mem.Caller{},
			"The database is PostgreSQL on port 5432", note.Options{Source: []byte(
				`{"kind":"agent","name":"codex","locator":{"session":"` + conversation + `"}}`)})
		f.Must(err)
	}
	told := func(conversation, want string, retained inject.Retained) {
		f.T.Helper()
		f.Clock = f.Clock.Add(time.Minute)
		in := f.choose(inject.Options{Client: "codex", Trigger: inject.AtPrompt, Message: askPort,
			Conversation: conversation, Retained: retained})
		if got := keysIn(in); got != want {
			t.Errorf("%s is told %q, want %q (left %s)", conversation, got, want, left(in))
		}
		inject.Record(f.Store.Store, in)
	}
	write("a")
	write("b")
	told("a", "", inject.RetainedAll)
	told("b", "", inject.RetainedAll)
	told("c", "/note/workspace/m-1", inject.RetainedAll)
	told("a", "/note/workspace/m-1", inject.RetainedNothing) // and it has it again
	write("c")
	told("a", "", inject.RetainedAll)
	told("d", "/note/workspace/m-1", inject.RetainedAll)
}
