package ledger_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
)

// kindOf is an event of a kind that says something.
func kindOf(kind, content string) ledger.Event {
	return ledger.Event{Session: "s1", Kind: kind, Content: json.RawMessage(content),
		Refs: []string{"/fact/a"}, Actor: ledger.Actor{Type: "agent", ID: "ada"}}
}

// below returns the live contents below a prefix by their ids.
func (l *lab) below(prefix string) map[string]string {
	list := map[string]string{}
	for key, text := range l.All() {
		if id, is := strings.CutPrefix(key, prefix); is {
			list[id] = text
		}
	}
	return list
}

// one returns the only content below a prefix, with its id.
func (l *lab) one(prefix string) (id, text string) {
	l.T.Helper()
	list := l.below(prefix)
	if len(list) != 1 {
		l.T.Fatalf("%d below %s: %v", len(list), prefix, list)
	}
	for id, text = range list {
	}
	return id, text
}

// An event of kind decision stands in the ledger, refers to itself, and supersedes.
func TestEventDecides(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		first := l.record(kindOf("decision",
			`{"text":"Go","rationale":"it is fast","alternatives":["Rust","C"]}`))
		old, text := l.one("/decision/")
		for _, part := range []string{`"decision":"Go"`, `"status":"active"`, `"s1"`,
			`"rationale":["it is fast"]`, `"alternatives":["Rust","C"]`,
			fmt.Sprintf(`"refs":[%q]`, first.Event)} {
			if !strings.Contains(text, part) {
				t.Errorf("%s is not in %s", part, text)
			}
		}
		rec, err := l.Get(ctx, mem.Caller{}, keypath.MustParse("/decision/"+old), false)
		l.Must(err)
		if source := string(rec.Source); !strings.Contains(source, `"name":"ada"`) ||
			!strings.Contains(source, first.Event) {
			t.Errorf("from %s", source)
		}
		l.record(kindOf("decision", fmt.Sprintf(`{"decision":"Go 2","supersedes":[%q]}`, old)))
		list := l.below("/decision/")
		if len(list) != 2 || !strings.Contains(list[old], `"status":"superseded"`) {
			t.Errorf("%v", list)
		}
		_, err = l.book.Record(ctx, kindOf("decision",
			fmt.Sprintf(`{"decision":"Go 3","supersedes":[%q]}`, old)))
		if mem.KindOf(err) != mem.KindRefused || len(l.below("/event/")) != 2 {
			t.Errorf("superseded twice: %v, %d events", err, len(l.below("/event/")))
		}
	})
}

// An event of kind task_update makes a task, and changes one that is there.
func TestEventUpdatesTask(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		first := l.record(kindOf("task_update", `{"title":"port it","details":"to Go"}`))
		id, _ := l.one("/task/")
		e := kindOf("task_update", fmt.Sprintf(`{"task_id":%q,"status":"doing"}`, id))
		done := kindOf("task_update", fmt.Sprintf(`{"task_id":%q,"status":"done"}`, id))
		list, err := l.book.Record(ctx, e, done)
		l.Must(err)
		_, text := l.one("/task/")
		for _, part := range []string{`"title":"port it"`, `"status":"done"`, `"details":"to Go"`,
			`"private"`, fmt.Sprintf(`"refs":[%q,%q,%q]`, first.Event, list[0].Event,
				list[1].Event)} {
			if !strings.Contains(text, part) {
				t.Errorf("%s is not in %s", part, text)
			}
		}
		for _, content := range []string{`{"task_id":"T-7","status":"done"}`,
			`{"task_id":"task_01KJ2KH3EG1GW60J423CNHT7PE"}`, `{"title":"x","status":"late"}`} {
			if _, err := l.book.Record(ctx, kindOf("task_update", content)); err == nil {
				t.Errorf("%s is stored", content)
			}
		}
		if n := len(l.below("/event/")); n != 3 {
			t.Errorf("%d events", n)
		}
	})
}

// What an event brings says no secret, and is told to nobody who is not told of the event.
func TestWhatEventsBringIsTheirs(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		reply, err := l.book.PutTask(ctx, ledger.Task{Title: "for all",
			Scope: ledger.Scope{Channel: "team"}})
		l.Must(err)
		_, err = l.book.Record(ctx, kindOf("task_update",
			fmt.Sprintf(`{"task_id":%q,"details":"for us"}`, reply.ID)))
		if mem.KindOf(err) != mem.KindRefused {
			t.Errorf("the team is told of a private event: %v", err)
		}
		hidden := kindOf("decision", `{"text":"hush"}`)
		hidden.Sensitivity = "secret"
		l.record(hidden)
		for _, content := range []string{`{"note":1}`, `{"text":" "}`, `[1]`,
			`{"text":"maybe","status":"proposed"}`} {
			l.record(kindOf("decision", content))
		}
		if list := l.below("/decision/"); len(list) > 0 {
			t.Errorf("%v", list)
		}
		l.record(kindOf("decision", `{"text":"use `+token+`"}`))
		if _, text := l.one("/decision/"); strings.Contains(text, token) {
			t.Error(text)
		}
	})
}
