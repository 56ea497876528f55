package readout

import (
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// Line is an entry of a page for a program on another machine, which prints it by its own rules
// ([Query.PackSent]).
type Line struct {
	Key    string    `json:"key"`
	Text   string    `json:"text,omitempty"`
	Kind   string    `json:"kind,omitempty"` // the type of the memory
	Origin string    `json:"origin,omitempty"`
	TS     log.Stamp `json:"ts"`
	Time   log.Stamp `json:"time,omitempty"`   // of the memory, where it is not TS
	ByID   bool      `json:"by_id,omitempty"`  // the id of the note means this memory alone
	Pinned bool      `json:"pinned,omitempty"` // it has room before all others
	Held   int       `json:"held,omitempty"`   // memories that it stands for, too
	About  string    `json:"about,omitempty"`  // the words that these have in common
	// Rule is the member of the team who made the memory a rule there; "" for any other memory.
	Rule string `json:"rule,omitempty"`
}

// Sent returns the entries of a page for another machine.
func (p Page) Sent() []Line {
	lines := make([]Line, 0, len(p.Entries))
	for i := range p.Entries {
		e := &p.Entries[i]
		line := Line{Key: e.Key, Text: e.Text, Kind: e.Type, Origin: e.Origin, TS: e.TS,
			ByID: e.byID, Pinned: i < p.Pinned, Held: e.held, About: e.about, Rule: e.By}
		if e.Time != e.TS {
			line.Time = e.Time
		}
		lines = append(lines, line)
	}
	return lines
}

// PackSent fills a page with lines that another machine has sent, in their order. Whatever they
// say, each is a fact that others may have written; but where the rules of its team bind here, a
// line that names the member who made it is one of these. more is how many pinned memories had no
// room there. The query has labels.
func (q Query) PackSent(lines []Line, more int, bind bool) Page {
	byID := map[string]bool{}
	labels := *q.Labels
	labels.Alone = func(key string) bool { return byID[key] }
	q.Labels, q.AsRanked = &labels, true
	q.Standing = func(*Item) Standing { return RepositoryFact }
	var pinned, others []Candidate
	for _, line := range lines {
		byID[line.Key] = line.ByID
		if line.Pinned {
			pinned = append(pinned, line.candidate(&q, bind))
		} else {
			others = append(others, line.candidate(&q, bind))
		}
	}
	page, _ := q.PackPinned(Pinned{Rules: pinned}, len(lines), func(yield func(Candidate, error) bool) {
		for _, c := range others {
			if !yield(c, nil) {
				return
			}
		}
	})
	page.MorePinned += min(max(more, 0), maxMore)
	return page
}

func (l *Line) candidate(q *Query, bind bool) Candidate {
	var source jsontext.Object
	source.TextUnlessEmpty("kind", l.Origin)
	it := Item{Key: l.Key, TS: l.TS, Source: source.Bytes(), Fields: content.Fields{
		Type: l.Kind, Text: l.Text, Created: l.Time, HasCreated: l.Time != 0}}
	c := q.NewCandidate(&it, Parts{})
	if bind && content.IsMember(l.Rule) {
		c.Standing, c.by = TeamRule, l.Rule
	}
	if l.Held > 0 && areWords(l.About) {
		c.held, c.about = min(l.Held, maxMore), l.About
	}
	return c
}

// areWords reports whether a text is words as a summary line has them, and nothing else: the line
// is a command of a shell.
func areWords(text string) bool {
	words := strings.Split(text, " ")
	for _, word := range words {
		if word == "" || len(word) > MaxShort || strings.ContainsFunc(word, betweenWords) {
			return false
		}
	}
	return minAbout <= len(words) && len(words) <= maxAbout
}
