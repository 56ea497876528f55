package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// words is the text of the report: a head, and what a section holds and how mem stands in it.
//
//go:embed report.md
var words string

// sections are the tables, in the order of the text.
var sections = []section{
	{"set", setRows}, {"get", getRows}, {"read", readRows}, {"search", searchRows}, {"tail", tailRows},
	{"agents", agentRows}, {"layers", layerRows}, {"sessions", sessionRows},
	{"bundle", bundleRows}, {"page", pageRows},
	{"many", manyRows}, {"batch", batchRows}, {"bulk", bulkRows}, {"compact", compactRows},
	{"fsck", fsckRows}, {"mcp", mcpRows}, {"million", millionRows},
}

// A section is a table of the report.
type section struct {
	name    string
	measure func(context.Context, *lab) // adds its rows to the lab
}

// A row is what mem took, what people would use in its place, and the least that could do the work.
type row struct {
	what  string
	mem   sample
	rival string
	other sample
	floor sample
	note  string
}

func writeHead(w io.Writer, now time.Time, quick bool, facts string) {
	head, _, _ := strings.Cut(words, "\n## ")
	if quick {
		facts += "\n- a quick run: a tenth of the sizes and repetitions"
	}
	io.WriteString(w, strings.NewReplacer("DATE", now.UTC().Format(time.RFC3339),
		"FACTS", facts).Replace(head))
}

func (s section) write(w io.Writer, rows []row) {
	_, about, _ := strings.Cut(words, "\n## "+s.name+"\n")
	about, _, _ = strings.Cut(about, "\n## ")
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n", s.name, strings.TrimSpace(about))
	fmt.Fprintln(w, "| | mem | in its place | takes | mem takes | floor | besides |")
	fmt.Fprintln(w, "|---|---:|---|---:|---:|---:|---|")
	for _, r := range rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(r.cells(), " | "))
	}
}

func (r row) cells() []string {
	cells := []string{r.what, spread(r.mem), "", "", "", spread(r.floor), r.note}
	if len(r.other) > 0 {
		cells[2], cells[3] = r.rival, spread(r.other)
		cells[4] = harness.Number(ratio(r.mem.p50(), r.other.p50())) + " ×"
	}
	for i := range cells {
		cells[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cells[i])
	}
	return cells
}

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func spread(s sample) string {
	if len(s) == 0 {
		return ""
	}
	return harness.Duration(s.p50()) + " (" + harness.Duration(s.quantile(0.1)) + ")"
}

// records prints a count the way people write it: 100,000 records.
func records(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " records"
}
