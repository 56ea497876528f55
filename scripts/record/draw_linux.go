package main

import (
	_ "embed"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

//go:embed frame.svg
var frame string

// A cell of the terminal, and the margin around all of them. A monospaced letter is about three
// fifths as wide as high; where a reader's font differs, textLength makes up for it.
const (
	cellWidth, cellHeight = 9, 21
	margin                = 18
	width                 = columns*cellWidth + 2*margin
)

// How long a letter takes in the picture, an answer, and reading it, in milliseconds.
const perKey, answer, reading = 25, 250, 800

// drawing is the picture so far: its rows, the style set last, and when what comes next is seen.
type drawing struct {
	strings.Builder
	row, time int
	style     string
}

// framed returns the whole picture, with words for people that do not see it.
func (d *drawing) framed(about string) []byte {
	return []byte(strings.NewReplacer("WIDTH", strconv.Itoa(width),
		"HEIGHT", strconv.Itoa(d.row*cellHeight+2*margin),
		"ABOUT", html.EscapeString(about), "BODY\n", d.String()).Replace(frame))
}

// command draws the lines that are typed, letter by letter, and then what the terminal shows.
func (d *drawing) command(typed []string, shown string) {
	prompt := "$ "
	for _, line := range typed {
		d.appear("\x1b[32m" + prompt + "\x1b[1m" + line)
		d.cover(len(prompt), len([]rune(line)))
		prompt = "> "
	}
	if d.time += answer; shown != "" {
		d.appear("\x1b[0m" + strings.TrimSuffix(shown, "\n"))
		d.time += reading
	}
}

// appear draws lines that are not seen before their time.
func (d *drawing) appear(lines string) {
	fmt.Fprintf(d, "<g class=\"step\" style=\"animation-delay:%dms\">\n", d.time)
	for line := range strings.SplitSeq(lines, "\n") {
		d.line(line)
	}
	d.WriteString("</g>\n")
}

// cover hides the command on the last row and gives way letter by letter, behind a cursor. It is
// not seen before its row is.
func (d *drawing) cover(from, letters int) {
	x, y, took := margin+from*cellWidth, margin+(d.row-1)*cellHeight, letters*perKey
	fmt.Fprintf(d, `<g class="cover" style="--way:%dpx;animation-duration:1ms,%dms,1ms;`+
		`animation-delay:%dms,%[3]dms,%dms;animation-timing-function:linear,steps(%d),linear">
<rect class="paper" x="%d" y="%d" width="%d" height="%d"/>
<rect class="cursor" x="%d" y="%d" width="%d" height="%d"/>
</g>
`, letters*cellWidth, took, d.time, d.time+took, letters, x, y, width-x, cellHeight,
		x, y, cellWidth, cellHeight)
	d.time += took
}

// token is a change of style, or a letter.
var token = regexp.MustCompile("\x1b\\[([0-9]+)m|.")

// line draws a line, folded as a terminal folds it.
func (d *drawing) line(line string) {
	var row, span string
	letters := 0
	endSpan := func() {
		if span = html.EscapeString(span); span != "" && d.style != "0" {
			span = fmt.Sprintf(`<tspan class="s%s">%s</tspan>`, d.style, span)
		}
		row, span = row+span, ""
	}
	for _, m := range token.FindAllStringSubmatch(line, -1) {
		if m[1] != "" {
			endSpan()
			d.style = m[1]
			continue
		}
		if letters == columns {
			endSpan()
			d.text(row, letters)
			row, letters = "", 0
		}
		span += m[0]
		letters++
	}
	endSpan()
	d.text(row, letters)
}

// text draws one row.
func (d *drawing) text(row string, letters int) {
	if d.row++; letters > 0 {
		fmt.Fprintf(d, `<text xml:space="preserve" x="%d" y="%d" textLength="%d">%s</text>`+"\n",
			margin, margin+d.row*cellHeight-6, letters*cellWidth, row)
	}
}
