package note_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/note"
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
	const below = "config.json: bad input: " +
		"memory.max_inject_chars and memory.max_inject_count must not be below 0"
	for text, says := range map[string]string{
		`{"memory":{"inject_mode":"all"}}`:         `config.json: bad input: memory.inject_mode "all": want relevant, recent_only or off`,
		`{"memory":{"max_inject_chars":-1}}`:       below,
		`{"memory":{"max_inject_count":-1}}`:       below,
		`{"memory":{"max_total":0}}`:               "config.json: bad input: memory.max_total must be above 0",
		`{"memory":{"max_totals":5}}`:              `config.json: bad input: json: unknown field "max_totals"`,
		`{"memory":{"max_total":"many"}}`:          "memory.max_total of type int",
		`{"max_total":5}`:                          `config.json: bad input: json: unknown field "max_total"`,
		`{"memory":{"max_total":9}, "auto": true}`: `config.json: bad input: json: unknown field "auto"`,
	} {
		f.Configure(text)
		if _, err := f.add("x", note.Options{}); !errors.Is(err, mem.ErrInput) ||
			!strings.HasSuffix(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	f.Configure(`{"memory":{"max_total":7}}`)
	conf, err := f.Config(ctx)
	f.Must(err)
	want := mem.DefaultNoteLimits
	if want.MaxTotal = 7; conf.Memory != want {
		t.Errorf("%+v, want %+v", conf.Memory, want)
	}
}
