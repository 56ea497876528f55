package readout

import (
	"fmt"
	"strings"
	"time"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Labels makes the labels of the lines of a block: the name of a memory, by which an agent can
// fetch or forget it, and its age or day, by which it can judge how far to trust it:
//
//	(m-93, 3d) text
//	(project/db, 18 Nov 2024, web) text
type Labels struct {
	// Days prints the day in place of the age: clients replay old prompts, and an age would then be
	// wrong.
	Days bool
	Zone *time.Location // of days; nil: UTC
	// Alone reports whether the id of the note at a key is unique; else its key is shown. nil:
	// every id does.
	Alone func(key string) bool
}

// label returns the label of an entry: its name, its age or day, and its origin if it has one.
func (l *Labels) label(e *Entry, now log.Stamp) string {
	var name string
	isOthers := e.Standing == RepositoryFact || e.Standing == TeamRule
	if name, e.byID = l.name(e.Key); isOthers && strings.HasPrefix(name, "u-") {
		name = keypath.Name(e.Key) // the id means a note of the user's own layer
	}
	label := "(" + name + ", " + l.ageOrDay(e.Time, now)
	switch {
	case e.Standing == TeamRule:
		label += ", by " + e.By
	case e.Origin != "":
		label += ", " + e.Origin
	}
	return label + ")"
}

// apart are the characters of a label around the name, and those that look like them.
const apart = "(),（），"

// name returns the shortest name that verbs accept: the id of a note, else the key. A key with a
// character that a label has around it stands in quotes.
func (l *Labels) name(key string) (name string, isID bool) {
	if parsed, err := keypath.Parse(key); err == nil {
		if id, ok := keypath.NoteID(parsed); ok && (l.Alone == nil || l.Alone(key)) {
			return id, true
		}
	}
	if name = keypath.Name(key); strings.ContainsAny(name, apart) && !strings.HasPrefix(name, `"/`) {
		name = keypath.Quote(key)
	}
	return defuseName(name, key), false
}

// sameYear is how long a day needs no year.
const sameYear = 180 * 24 * time.Hour

func (l *Labels) ageOrDay(at, now log.Stamp) string {
	then, today := at.Time(), now.Time()
	if !l.Days {
		return Age(today.Sub(then))
	}
	day := then
	if l.Zone != nil {
		day = then.In(l.Zone)
	}
	if d := today.Sub(then); d > sameYear || d < -sameYear {
		return day.Format("2 Jan 2006")
	}
	return day.Format("2 Jan")
}

// Age returns how long ago something was, in the largest unit that it reaches: 40s, 5m, 30h, 3d. A
// time in the future is 0s.
func Age(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
