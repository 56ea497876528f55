package term

import (
	"slices"
	"strings"
)

// Table is rows of fields under the names of their columns.
type Table struct {
	Head []string
	Rows []Row
}

// Row is one row of a table.
type Row struct {
	Fields []string
	Style  Style  // of the whole row, where something is to be said of it
	Below  string // stands under the row as a whole, by the rules of Fill; "" for nothing
}

// kind is how a column behaves where it has no room.
type kind int

const (
	text  kind = iota // cut at its end
	whole             // never shorter than what stands in it, up to mostWhole
	place             // cut in the middle
)

func kindOf(head string) kind {
	switch head {
	case "KEY", "FILE", "ROOT", "SESSION":
		return place
	case "TIME", "AGE", "DELETED", "SINCE", "CREATED", "TYPE", "LAYER", "STATE", "SCOPE",
		"WRITE", "LEVEL", "ID", "MEMORIES", "TOKENS", "VERSIONS", "RECORDS", "ENTRIES", "BYTES",
		"SIZE", "CORE", "JOURNAL", "TRUSTED", "NAME", "VALUE", "IMPORTANCE", "CHARACTERS",
		"CHECK", "CLIENT":
		return whole
	}
	return text
}

const (
	goesOn = "  " // before what stands below the first line of a row

	gap        = 2
	leastText  = 8  // of a text that is cut
	leastPlace = 16 // of a key that is
	leastLast  = 12 // of the last column
	mostWhole  = 48 // of a whole column
)

// Text returns the table in lines that are narrower than a width by one at least: a character in
// the last column makes some terminals begin a line. Without rows it is "".
func (t *Table) Text(width int, colour bool) string {
	if len(t.Rows) == 0 {
		return ""
	}
	width = max(width-1, 1)
	var out strings.Builder
	widths, fits := t.widths(width)
	if fits {
		out.WriteString(Dim.paint(t.line(t.Head, widths), colour) + "\n")
	}
	for _, row := range t.Rows {
		if fits {
			out.WriteString(t.styled(row, widths, colour) + "\n")
		} else {
			t.stack(&out, row, width, colour)
		}
		if row.Below != "" {
			out.WriteString(Fill(row.Below, goesOn, goesOn+goesOn, width))
		}
	}
	return out.String()
}

// widths returns how wide the columns are; false where not even their least fits.
func (t *Table) widths(width int) (widths []int, fits bool) {
	last := len(t.Head) - 1
	cols := make([]column, len(t.Head))
	used := gap * last
	for i := range cols {
		cols[i] = t.measure(i)
		widths = append(widths, cols[i].least(i == last))
		used += widths[i]
	}
	if used > width {
		return widths, last == 0
	}
	left := width - used
	for _, capped := range []int{width * 2 / 5, width} {
		for ; left > 0; left-- {
			i := neediest(cols, widths, capped)
			if i < 0 {
				break
			}
			widths[i]++
		}
	}
	return widths, true
}

// column is how wide the fields of one are.
type column struct {
	kind   kind
	widest int
	longer []int // by cells: how many fields are longer
}

func (t *Table) measure(i int) column {
	c := column{kind: kindOf(t.Head[i]), widest: Width(t.Head[i])}
	all := []int{c.widest}
	for _, row := range t.Rows {
		all = append(all, Width(row.Fields[i]))
	}
	c.widest = slices.Max(all)
	c.longer = make([]int, c.widest+1)
	for _, w := range all {
		if w > 0 {
			c.longer[w-1]++
		}
	}
	for w := c.widest - 1; w >= 0; w-- {
		c.longer[w] += c.longer[w+1]
	}
	return c
}

// least returns the cells below which a column is none.
func (c column) least(isLast bool) int {
	switch {
	case isLast:
		return min(c.widest, leastLast)
	case c.kind == whole:
		return min(c.widest, mostWhole)
	case c.kind == place:
		return min(c.widest, leastPlace)
	}
	return min(c.widest, leastText)
}

// neediest returns the column that completes most rows with one cell more, a key counting twice; -1
// where none needs one. No key goes beyond the cap.
func neediest(cols []column, widths []int, capped int) (neediest int) {
	neediest, most := -1, 0
	for i, c := range cols {
		if widths[i] >= c.widest || c.kind == place && widths[i] >= capped && i < len(cols)-1 {
			continue
		}
		need := c.longer[widths[i]]
		if c.kind == place {
			need *= 2
		}
		if need > most {
			neediest, most = i, need
		}
	}
	return neediest
}

func (t *Table) line(fields []string, widths []int) string {
	return strings.Join(t.cells(fields, widths), "")
}

// cells returns the fields, each cut and padded.
func (t *Table) cells(fields []string, widths []int) []string {
	cells := slices.Clone(fields)
	for i, field := range fields {
		cells[i] = shortened(field, kindOf(t.Head[i]), widths[i])
		if i < len(fields)-1 {
			cells[i] = Pad(cells[i], widths[i]+gap)
		}
	}
	for i := len(cells) - 1; i >= 0; i-- { // no blanks at the end of a line
		if cells[i] = strings.TrimRight(cells[i], " "); cells[i] != "" {
			break
		}
	}
	return cells
}

func shortened(field string, kind kind, cells int) string {
	if kind == place {
		return cutMiddle(field, cells)
	}
	return cut(field, cells)
}

func (t *Table) styled(row Row, widths []int, colour bool) string {
	cells := t.cells(row.Fields, widths)
	if row.Style != Plain || !colour {
		return row.Style.paint(strings.Join(cells, ""), colour)
	}
	for i, cell := range cells {
		cells[i] = styleOf(t.Head[i]).padded(cell)
	}
	return strings.Join(cells, "")
}

// styleOf returns the colour of a column that distinguishes the rows.
func styleOf(head string) Style {
	switch head {
	case "TYPE":
		return Cyan
	case "AGE", "TIME", "LAYER":
		return Dim
	}
	return Plain
}

func (t *Table) stack(out *strings.Builder, row Row, width int, colour bool) {
	first := max(slices.IndexFunc(t.Head, func(name string) bool {
		return kindOf(name) == place
	}), 0)
	last := len(row.Fields) - 1
	lines := []string{shortened(row.Fields[first], kindOf(t.Head[first]), width)}
	var between []string
	for i, field := range row.Fields {
		if i != first && i != last && field != "" {
			between = append(between, field)
		}
	}
	if len(between) > 0 {
		lines = append(lines, goesOn+cut(strings.Join(between, "  "), width-len(goesOn)))
	}
	if field := row.Fields[last]; field != "" && last != first {
		lines = append(lines, goesOn+shortened(field, kindOf(t.Head[last]), width-len(goesOn)))
	}
	for i, line := range lines {
		if i == 0 && row.Style == Plain {
			line = Bold.paint(line, colour)
		}
		out.WriteString(row.Style.paint(line, colour) + "\n")
	}
}
