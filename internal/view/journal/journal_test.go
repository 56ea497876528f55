package journal_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// ada is the agent of most tests.
var ada = mem.Caller{Agent: "ada"}

// fixture is a store under test in which agents keep what they want.
type fixture struct{ *storetest.Store }

func onEach(t *testing.T, test func(*fixture)) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) { test(&fixture{s}) })
}

// save stores a text for ada.
func (f *fixture) save(level journal.Level, text string) journal.Memory {
	f.T.Helper()
	m, err := journal.Save(ctx, f.Store.Store, ada, level, text, journal.Options{})
	f.Must(err)
	return m
}

// old is save of some time ago.
func (f *fixture) old(age time.Duration, level journal.Level, text string) journal.Memory {
	f.T.Helper()
	now := f.Clock
	f.Clock = now.Add(-age)
	defer func() { f.Clock = now }()
	return f.save(level, text)
}

// active returns what a prompt of ada is told.
func (f *fixture) active() []journal.Memory {
	f.T.Helper()
	active, err := journal.ForPrompt(ctx, f.Store.Store, mem.Caller{}, "ada")
	f.Must(err)
	return active
}

// context returns the page of ada.
func (f *fixture) context() string {
	f.T.Helper()
	page := journal.NewPage(f.active())
	return page.Text()
}

func (f *fixture) now() log.Stamp { return log.StampOf(f.Clock) }

func (f *fixture) counts(core, entries int) {
	f.T.Helper()
	n, err := journal.Count(ctx, f.Store.Store, mem.Caller{}, "ada")
	f.Must(err)
	if n != (journal.Counts{Core: core, Journal: entries}) {
		f.T.Errorf("%+v, want %d and %d", n, core, entries)
	}
}

const (
	week     = 7 * 24 * time.Hour
	twoWeeks = 2 * week
	year     = 365 * 24 * time.Hour
)

// The tests of the specification: of the model (J-31 to J-34).

func TestCreatesJournalMemory(t *testing.T) {
	onEach(t, func(f *fixture) {
		m := f.save(journal.Journal, "Test memory")
		if m.Level != journal.Journal || m.Expired(f.now()) {
			t.Errorf("%+v", m)
		}
		f.counts(0, 1)
	})
}

func TestCreatesCoreMemory(t *testing.T) {
	onEach(t, func(f *fixture) {
		m := f.save(journal.Core, "Core belief")
		if m.Level != journal.Core || m.Expired(f.now()) {
			t.Errorf("%+v", m)
		}
		f.counts(1, 0)
	})
}

func TestForPromptIncludesCoreMemories(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.save(journal.Core, "Core")
		if got := f.active(); len(got) != 1 || got[0].Text != "Core" {
			t.Errorf("%+v", got)
		}
	})
}

func TestForPromptIncludesRecentJournalEntries(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.save(journal.Journal, "Recent")
		if got := f.active(); len(got) != 1 || got[0].Text != "Recent" {
			t.Errorf("%+v", got)
		}
	})
}

func TestForPromptExcludesOldJournalEntries(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.old(twoWeeks, journal.Journal, "Old")
		if got := f.active(); len(got) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestExpiredReturnsTrueForOldJournalEntries(t *testing.T) {
	onEach(t, func(f *fixture) {
		if m := f.old(twoWeeks, journal.Journal, "Old"); !m.Expired(f.now()) {
			t.Errorf("%+v", m)
		}
	})
}

func TestExpiredReturnsFalseForCoreMemories(t *testing.T) {
	onEach(t, func(f *fixture) {
		if m := f.old(year, journal.Core, "Core"); m.Expired(f.now()) {
			t.Errorf("%+v", m)
		}
	})
}

func TestValidatesContentPresence(t *testing.T) {
	onEach(t, func(f *fixture) {
		for _, text := range []string{"", "   ", "\n\t\u00a0\u2028\u3000"} {
			f.refused(journal.ErrBlank, text)
		}
	})
}

func TestValidatesContentLength(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.refused(journal.ErrTooLong, strings.Repeat("x", 10_001))
		f.refused(journal.ErrTooLong, strings.Repeat("牙", 10_001))
		for _, letter := range []string{"x", "牙", "🦷", "\""} {
			m := f.save(journal.Core, "\n "+strings.Repeat(letter, 10_000)+" \t")
			if m.Text != strings.Repeat(letter, 10_000) {
				t.Errorf("10,000 times %s are kept as %d bytes", letter, len(m.Text))
			}
		}
	})
}

