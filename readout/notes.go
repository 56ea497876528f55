package readout

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// NotesHeader is the first line of the block of notes.
const NotesHeader = "[Memories]\n"

// recentNotes is how many notes are shown if none matches the message.
const recentNotes = 5

// NoteMode selects how notes are chosen for a prompt.
type NoteMode string

// The modes.
const (
	NotesRelevant NoteMode = "relevant"    // those that share words with the message, or the newest
	NotesRecent   NoteMode = "recent_only" // the newest, whatever the message says
	NotesOff      NoteMode = "off"         // none
)

// NoteModes lists the modes, for a message.
const NoteModes = string(NotesRelevant + ", " + NotesRecent + " or " + NotesOff)

// IsKnown reports whether m is one of the three modes.
func (m NoteMode) IsKnown() bool { return m == NotesRelevant || m == NotesRecent || m == NotesOff }

// Note is a short fact that an agent stored.
type Note struct {
	Key  keypath.Key
	ID   string // m-<number>, counting up as notes are made, or with letters after it
	Name string // by which people read it, as the number alone; "": ID
	Text string
	Tags []string
	TS   log.Stamp
	Time log.Stamp // of the memory, see Item.Time; 0: TS

	Layer        string // as log.Record.Layer
	Repository   bool   // on a page: it is a fact of a repository
	SupersededBy string // as content.Fields.SupersededBy
	Untrusted    bool   // as mem.Memory.Untrusted

	Files  []content.File // as content.Fields.Files
	Remark string         // as Remark returns it; the caller sets it
}

// Timestamp returns the time of the note, by which it is ranked and shown.
func (n Note) Timestamp() log.Stamp { return cmp.Or(n.Time, n.TS) }

// Newer orders the newest first: by time, and at the same instant by number.
func (n Note) Newer(o Note) int {
	return cmp.Or(cmp.Compare(o.Timestamp(), n.Timestamp()), compareIDs(o.ID, n.ID))
}

// compareIDs orders ids by their numbers, which have no leading zeros.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(shortID(a)), len(shortID(b))), strings.Compare(a, b))
}

// shortID returns m-4 of m-4-abcdef, and of m-4.
func shortID(id string) string {
	kind, rest, _ := strings.Cut(id, "-")
	number, _, _ := strings.Cut(rest, "-")
	return kind + "-" + number
}

// NoteQuery holds the message and the limits by which notes are chosen for a prompt.
type NoteQuery struct {
	Now      log.Stamp // the time that ages are counted from
	Message  string    // the last one of the user
	Mode     NoteMode
	MaxChars int // of the notes' texts together, in code points
	MaxCount int
}

// NotePage is the block of notes, in the order of their numbers.
type NotePage struct {
	Entries []NoteEntry
	Chars   int // of their texts together, never over MaxChars
}

// NoteEntry is one note on a page, with the score that chose it; zero where nothing is scored.
type NoteEntry struct {
	Note
	Score Overlap
}

// Page returns the candidates of the mode that fit, best first. One that does not fit is skipped.
func (q NoteQuery) Page(notes []Note) (p NotePage) {
	for _, e := range q.candidates(notes) {
		chars := utf8.RuneCountInString(e.Text)
		if len(p.Entries) < q.MaxCount && p.Chars+chars <= q.MaxChars {
			p.Entries = append(p.Entries, e)
			p.Chars += chars
		}
	}
	slices.SortFunc(p.Entries, func(a, b NoteEntry) int { return compareIDs(a.ID, b.ID) })
	return p
}

func (q NoteQuery) candidates(notes []Note) []NoteEntry {
	switch q.Mode {
	case NotesRelevant:
		if matching := q.matching(notes); len(matching) > 0 {
			return matching
		}
		recent := newest(notes)
		return recent[:min(len(recent), recentNotes)]
	case NotesRecent:
		return newest(notes)
	}
	return nil
}

// matching returns the notes that share a word with the message, best first.
func (q NoteQuery) matching(notes []Note) (entries []NoteEntry) {
	message := words(q.Message)
	for _, n := range notes {
		if score := overlap(message, n.Text, n.Timestamp(), q.Now); score.Words > 0 {
			entries = append(entries, NoteEntry{n, score})
		}
	}
	slices.SortFunc(entries, func(a, b NoteEntry) int {
		return cmp.Or(cmp.Compare(b.Score.Total(), a.Score.Total()), a.Newer(b.Note))
	})
	return entries
}

func newest(notes []Note) []NoteEntry {
	entries := make([]NoteEntry, len(notes))
	for i, n := range notes {
		entries[i].Note = n
	}
	slices.SortFunc(entries, func(a, b NoteEntry) int { return a.Newer(b.Note) })
	return entries
}

// WriteText writes the header, then one line for each note; nothing without notes.
func (p NotePage) WriteText(w io.Writer) error {
	if len(p.Entries) == 0 {
		return nil
	}
	var out strings.Builder
	out.WriteString(NotesHeader)
	for _, e := range p.Entries {
		out.WriteString(e.line())
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// line returns `- (name, first tag) text`, by which an agent can delete the note.
func (n Note) line() string {
	label := cmp.Or(n.Name, n.ID)
	if n.Repository {
		label += ", repository"
	}
	if len(n.Tags) > 0 {
		if tag := Flatten(n.Tags[0], MaxType); tag != "" {
			label += ", " + tag
		}
	}
	return strings.TrimRight("- ("+label+") "+Flatten(n.Text, len(n.Text)), " ") + "\n"
}
