package page

import (
	"fmt"
	"time"

	"github.com/set-memory/mem/census"
)

// chart is a row of bars, one a day, drawn as SVG by its template: every bar is ten wide, and the
// highest a hundred high.
type chart struct {
	Name  string // an id of the document
	Title string
	Unit  string
	Bars  []bar
	Total int
	Most  int
}

// bar is a day.
type bar struct {
	Day     string
	Value   int
	X, Y, H int
}

// Wide is the width of the drawing.
func (c chart) Wide() int { return 10 * len(c.Bars) }

// Summary says in words what the drawing shows.
func (c chart) Summary() string {
	if c.Total == 0 {
		return fmt.Sprintf("Nothing in the last %d days.", len(c.Bars))
	}
	top := c.Bars[0]
	for _, b := range c.Bars {
		if b.Value > top.Value {
			top = b
		}
	}
	return fmt.Sprintf("%s %s in %d days, most on %s: %s.", thousands(c.Total), c.Unit,
		len(c.Bars), top.Day, thousands(top.Value))
}

// newChart draws the days up to now.
func newChart(name, title, unit string, byDay map[string]int, now time.Time) chart {
	c := chart{Name: name, Title: title, Unit: unit, Bars: make([]bar, census.Days)}
	for i := range c.Bars {
		at := now.UTC().AddDate(0, 0, i+1-census.Days)
		text := at.Format(time.DateOnly)
		c.Bars[i] = bar{Day: text, Value: byDay[text], X: 10 * i}
		c.Total += byDay[text]
		c.Most = max(c.Most, byDay[text])
	}
	for i := range c.Bars {
		b := &c.Bars[i]
		if b.Value > 0 {
			b.H = max(2, 100*b.Value/c.Most) // the least that is seen
		}
		b.Y = 100 - b.H
	}
	return c
}
