package bundle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/bundle"

	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
)

var ctx = context.Background()

// lab is a book over a store, whose clock moves on by a second with each call.
type lab struct {
	*storetest.Store
	book *ledger.Book
}

func newLab(s *storetest.Store) *lab {
	return &lab{s, ledger.New(s.Store, mem.Caller{},
		ledger.Options{Cache: ledger.NewCache(10_000)})}
}

func eachLab(t *testing.T, test func(*testing.T, *lab)) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) { test(t, newLab(s)) })
}

// message is an event of a person.
func message(session, text string) ledger.Event {
	return ledger.Event{Session: session, Actor: ledger.Actor{Type: "human", ID: "user"},
		Kind: "message", Content: textContent(text)}
}

func textContent(text string) json.RawMessage {
	quoted, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		panic(err)
	}
	return quoted
}

// result is an event of a tool that has read a file.
func result(session, path, text string) ledger.Event {
	value, err := json.Marshal(map[string]any{"tool": "fs.read_file", "path": path, "text": text})
	if err != nil {
		panic(err)
	}
	return ledger.Event{Session: session, Actor: ledger.Actor{Type: "tool", ID: "fs.read_file"},
		Kind: "tool_result", Content: value}
}

func (l *lab) record(e ledger.Event) ledger.Recorded {
	l.T.Helper()
	l.Clock = l.Clock.Add(time.Second)
	list, err := l.book.Record(ctx, e)
	l.Must(err)
	return list[0]
}

func (l *lab) decide(d ledger.Decision) string {
	l.T.Helper()
	l.Clock = l.Clock.Add(time.Second)
	reply, err := l.book.Decide(ctx, d)
	l.Must(err)
	return reply.ID
}

// ask is a request of agent ada in session s1.
func ask(query string) bundle.Request {
	return bundle.Request{Session: "s1", Agent: "ada", Query: query}
}

func (l *lab) build(r bundle.Request) bundle.Bundle {
	l.T.Helper()
	b, err := bundle.Build(ctx, l.book, r)
	l.Must(err)
	return b
}

// fromUser is the source of a person.
const fromUser = `{"kind":"user","name":"me"}`

// says stores a memory with a source.
func (l *lab) says(key, content, source string) {
	l.T.Helper()
	w := storetest.Write(key, content)
	w.Source = []byte(source)
	_, err := l.Set(ctx, mem.Caller{}, w, mem.SetOptions{})
	l.Must(err)
}

// texts returns the texts of a section.
func texts(b bundle.Bundle, section string) (list []string) {
	for _, s := range b.Sections {
		if s.Name == section {
			for _, it := range s.Items {
				list = append(list, it.Text)
			}
		}
	}
	return list
}

// All below /rules is a rule, as for hooks: the widest first.
func TestRulesOfAnyGroup(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		for _, key := range []string{"user/a", "team/b", "project/c", "org/d", "e"} {
			l.says("/rules/"+key, `{"text":"Rule of `+key+`."}`, fromUser)
		}
		b := l.build(ask(""))
		want := "[Rule of org/d. Rule of e. Rule of team/b. Rule of project/c. Rule of user/a.]"
		if got := fmt.Sprint(texts(b, "rules")); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if refs := b.Sections[0].Items[2].Refs; refs[0] != "view:rules.team" {
			t.Errorf("%v", refs)
		}
	})
}

func TestBundle(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		l.Put("/agent/ada/identity", `{"text":"You are Ada, careful."}`)
		l.Put("/rules/project/deps", `{"text":"No dependencies."}`)
		l.says("/user/preference/tone", `{"type":"preference","text":"Short answers."}`, fromUser)
		_, nerr := note.Add(ctx, l.Store.Store, mem.Caller{}, "The gate is green",
			note.Options{Pinned: true})
		l.Must(nerr)
		l.says("/user/preference/agents", `{"type":"preference","text":"Tabs."}`,
			`{"kind":"agent","name":"codex"}`)
		_, nerr = note.Add(ctx, l.Store.Store, mem.Caller{Client: "codex"}, "Friday is free",
			note.Options{Pinned: true})
		l.Must(nerr)
		l.Put("/project/tool", `{"text":"The tool prints a purpose with --about"}`)
		said := l.record(message("s1", "what is the purpose of this project?"))
		const readme = "# Legacy\n\nThe purpose of the project is billing."
		read := l.record(result("s1", "README.md", readme))
		l.record(message("s2", "the weather is fine"))
		dec := l.decide(ledger.Decision{Text: "Project purpose: billing",
			Scope: ledger.Scope{Refs: []string{read.Chunks[0]}}})

		task, err := l.book.PutTask(ctx, ledger.Task{Title: "describe the purpose"})
		l.Must(err)
		_, err = l.book.PutHandoff(ctx, ledger.Handoff{To: "ada", Text: "bob stopped at billing",
			Scope: ledger.Scope{Session: "s1"}})
		l.Must(err)
		b := l.build(ask("purpose of the project"))
		want := map[string][]string{
			"identity":        {"You are Ada, careful."},
			"rules":           {"No dependencies.", "Short answers.", "The gate is green"},
			"task_state":      {"open: describe the purpose"},
			"decision_ledger": {"Project purpose: billing"},
			"handoff_packet":  {"bob stopped at billing"},
			"retrieved_evidence": {"(codex) Tabs.", "(agent) Friday is free",
				"fs.read_file, 2026-02-22: " + readme,
				"2026-02-22: The tool prints a purpose with --about"},
			"recent_window": {"User: what is the purpose of this project?"},
		}
		for name, list := range want {
			if got := texts(b, name); fmt.Sprint(got) != fmt.Sprint(list) {
				t.Errorf("%s: %q, want %q", name, got, list)
			}
		}
		text, _ := json.Marshal(b)
		for _, id := range []string{said.Event, read.Event, read.Chunks[0], dec, task.ID} {
			if !strings.Contains(string(text), id) {
				t.Errorf("%s is not in the bundle", id)
			}
		}
		if b.Provenance.Pool != 3 || !strings.HasPrefix(b.ID, "acb_") {
			t.Errorf("%+v", b)
		}
	})
}
