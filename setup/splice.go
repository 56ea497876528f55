package setup

import (
	"bytes"
	"slices"
	"strings"
)

// The edits of one container. What insert puts into a text, remove takes out of it to the byte; see the package comment.

// comment is one comment, without the newline that ends it.
type comment struct {
	start, end int
	lined      bool // it goes to the end of its line
}

// extra gives the comments from a place on, and where the next thing is that is neither comment nor white space.
func extra(text []byte, from int) (found []comment, next int) {
	for at := from; ; {
		switch rest := text[at:]; {
		case len(rest) == 0:
			return found, at
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			at++
		case bytes.HasPrefix(rest, []byte("//")):
			found = append(found, comment{at, lineEnd(text, at), true})
			at = lineEnd(text, at)
		case bytes.HasPrefix(rest, []byte("/*")):
			end := at + len("/*") + bytes.Index(rest[len("/*"):], []byte("*/")) + len("*/")
			found = append(found, comment{at, end, false})
			at = end
		default:
			return found, at
		}
	}
}

// beside gives where the last comment ends that begins on the line of from: it speaks of what stands before it.
func beside(text []byte, from int) (end int, lined bool) {
	comments, _ := extra(text, from)
	for _, c := range comments {
		if bytes.IndexByte(text[from:c.start], '\n') >= 0 {
			break
		}
		from, lined = c.end, c.lined
	}
	return from, lined
}

// lineEnd is where the line ends on which at stands, before its "\n" or "\r\n".
func lineEnd(text []byte, at int) int {
	n := bytes.IndexByte(text[at:], '\n')
	if n < 0 {
		return len(text)
	}
	return at + len(bytes.TrimSuffix(text[at:at+n], []byte("\r")))
}

// comma gives where the comma behind a value is; -1 if there is none.
func comma(text []byte, v node) int {
	if _, at := extra(text, v.end); at < len(text) && text[at] == ',' {
		return at
	}
	return -1
}

// indent is the white space that begins the line on which at stands.
func indent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// newline is how the lines of a text end.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// unit is one step of indentation: that of the first member of the whole.
func unit(text []byte, root node) string {
	if len(root.items) > 0 {
		first := root.items[0].start
		if step := indent(text, first); step != "" && bytes.LastIndexByte(text[:first], '\n') > root.start {
			return step
		}
	}
	return "  "
}

// insert puts a value behind the last item of a container. What is written is given by body, for the style that it is to have.
func insert(text []byte, c node, step string, body func(style) string) []byte {
	st := style{newline: newline(text), step: step, lines: true}
	if len(c.items) == 0 {
		outer := indent(text, c.start)
		st.indent = outer + step
		return splice(text, c.start+1, 0, st.newline+st.indent+body(st)+st.newline+outer)
	}
	last := c.items[len(c.items)-1]
	st.lines = bytes.IndexByte(text[itemStart(text, c, len(c.items)-1):last.start], '\n') >= 0
	st.indent = indent(text, last.start)
	at, behind := last.value.end, ""
	if i := comma(text, last.value); i >= 0 {
		at, behind = i+1, ","
	}
	ends, lined := beside(text, at)
	gap := " "
	if st.lines || lined {
		gap = st.newline + st.indent
	}
	out := splice(text, ends, 0, gap+body(st)+behind)
	if behind == "" {
		out = splice(out, at, 0, ",")
	}
	return out
}

// itemStart is where what belongs to an item begins: behind the bracket or the comma before it.
func itemStart(text []byte, c node, i int) int {
	if i == 0 {
		return c.start + 1
	}
	return comma(text, c.items[i-1].value) + 1
}

// remove takes an item out, with one comma and the white space before it. Comments stay.
func remove(text []byte, c node, i int) []byte {
	it := c.items[i]
	from := itemStart(text, c, i)
	gap := len(bytes.TrimRight(text[from:it.start], " \t\r\n")) + from
	end, behind := it.value.end, comma(text, it.value)
	outer := newline(text) + indent(text, c.start)
	only := len(c.items) == 1
	out := text
	switch {
	case behind >= 0:
		out = splice(out, behind, 1, "")
	case only && bytes.HasPrefix(text[end:], []byte(outer)):
		end += len(outer)
	}
	if comments, _ := extra(text, from); len(comments) > 0 && comments[len(comments)-1].lined && !startsLine(out[end:]) {
		// What follows must not move up behind a comment.
		gap += bytes.IndexByte(text[gap:], '\n') + 1
	}
	out = splice(out, gap, end-gap, "")
	if behind < 0 && !only {
		out = splice(out, comma(text, c.items[i-1].value), 1, "")
	}
	return out
}

func startsLine(rest []byte) bool {
	return bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r\n"))
}

// splice replaces n bytes.
func splice(text []byte, at, n int, with string) []byte {
	return slices.Concat(text[:at], []byte(with), text[at+n:])
}

// style is how a value is to be written.
type style struct {
	newline string
	indent  string // of the line on which it begins
	step    string
	lines   bool // else all in one line
}

// deeper is the style of what stands within.
func (s style) deeper() style {
	s.indent += s.step
	return s
}

// brackets writes what stands between two brackets.
func (s style) brackets(open, shut string, parts []string) string {
	if !s.lines {
		return open + strings.Join(parts, ", ") + shut
	}
	gap := s.newline + s.indent
	return open + gap + s.step + strings.Join(parts, ","+gap+s.step) + gap + shut
}
