package app

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/layers"
)

// Exchanges returns the destinations with which the user's own memory is exchanged; none where
// another store is named.
func Exchanges(l *layers.Layers) ([]exchange.Row, error) {
	state := l.Sites.Book.Dir()
	if state == "" || l.Sites.User == nil {
		return nil, nil
	}
	places, err := exchange.PlacesIn(state)
	if err != nil || len(places.List) == 0 {
		return nil, err
	}
	known, err := site.StoresByIdentity(filepath.Dir(l.Sites.Projects))
	return places.Rows(Absolute(l.Sites.User.Root), known), err
}

// Silent is after how long a destination or a machine is worth a warning; one that is silent for
// retired is no longer in use.
const (
	Silent  = 30 * 24 * time.Hour
	retired = 3 * Silent
)

// Exchanged says in a line what was exchanged with a destination, and when with which machine.
// hasSilent is whether one of them should be looked at.
func Exchanged(row exchange.Row, now time.Time) (line string, hasSilent bool) {
	if row.At == 0 {
		return "no exchange yet", false
	}
	line = fmt.Sprintf("%s, %s sent, %d received", text.Ago(now.Sub(row.At.Time())),
		Count(row.Sent, "line"), row.Received)
	for _, id := range slices.Sorted(maps.Keys(row.Machines)) {
		m := row.Machines[id]
		switch gone := now.Sub(m.At.Time()); {
		case gone <= Silent:
			line += fmt.Sprintf("; %s: %s", m, text.Ago(gone))
		case gone < retired:
			hasSilent = true
			line += fmt.Sprintf("; %s sent nothing since %s", m,
				m.At.String()[:len("2006-01-02")])
		}
	}
	return line, hasSilent
}
