package journal

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// The headings of the page.
const (
	title          = "# Your Private Memory"
	coreHeading    = "## Core Memories (permanent)"
	journalHeading = "## Recent Journal Entries"
)

// Page is what goes into a prompt of one agent, oldest first.
type Page struct{ Core, Journal []Memory }

// NewPage returns the page of active entries, in their order.
func NewPage(active []Memory) (p Page) {
	for _, m := range active {
		if m.Level == Core {
			p.Core = append(p.Core, m)
		} else {
			p.Journal = append(p.Journal, m)
		}
	}
	return p
}

// Empty reports whether there is nothing to tell.
func (p *Page) Empty() bool { return len(p.Core)+len(p.Journal) == 0 }

// Text returns the page without an end of its last line; "" where nothing is active.
func (p *Page) Text() string {
	parts := []string{title}
	for _, section := range []struct {
		heading string
		entries []Memory
	}{{coreHeading, p.Core}, {journalHeading, p.Journal}} {
		if len(section.entries) == 0 {
			continue
		}
		lines := []string{section.heading}
		for _, m := range section.entries {
			lines = append(lines, m.line())
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if len(parts) == 1 {
		return ""
	}
	return strings.Join(parts, "\n\n")
}

// line returns an entry as it stands on the page, of one line or more.
func (m *Memory) line() string {
	text := strings.Join(readout.Lines(m.Text), "\n  ")
	if m.Level == Journal {
		return "- [" + dayOf(m.Created) + "] " + text
	}
	return "- " + text
}

// dayOf returns the day of an instant in UTC.
func dayOf(at log.Stamp) string { return at.String()[:len("2006-01-02")] }

// CutCore shortens the core to the newest entries that fit into tokens together, and returns how
// many entries it removed. An entry that is too long even alone is skipped.
func (p *Page) CutCore(tokens int) (left int) {
	p.Core, left = fitting(p.Core, tokens, readout.Tokens)
	return left
}

// fitting returns the newest entries that have room, and how many have none.
func fitting(entries []Memory, room int, size func(string) int) (kept []Memory, left int) {
	used := 0
	for _, m := range slices.Backward(entries) {
		n := size(m.line() + "\n")
		if n > room {
			continue
		}
		if used += n; used > room {
			break
		}
		kept = append(kept, m)
	}
	slices.Reverse(kept)
	return kept, len(entries) - len(kept)
}

// Fit leaves of the page what fits into a size, the page's own lines included: of the core first,
// then of the journal, each the newest first. It returns how many entries it took out.
func (p *Page) Fit(most int, size func(string) int) (left int) {
	room := most - size(title+"\n\n"+coreHeading+"\n\n"+journalHeading+"\n")
	core, withoutCore := fitting(p.Core, room, size)
	for _, m := range core {
		room -= size(m.line() + "\n")
	}
	entries, withoutJournal := fitting(p.Journal, room, size)
	p.Core, p.Journal = core, entries
	return withoutCore + withoutJournal
}

// Group is a conversation of several agents, as one of them sees it.
type Group struct {
	Name   string   // of the agent
	Prompt string   // its own; "" or blank: only its name is given
	Others []string // names of the other participants; none: they are omitted
}

// Prompt returns the system message of an agent: its own prompt, its entries, and the participants.
func Prompt(g Group, p Page) string {
	const limit = 1_000 // characters of a name
	parts := []string{strings.TrimRight(g.Prompt, "\r\n")}
	if strings.TrimSpace(g.Prompt) == "" {
		parts[0] = "You are " + readout.Flatten(g.Name, limit) + "."
	}
	if text := p.Text(); text != "" {
		parts = append(parts, text)
	}
	parts = append(parts, "You are participating in a group conversation.")
	if len(g.Others) > 0 {
		others := make([]string, len(g.Others))
		for i, name := range g.Others {
			others[i] = readout.Flatten(name, limit)
		}
		parts = append(parts, "Other participants: "+strings.Join(others, ", ")+".")
	}
	return strings.Join(parts, "\n\n")
}
