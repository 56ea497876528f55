package places

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/site"
)

// Exchanges returns the destinations with which the user's own memory is exchanged; none where
// another store is named.
func Exchanges(sites *site.Sites) ([]Row, error) {
	state := sites.Book.Dir()
	if state == "" || sites.User == nil {
		return nil, nil
	}
	places, err := Read(state)
	if err != nil || len(places.List) == 0 {
		return nil, err
	}
	return places.Rows()
}

// Silent is after how long a destination or a machine is worth a warning; one that is silent for
// retired is no longer in use.
const (
	Silent  = 30 * 24 * time.Hour
	retired = 3 * Silent
)

// maxNamed is how many machines a line names, maxName how many characters of their names.
const (
	maxNamed = 20
	maxName  = 64
)

// Line says what was exchanged with a destination, and when with which machine. hasSilent is
// whether one of them should be looked at.
func (r Row) Line(now time.Time) (line string, hasSilent bool) {
	line = "no exchange yet"
	if r.At != 0 {
		line = fmt.Sprintf("%s, %s sent, %d received", text.Ago(now.Sub(r.At.Time())),
			text.Count(r.Sent, "line"), r.Received)
	}
	if r.Project != "" {
		line = r.Extent() + ": " + line
	}
	named := 0
	for _, id := range slices.Sorted(maps.Keys(r.Machines)) {
		m := r.Machines[id]
		gone := now.Sub(m.At.Time())
		if gone >= retired {
			continue
		}
		if named++; named > maxNamed {
			continue
		}
		runes := []rune(m.Name)
		m.Name = string(runes[:min(len(runes), maxName)])
		if gone <= Silent {
			line += "; " + text.Line(m.String()) + ": " + text.Ago(gone)
			continue
		}
		hasSilent = true
		line += "; " + text.Line(m.String()) + " sent nothing since " +
			m.At.String()[:len("2006-01-02")]
	}
	if named > maxNamed {
		line += fmt.Sprintf("; and %d more machines", named-maxNamed)
	}
	if r.Fault != "" {
		line += "; the last exchange failed: " + text.Line(r.Fault)
	}
	return line, hasSilent
}
