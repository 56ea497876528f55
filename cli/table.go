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
// is left of the line.
func (t *table) columns(out *strings.Builder, width int, colour bool) {
	if len(t.rows) == 0 {
		return
	}
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, field := range row {
			widths[i] = max(widths[i], min(displayWidth(field), width/2))
		}
	}
	if colour {
		out.WriteString("\x1b[2m")
	}
	line(out, t.head, widths, width)
	if colour {
		out.WriteString("\x1b[0m")
	}
	for _, row := range t.rows {
		line(out, row, widths, width)
	}
}

func line(out *strings.Builder, fields []string, widths []int, width int) {
	left := width
	for i, field := range fields {
		if i == len(fields)-1 {
			out.WriteString(cut(field, max(left-1, 10)))
			break
		}
		out.WriteString(pad(cut(field, widths[i]), widths[i]+2))
		left -= widths[i] + 2
	}
	out.WriteByte('\n')
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

func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(columns-displayWidth(s), 0))
}
