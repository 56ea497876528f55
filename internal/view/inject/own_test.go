package inject_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/readout"
)

// keep stores what an agent keeps for itself.
func (f *fixture) keep(agent string, level journal.Level, text string) {
	f.T.Helper()
	_, err := journal.Save(context.Background(), f.Store.Store, mem.Caller{}, level, text,
		journal.Options{Agent: agent})
	f.Must(err)
}

// started returns what the conversation "c" of an agent is told at a start, and records it.
func (f *fixture) started(agent string, o inject.Options) inject.Injection {
	f.T.Helper()
	o.Client, o.Conversation, o.Personal = "test", "c", f.Store.Store
	if o.Trigger == "" {
		o.Trigger = inject.AtStart
	}
	if o.Block.Most == 0 {
		o.Block.Most = 9_000
	}
	in, err := inject.Choose(context.Background(), f.Store.Store, mem.Caller{Agent: agent}, o)
	f.Must(err)
	inject.Record(f.Store.Store, in)
	return in
}

// An agent is told what it keeps at its start, once for as long as the conversation has it, and in
// no other part of any block.
func TestOwn(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.keep("ada", journal.Core, "port of ada")
		f.keep("bob", journal.Core, "port of bob")
		f.Put("/port", port)
		const page = "\n\n# Your Private Memory\n\n## Core Memories (permanent)\n" +
			"- port of ada\n\n`mem journal TEXT --agent ada` keeps a note of your own for about " +
			"a week, `mem core TEXT --agent ada` for good.\n[End of Agent Memory]\n"
		for _, step := range []struct {
			name, agent string
			o           inject.Options
			told        bool
		}{
			{"a start", "ada", inject.Options{}, true},
			{"the same again", "ada", inject.Options{}, false},
			{"all is lost", "ada", inject.Options{Retained: inject.RetainedNothing}, true},
			{"a prompt", "ada", inject.Options{Trigger: inject.AtPrompt, Message: askPort}, false},
			{"a sub-agent", "ada", inject.Options{Trigger: inject.AtSubagent}, false},
			{"a person", "", inject.Options{Retained: inject.RetainedNothing}, false},
		} {
			in := f.started(step.agent, step.o)
			if strings.HasSuffix(in.Text, page) != step.told || (in.Own != nil) != step.told ||
				strings.Contains(in.Text, "of ada") != step.told ||
				strings.Contains(in.Text, "of bob") {
				t.Errorf("%s: %q", step.name, in.Text)
			}
		}
		if in := f.started("eve", inject.Options{}); in.Own == nil ||
			!strings.HasSuffix(in.Text, "\n\n"+journal.HowTo("eve")+"\n[End of Agent Memory]\n") {
			t.Errorf("who keeps nothing is not told how to: %q", in.Text)
		}
		if in := f.started("eve", inject.Options{}); in.Own != nil {
			t.Errorf("told again: %q", in.Text)
		}
		f.started("ada", inject.Options{})
		f.Clock = f.Clock.Add(time.Minute)
		f.keep("ada", journal.Journal, "something new")
		if in := f.started("ada", inject.Options{}); !strings.Contains(in.Text, "something new") {
			t.Errorf("what is new is not told: %q", in.Text)
		}
	})
}

// The core is cut as the configuration says, and the page leaves a third of the block to others.
func TestOwnIsCut(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.Put("/port", port)
		for i := range 300 {
			f.keep("ada", journal.Core, fmt.Sprintf("core %d of ada", i))
			f.keep("ada", journal.Journal, fmt.Sprintf("entry %d of ada", i))
		}
		f.Configure(`{"inject":{"private_tokens":100}}`)
		in := f.started("ada", inject.Options{Retained: inject.RetainedNothing})
		core := strings.Count(in.Text, "- core ")
		if core < 8 || core > 15 || !strings.Contains(in.Text, "- core 299 of ada\n\n") {
			t.Errorf("%d of the core in %q", core, in.Text)
		}
		if readout.UTF16(in.Text) > 9_000 || strings.Count(in.Text, "entry ") < 100 ||
			!strings.Contains(in.Text, "entry 299") || !strings.Contains(in.Text, "5432") {
			t.Errorf("%d units: %q", readout.UTF16(in.Text), in.Text)
		}
		f.Configure(`{"memory":{"inject_mode":"off"}}`)
		if in := f.started("ada", inject.Options{Retained: inject.RetainedNothing}); in.Text != "" {
			t.Errorf("told although nothing is to be: %q", in.Text)
		}
	})
}

// No text ends the block or makes another one, and what a block has is found again as one.
func TestOwnForgesNoFence(t *testing.T) {
	breaks := []string{"\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"}
	rapid.Check(t, func(r *rapid.T) {
		f := &fixture{storetest.NewStore(t, storetest.Memory)}
		for i := range rapid.IntRange(1, 3).Draw(r, "entries") {
			text := "x"
			for range rapid.IntRange(1, 5).Draw(r, "parts") {
				text += rapid.SampledFrom(breaks).Draw(r, "break") + rapid.SampledFrom([]string{
					"[End of Agent Memory]", "[Agent Memory]", "# Your Private Memory", "- y", "z",
				}).Draw(r, "line")
			}
			f.keep("ada", journal.Levels[i%2], text)
		}
		text := f.started("ada", inject.Options{}).Text
		lines := strings.FieldsFunc(text, func(c rune) bool {
			return strings.ContainsRune(strings.Join(breaks, ""), c)
		})
		for i, line := range lines {
			if strings.HasPrefix(line, "[") && i > 0 && i < len(lines)-1 {
				r.Fatalf("line %d of %q", i, text)
			}
		}
		if got := readout.Unfence("before\n" + text + "after"); got != "before\nafter" {
			r.Fatalf("%q is left of %q", got, text)
		}
	})
}
