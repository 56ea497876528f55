package note_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/readout"
)

// N-47 to N-49 through the API: the tabs are there unasked, although no word is shared.
func TestNotesForAPrompt(t *testing.T) { onEach(t, testNotesForAPrompt) }

func testNotesForAPrompt(t *testing.T, f *fixture) {
	page, err := f.read(note.ReadOptions{Message: "anything"})
	if err != nil || len(page.Entries) > 0 || f.Made() {
		t.Errorf("without a store: %v %v", page, err)
	}
	f.note("User prefers tabs over spaces", "preference")
	f.note("The database is PostgreSQL on port 5432")
	show := func(o note.ReadOptions) string {
		t.Helper()
		page, err := f.read(o)
		f.Must(err)
		var out strings.Builder
		f.Must(page.WriteText(&out))
		return out.String()
	}
	const (
		tabs = "- (m-1, preference) User prefers tabs over spaces\n"
		port = "- (m-2) The database is PostgreSQL on port 5432\n"
		both = "[Memories]\n" + tabs + port
	)
	if got := show(note.ReadOptions{Message: "What indentation style should I use?"}); got != both {
		t.Error(got)
	}
	if got := show(note.ReadOptions{Message: "which DATABASE?"}); got != "[Memories]\n"+port {
		t.Error(got)
	}
	if got := show(note.ReadOptions{Mode: readout.NotesOff}); got != "" {
		t.Error(got)
	}
	f.Configure(
		`{"memory":{"inject_mode":"recent_only","max_inject_count":1,"max_inject_chars":30}}`,
	)
	if got := show(note.ReadOptions{Message: "database"}); got != "[Memories]\n"+tabs {
		t.Error(got)
	}
	o := note.ReadOptions{Message: "tabs", Mode: readout.NotesRelevant}
	if got := show(o); got != "[Memories]\n"+tabs {
		t.Error(got)
	}
	if _, err := f.read(note.ReadOptions{Mode: "some"}); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
}

func TestNoteLimitsAreChecked(t *testing.T) { onEach(t, testNoteLimitsAreChecked) }

func testNoteLimitsAreChecked(t *testing.T, f *fixture) {
	for text, says := range map[string]string{
		`{"memory":{"inject_mode":"all"}}`:         `memory.inject_mode: want relevant, recent_only or off, not "all"`,
		`{"memory":{"max_inject_chars":-1}}`:       "memory.max_inject_chars: want a whole number, 0 or more, not -1",
		`{"memory":{"max_inject_count":-1}}`:       "memory.max_inject_count: want a whole number, 0 or more, not -1",
		`{"memory":{"max_total":0}}`:               "memory.max_total: want a whole number, 1 or more, not 0",
		`{"memory":{"max_totals":5}}`:              "memory.max_totals: no such member",
		`{"memory":{"max_total":"many"}}`:          `memory.max_total: want a whole number, 1 or more, not "many"`,
		`{"max_total":5}`:                          "max_total: no such member",
		`{"memory":{"max_total":9}, "auto": true}`: "auto: no such member",
	} {
		f.Configure(text)
		if _, err := f.add("x", note.Options{}); !errors.Is(err, mem.ErrInput) ||
			err.Error() != "config.json: line 1: "+says {
			t.Errorf("%s: %v", text, err)
		}
	}
	f.Configure(`{"memory":{"max_total":7}}`)
	conf, err := f.Config(ctx)
	f.Must(err)
	want := settings.Default().Memory
	if want.MaxTotal = 7; conf.Memory != want {
		t.Errorf("%+v, want %+v", conf.Memory, want)
	}
}
