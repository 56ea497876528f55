package page

import (
	"fmt"
	"time"
)

// The measures of a drawing.
const (
	step = 10
	high = 100
)

// chart is a row of bars, one a day: every bar is step wide, and the highest is high. A template
// makes a rect of SVG for each.
type chart struct {
	Name  string // an id in the document
	Title string
	Unit  string
	Bars  []bar
	Total int
	most  int
	one   string // of the unit
}

type bar struct {
	Day     string
	Value   int
	X, Y, H int
}

// Wide is the width of the drawing.
func (c chart) Wide() int { return step * len(c.Bars) }

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
	return fmt.Sprintf("%s in %d days, most on %s: %s.", plural(c.Total, c.one, c.Unit),
		len(c.Bars), top.Day, thousands(top.Value))
}

// newChart draws some days up to now, by what there was on each of a unit, of which one is the
// singular.
func newChart(name, title, one, unit string, byDay map[string]int, now time.Time, days int) chart {
	c := chart{Name: name, Title: title, Unit: unit, Bars: make([]bar, days), one: one}
	for i := range c.Bars {
		at := now.UTC().AddDate(0, 0, i+1-days)
		text := at.Format(time.DateOnly)
		c.Bars[i] = bar{Day: text, Value: byDay[text], X: step * i}
		c.Total += byDay[text]
		c.most = max(c.most, byDay[text])
	}
	for i := range c.Bars {
		b := &c.Bars[i]
		if b.Value > 0 {
			b.H = max(2, high*b.Value/c.most) // the least that is seen
		}
		b.Y = high - b.H
	}
	return c
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
