package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// figure is one row of the report.
type figure struct {
	what string
	mem  string // as it is printed
	peer string // what it is held against; "": nothing
	got  float64
	goal goal
}

// goal is what a figure is to be; the zero goal is none.
type goal struct {
	bound float64
	unit  string
	least bool // reached from the bound upwards, else from it downwards
}

func (g goal) String() string {
	switch {
	case g.bound == 0:
		return ""
	case g.least:
		return "≥ " + g.value(g.bound)
	}
	return "≤ " + g.value(g.bound)
}

func (g goal) value(x float64) string {
	if g.unit == "" {
		return number(x)
	}
	return number(x) + " " + g.unit
}

func (g goal) reached(got float64) bool {
	if g.least {
		return got >= g.bound
	}
	return got <= g.bound
}

func times(bound float64) goal        { return goal{bound, "×", false} }
func timesAtLeast(bound float64) goal { return goal{bound, "×", true} }
func atMost(d time.Duration) goal     { return goal{millis(d), "ms", false} }

// within is a figure of time that is held against its goal alone.
func within(what string, took time.Duration, most time.Duration) figure {
	return figure{what: what, mem: duration(took), got: millis(took), goal: atMost(most)}
}

// beside is a figure of two times, whose ratio counts.
func beside(what string, took time.Duration, peer string, its time.Duration, g goal) figure {
	return figure{what: what, mem: duration(took), peer: peer + " " + duration(its),
		got: took.Seconds() / its.Seconds(), goal: g}
}

// ofBytes is a figure of two sizes, whose ratio counts.
func ofBytes(what string, size int64, peer string, its int64, g goal) figure {
	return figure{what: what, mem: mebibytes(size), peer: peer + " " + mebibytes(its),
		got: float64(size) / float64(its), goal: g}
}

func mebibytes(n int64) string { return number(float64(n)/(1<<20)) + " MiB" }

func millis(d time.Duration) float64 { return d.Seconds() * 1000 }

// duration prints three digits or so, in the unit that reads best.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return number(float64(d)/1e3) + " µs"
	case d < time.Second:
		return number(millis(d)) + " ms"
	}
	return number(d.Seconds()) + " s"
}

func number(x float64) string {
	switch {
	case x < 10:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 100:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// quantile interpolates between the two nearest; 0 for none.
func quantile[T ~int64 | ~float64](all []T, q float64) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + T((at-float64(low))*float64(sorted[high]-sorted[low]))
}

func median[T ~int64 | ~float64](all []T) T { return quantile(all, 0.5) }

// cells returns the row as the report has it.
func (f figure) cells() []string {
	list := []string{f.what, f.mem, f.peer, "", "", ""}
	if f.goal.bound == 0 {
		return list
	}
	list[3], list[4], list[5] = f.goal.value(f.got), f.goal.String(), "yes"
	if !f.goal.reached(f.got) {
		list[5] = "**no**"
	}
	return list
}

func perSecond(rate float64) string { return fmt.Sprintf("%.0f/s", rate) }
