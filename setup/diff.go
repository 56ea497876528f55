package setup

import (
	"fmt"
	"slices"
	"strings"
)

// context is how many unchanged lines a diff shows around changed ones.
const context = 3

// mostCompared bounds the table below: texts that differ in more are shown as replaced.
const mostCompared = 4 << 20

// step is one line of a diff: kept, taken out or put in.
type step struct {
	sign byte // ' ', '-' or '+'
	line string
}

// unified writes the difference of two texts as diff -u does; "" for none.
func unified(from, to, before, after string) string {
	if before == after {
		return ""
	}
	steps := compare(lines(before), lines(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	for at := 0; at < len(steps); {
		start, end := hunk(steps, at)
		if start == end {
			break
		}
		old, now := counts(steps[:start])
		olds, nows := counts(steps[start:end])
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(old, olds), span(now, nows))
		for _, s := range steps[start:end] {
			b.WriteByte(s.sign)
			b.WriteString(s.line)
			if !strings.HasSuffix(s.line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		at = end
	}
	return b.String()
}

func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

// hunk gives the next steps to be shown together: changed ones, with context, and no more than two contexts apart.
func hunk(steps []step, at int) (start, end int) {
	quiet := 0
	for i := at; i < len(steps); i++ {
		switch {
		case steps[i].sign == ' ':
			quiet++
		case end == 0:
			start, end, quiet = max(at, i-context), i+1, 0
		default:
			end, quiet = i+1, 0
		}
		if end > 0 && quiet > 2*context {
			break
		}
	}
	if end == 0 {
		return at, at
	}
	return start, min(end+context, len(steps))
}

// counts gives the lines of both texts.
func counts(steps []step) (old, now int) {
	for _, s := range steps {
		if s.sign != '+' {
			old++
		}
		if s.sign != '-' {
			now++
		}
	}
	return old, now
}

// span is a range of lines as diff spells it, after so many others.
func span(after, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", after)
	case 1:
		return fmt.Sprint(after + 1)
	}
	return fmt.Sprintf("%d,%d", after+1, n)
}

// compare gives the steps from a to b with the fewest changed lines.
func compare(a, b []string) (steps []step) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		steps = append(steps, step{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	var tail []step
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, step{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	common := longestCommon(a, b)
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			steps = append(steps, step{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common(i+1, j) >= common(i, j+1):
			steps = append(steps, step{'-', a[i]})
			i++
		default:
			steps = append(steps, step{'+', b[j]})
			j++
		}
	}
	return append(steps, tail...)
}

// longestCommon tells how many lines a from i on and b from j on have in common, in order.
func longestCommon(a, b []string) func(i, j int) int {
	width := len(b) + 1
	if len(a)*width > mostCompared {
		return func(int, int) int { return 0 }
	}
	table := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	return func(i, j int) int { return int(table[i*width+j]) }
}
