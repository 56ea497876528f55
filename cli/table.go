package cli

import (
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/text/width"
)

// table prints rows: in aligned columns, cut to the width, for a person; with tabs between the
// fields in a pipe.
type table struct {
	head []string
	rows [][]string
	// below has, on a terminal, a text for each row that stands on lines of its own under it; nil:
	// none has one.
	below []string
}

func (t *table) add(fields ...string) { t.rows = append(t.rows, fields) }

func (t *table) write(cmd *cobra.Command, a *app) error {
	var out strings.Builder
	if width := terminal(cmd.OutOrStdout()); width > 0 {
		t.columns(&out, width, a.colour())
	} else {
		for _, row := range t.rows {
			out.WriteString(strings.Join(row, "\t"))
			out.WriteByte('\n')
		}
	}
	_, err := io.WriteString(cmd.OutOrStdout(), out.String())
	return err
}

// colour reports whether a terminal may be sent colours.
func (a *app) colour() bool { return a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb" }

// columns aligns by display width, which is two for a Chinese character. The last column takes what
// is left of the line; no line is wider than the terminal.
func (t *table) columns(out *strings.Builder, width int, colour bool) {
	if len(t.rows) == 0 {
		return
	}
	widths := t.widths(width)
	if colour {
		out.WriteString("\x1b[2m")
	}
	out.WriteString(t.line(t.head, widths, width))
	if colour {
		out.WriteString("\x1b[0m")
	}
	out.WriteByte('\n')
	for i, row := range t.rows {
		out.WriteString(t.line(row, widths, width) + "\n")
		if t.below != nil {
			wrapped(out, t.below[i], width)
		}
	}
}

// wrapped writes a text on indented lines, between its words where it is wider than the terminal.
func wrapped(out *strings.Builder, text string, width int) {
	const indent = "  "
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(indent)+displayWidth(line+" "+word) >= width {
			out.WriteString(cut(indent+line, max(width-1, 1)) + "\n")
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	out.WriteString(cut(indent+line, max(width-1, 1)) + "\n")
}

const (
	gap     = 2  // columns between two fields
	leastIn = 8  // of a column that is shortened
	lastIn  = 16 // of the last one, where it needs them

	besideName = 31 // what a name leaves, be it as long as it is: room for a time
)

// widths returns how wide the columns are. Where they leave too little for the last one the widest
// are shortened, but for times: half of one is none.
func (t *table) widths(width int) []int {
	last := len(t.head) - 1
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, field := range row {
			most := width / 2
			if t.head[i] == "NAME" {
				most = max(most, width-besideName)
			}
			widths[i] = max(widths[i], min(displayWidth(field), most))
		}
	}
	used := min(widths[last], lastIn) + 1
	for _, w := range widths[:last] {
		used += w + gap
	}
	for ; used > width; used-- {
		i := t.widest(widths[:last])
		if i < 0 {
			break
		}
		widths[i]--
	}
	return widths
}

// widest returns the column that is to be shortened; -1 for none. A key says more than what it is
// listed with, and counts as half as wide.
func (t *table) widest(widths []int) (widest int) {
	widest, most := -1, 0
	for i, w := range widths {
		weight := 2 * w
		if t.head[i] == "KEY" {
			weight = w
		}
		if w > leastIn && t.head[i] != "TIME" && weight > most {
			widest, most = i, weight
		}
	}
	return widest
}

// line returns a row. Keys and names are cut in the middle, for they differ at their ends.
func (t *table) line(fields []string, widths []int, width int) string {
	var out strings.Builder
	left := width - 1
	for i, field := range fields {
		columns := widths[i]
		if i == len(fields)-1 {
			columns = max(left, 1)
		}
		shorten := cut
		if t.head[i] == "KEY" || t.head[i] == "NAME" {
			shorten = cutMiddle
		}
		field = shorten(field, columns)
		if i < len(fields)-1 {
			field = pad(field, columns+gap)
		}
		out.WriteString(field)
		left -= columns + gap
	}
	return cut(strings.TrimRight(out.String(), " "), max(width-1, 1))
}

// displayWidth counts the columns that a text takes: two for a wide character, none for a combining
// one.
func displayWidth(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut shortens a text to some columns, and shows that it did.
func cut(s string, columns int) string {
	if displayWidth(s) <= columns {
		return s
	}
	used := 0
	for i, r := range s {
		if used += runeWidth(r); used > columns-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// cutMiddle is cut that leaves out what is in the middle.
func cutMiddle(s string, columns int) string {
	if displayWidth(s) <= columns {
		return s
	}
	head := cut(s, columns/2)
	runes := []rune(s)
	used, from := displayWidth(head), len(runes)
	for from > 0 && used+runeWidth(runes[from-1]) <= columns {
		from--
		used += runeWidth(runes[from])
	}
	return head + string(runes[from:])
}

func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(columns-displayWidth(s), 0))
}