// refused stores nothing.
func (f *fixture) refused(want error, text string) {
	f.T.Helper()
	_, err := journal.Save(ctx, f.Store.Store, ada, journal.Core, text, journal.Options{})
	if !errors.Is(err, want) || f.Made() {
		f.T.Errorf("%.20q: %v, want %v", text, err, want)
	}
}

// The tests of the specification: of the context (J-35).

func TestMemoryContextReturnsNilWhenNoMemories(t *testing.T) {
	onEach(t, func(f *fixture) {
		if got := f.context(); got != "" {
			t.Errorf("%q", got)
		}
	})
}

func TestMemoryContextFormatsCoreMemories(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.save(journal.Core, "I am helpful")
		want := "# Your Private Memory\n\n## Core Memories (permanent)\n- I am helpful"
		if got := f.context(); got != want {
			t.Errorf("%q", got)
		}
	})
}

func TestMemoryContextFormatsJournalEntriesWithDates(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.save(journal.Journal, "Met a user")
		got := f.context()
		if !strings.Contains(got, "## Recent Journal Entries\n") ||
			!regexp.MustCompile(`(?m)^- \[\d{4}-\d{2}-\d{2}\] Met a user$`).MatchString(got) {
			t.Errorf("%q", got)
		}
	})
}

func TestMemoryContextExcludesExpiredJournalEntries(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.old(twoWeeks, journal.Journal, "Old news")
		if got := f.context(); got != "" {
			t.Errorf("%q", got)
		}
		f.counts(0, 1)
	})
}

// Beyond the specification.

// The week is inclusive to the microsecond, by --now, and nothing of it is stored.
func TestWeekIsInclusive(t *testing.T) {
	onEach(t, func(f *fixture) {
		m := f.save(journal.Journal, "Edge")
		for _, c := range []struct {
			age     time.Duration
			expired bool
		}{
			{-time.Hour, false}, {0, false}, {week - time.Microsecond, false}, {week, false},
			{week + time.Microsecond, true},
		} {
			now := log.StampOf(f.Clock.Add(c.age))
			active, err := journal.ForPrompt(ctx, f.Store.Store, mem.Caller{Now: now}, "ada")
			f.Must(err)
			if m.Expired(now) != c.expired || (len(active) == 0) != c.expired {
				t.Errorf("after %s: expired %v, %d active", c.age, m.Expired(now), len(active))
			}
		}
		text := f.Logged()
		if strings.Contains(text, "expire") || !strings.Contains(text,
			`"content":{"type":"journal","text":"Edge","created_at":"2026-02-22T12:00:00.000000Z"}`) {
			t.Errorf("stored: %s", text)
		}
	})
}

// The page has the core first, each section oldest first, equal times in the order of the writes.
func TestPageIsInOrder(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.save(journal.Journal, "third")
		f.save(journal.Journal, "fourth")
		f.old(5*24*time.Hour, journal.Journal, "second")
		f.old(year, journal.Core, "first of all")
		f.save(journal.Core, "then this")
		want := "# Your Private Memory\n\n## Core Memories (permanent)\n- first of all\n" +
			"- then this\n\n## Recent Journal Entries\n- [2026-02-17] second\n" +
			"- [2026-02-22] third\n- [2026-02-22] fourth"
		if got := f.context(); got != want {
			t.Errorf("%s", got)
		}
	})
}

// What has expired or was superseded by other hands is told by no page.
func TestPageLeavesOutWhatNoReadTells(t *testing.T) {
	onEach(t, func(f *fixture) {
		for i, content := range []string{`{"text":"over","expired_at":"2020-01-01"}`,
			`{"text":"gone","superseded_by":"/x"}`, `{"other":"no text"}`} {
			f.Put(fmt.Sprintf("/agent/ada/core/%026d", i), content)
		}
		if got := f.context(); !strings.HasSuffix(got, "\n- {\"other\":\"no text\"}") {
			t.Errorf("%q", got)
		}
		f.counts(3, 0)
	})
}

func TestAgentIDs(t *testing.T) {
	for _, id := range []string{"a", "Ada", "a.b@c-d_9", "...", strings.Repeat("x", 64)} {
		if err := journal.CheckAgent(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "a/b", "a b", "é", "a\n", strings.Repeat("x", 65),
		"%41", "a\x00"} {
		err := journal.CheckAgent(id)
		if !errors.As(err, new(*journal.AgentError)) || mem.KindOf(err) != mem.KindInput {
			t.Errorf("%q: %v", id, err)
		}
	}
}
