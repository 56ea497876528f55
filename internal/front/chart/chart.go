package chart

import (
	"fmt"
	"time"
)

// The measures of a drawing.
const (
	Step = 10
	High = 100
)

// Chart is a row of bars, one a day: every bar is [Step] wide, and the highest [High] high.
type Chart struct {
	Name  string // an id in the document
	Title string
	Unit  string
	Bars  []Bar
	Total int
	Most  int
	one   string // of the unit
}

// Bar is a day.
type Bar struct {
	Day     string
	Value   int
	X, Y, H int
}

// Wide is the width of the drawing.
func (c Chart) Wide() int { return Step * len(c.Bars) }

// Summary says in words what the drawing shows.
func (c Chart) Summary() string {
	if c.Total == 0 {
		return fmt.Sprintf("Nothing in the last %d days.", len(c.Bars))
	}
	top := c.Bars[0]
	for _, b := range c.Bars {
		if b.Value > top.Value {
			top = b
		}
	}
	return fmt.Sprintf("%s in %d days, most on %s: %s.", Plural(c.Total, c.one, c.Unit),
		len(c.Bars), top.Day, Thousands(top.Value))
}

// New draws some days up to now, by what there was on each of a unit, of which one is the singular.
func New(name, title, one, unit string, byDay map[string]int, now time.Time, days int) Chart {
	c := Chart{Name: name, Title: title, Unit: unit, Bars: make([]Bar, days), one: one}
	for i := range c.Bars {
		at := now.UTC().AddDate(0, 0, i+1-days)
		text := at.Format(time.DateOnly)
		c.Bars[i] = Bar{Day: text, Value: byDay[text], X: Step * i}
		c.Total += byDay[text]
		c.Most = max(c.Most, byDay[text])
	}
	for i := range c.Bars {
		b := &c.Bars[i]
		if b.Value > 0 {
			b.H = max(2, High*b.Value/c.Most) // the least that is seen
		}
		b.Y = High - b.H
	}
	return c
}

// Plural returns a number with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// Thousands returns a number with commas.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
