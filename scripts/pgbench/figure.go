package main

import (
	"fmt"
	"time"

	"github.com/set-memory/mem/scripts/harness"
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
		return harness.Number(x)
	}
	return harness.Number(x) + " " + g.unit
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
	return figure{what: what, mem: harness.Duration(took), got: millis(took), goal: atMost(most)}
}

// beside is a figure of two times, whose ratio counts.
func beside(what string, took time.Duration, peer string, its time.Duration, g goal) figure {
	return figure{what: what, mem: harness.Duration(took), peer: peer + " " + harness.Duration(its),
		got: took.Seconds() / its.Seconds(), goal: g}
}

// ofBytes is a figure of two sizes, whose ratio counts.
func ofBytes(what string, size int64, peer string, its int64, g goal) figure {
	return figure{what: what, mem: mebibytes(size), peer: peer + " " + mebibytes(its),
		got: float64(size) / float64(its), goal: g}
}

func mebibytes(n int64) string { return harness.Number(float64(n)/(1<<20)) + " MiB" }

func millis(d time.Duration) float64 { return d.Seconds() * 1000 }

func median[T ~int64 | ~float64](all []T) T { return harness.Quantile(all, 0.5) }

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
