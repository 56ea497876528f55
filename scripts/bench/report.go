package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A row is one line of a table. The figure is what the goal judges: a ratio of medians unless its unit says otherwise.
type row struct {
	what   string
	took   sample
	floor  string
	base   sample
	figure float64
	unit   string
	goal   goal
	note   string // why there is nothing to show
}

// A goal is a limit on the figure of a row. The zero goal judges nothing.
type goal struct {
	limit float64
	least bool
}

func atMost(limit float64) goal  { return goal{limit: limit} }
func atLeast(limit float64) goal { return goal{limit: limit, least: true} }

func (g goal) met(figure float64) bool {
	if g.least {
		return figure >= g.limit
	}
	return figure <= g.limit
}

// over is a row that compares the medians of a subject and of its floor.
func over(what string, took sample, floor string, base sample, g goal) row {
	return row{what: what, took: took, floor: floor, base: base, figure: ratio(took.p50(), base.p50()), unit: "×", goal: g}
}

func alone(what string, took sample) row { return row{what: what, took: took} }

// measuredAs gives a row a figure of its own in place of the ratio.
func (r row) measuredAs(figure float64, unit string, g goal) row {
	r.figure, r.unit, r.goal = figure, unit, g
	return r
}

func missing(what, why string) row { return row{what: what, note: why} }

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

type section struct {
	name, about string
	rows        []row
}

type report struct {
	now      time.Time
	quick    bool
	facts    []fact
	sections []section
}

func (r report) write(w io.Writer) {
	fmt.Fprintf(w, "# Benchmarks\n\nWritten by `make bench` on %s.\n", r.now.UTC().Format(time.RFC3339))
	fmt.Fprint(w, "Times are whole processes, spawn to exit: the median, with the 10th percentile in brackets. "+
		"A figure in × is the ratio of the two medians.\nHow they are measured is written in `scripts/bench/doc.go`.\n")
	if r.quick {
		fmt.Fprint(w, "\n**A quick run: a tenth of the sizes and repetitions. The targets are meant for the full run.**\n")
	}
	fmt.Fprintln(w)
	for _, f := range r.facts {
		fmt.Fprintf(w, "- %s: %s\n", f.name, f.value)
	}
	for _, s := range r.sections {
		s.write(w)
	}
}

func (s section) write(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n", s.name, s.about)
	fmt.Fprintln(w, "| command | p50 (p10) | floor | p50 (p10) | figure | target | met |")
	fmt.Fprintln(w, "|---|---:|---|---:|---:|---:|---|")
	for _, r := range s.rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(r.cells(), " | "))
	}
}

func (r row) cells() []string {
	cells := []string{r.what, spread(r.took), r.floor, spread(r.base), "", "", ""}
	if r.unit != "" {
		cells[4] = number(r.figure) + " " + r.unit
	}
	if r.goal != (goal{}) {
		cells[5], cells[6] = r.goal.String()+" "+r.unit, verdict(r.goal.met(r.figure))
	}
	if r.note != "" {
		cells[6] = "not measured: " + r.note
	}
	for i := range cells {
		cells[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cells[i])
	}
	return cells
}

func (g goal) String() string {
	sign := "≤ "
	if g.least {
		sign = "≥ "
	}
	return sign + strconv.FormatFloat(g.limit, 'f', -1, 64)
}

func verdict(met bool) string {
	if met {
		return "yes"
	}
	return "**no**"
}

func spread(s sample) string {
	if len(s) == 0 {
		return ""
	}
	return duration(s.p50()) + " (" + duration(s.p10()) + ")"
}

// duration prints three digits or so, in the unit that reads best.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return number(float64(d)/1e3) + " µs"
	case d < time.Second:
		return number(float64(d)/1e6) + " ms"
	default:
		return number(d.Seconds()) + " s"
	}
}

func number(x float64) string {
	switch {
	case x < 10:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 100:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
}

// records prints a count the way people write it: 100,000 records.
func records(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " records"
}
