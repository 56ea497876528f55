package setup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// The edits of one container. What insertItem puts into a text, removeItem takes out of it to the
// byte; see the package comment.

// comment is one comment, without the newline that ends it.
type comment struct {
	start, end int
	toLineEnd  bool // of the form "// ..."
}

// skipComments returns the comments from a place on, and where the next thing begins that is
// neither comment nor white space.
func skipComments(text []byte, from int) (found []comment, next int) {
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

// trailingComments returns where the last comment ends that begins on the line of from.
func trailingComments(text []byte, from int) (end int, toLineEnd bool) {
	comments, _ := skipComments(text, from)
	for _, c := range comments {
		if bytes.IndexByte(text[from:c.start], '\n') >= 0 {
			break
		}
		from, toLineEnd = c.end, c.toLineEnd
	}
	return from, toLineEnd
}

// lineEnd returns where the line of at ends, before its "\n" or "\r\n".
func lineEnd(text []byte, at int) int {
	n := bytes.IndexByte(text[at:], '\n')
	if n < 0 {
		return len(text)
	}
	return at + len(bytes.TrimSuffix(text[at:at+n], []byte("\r")))
}

// comma returns the place of the comma after a value, -1 if there is none.
func comma(text []byte, v node) int {
	if _, at := skipComments(text, v.end); at < len(text) && text[at] == ',' {
		return at
	}
	return -1
}

// newline returns the end of the first line of a text, for added lines.
func newline(text []byte) string {
	at := bytes.IndexAny(text, "\r\n")
	switch {
	case at < 0 || text[at] == '\n':
		return "\n"
	case bytes.HasPrefix(text[at:], []byte("\r\n")):
		return "\r\n"
	}
	return "\r"
}

// indentStep returns one step of indentation: that of the first member of the whole text.
func indentStep(text []byte, root node) string {
	if len(root.items) > 0 {
		first := root.items[0].start
		step := jsontext.IndentAt(text, first)
		if step != "" && bytes.LastIndexByte(text[:first], '\n') > root.start {
			return step
		}
	}
	return "  "
}

// isBlank reports whether a text is empty but for white space.
func isBlank(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))) == 0
}

// isEmpty reports whether a container holds nothing, not even a comment.
func isEmpty(text []byte, container node) bool {
	comments, _ := skipComments(text, container.start+1)
	return len(container.items)+len(comments) == 0
}

// insertItem returns the text with an item after the last one of a container. body returns the item
// in the style that it is to have.
func insertItem(text []byte, container node, step string, body func(style) string) []byte {
	s := style{newline: newline(text), step: step, multiline: true}
	items := container.items
	if len(items) == 0 {
		outer := jsontext.IndentAt(text, container.start)
		s.indent = outer + step
		return splice(text, container.start+1, 0, s.newline+s.indent+body(s)+s.newline+outer)
	}
	last := items[len(items)-1]
	before := text[itemStart(text, container, len(items)-1):last.start]
	s.multiline = bytes.IndexByte(before, '\n') >= 0
	s.indent = jsontext.IndentAt(text, last.start)
	at, trailingComma := last.value.end, ""
	if i := comma(text, last.value); i >= 0 {
		at, trailingComma = i+1, ","
	}
	end, toLineEnd := trailingComments(text, at)
	gap := " "
	if s.multiline || toLineEnd {
		gap = s.newline + s.indent
	}
	out := splice(text, end, 0, gap+body(s)+trailingComma)
	if trailingComma == "" {
		out = splice(out, at, 0, ",")
	}
	return out
}

// itemStart returns where what belongs to an item begins: after the bracket or the comma before it.
func itemStart(text []byte, container node, i int) int {
	if i == 0 {
		return container.start + 1
	}
	return comma(text, container.items[i-1].value) + 1
}

// removeItem returns the text without an item, one comma and the white space before the item.
// Comments stay.
func removeItem(text []byte, container node, i int) []byte {
	it := container.items[i]
	from := itemStart(text, container, i)
	start := len(bytes.TrimRight(text[from:it.start], " \t\r\n")) + from
	end, commaAfter := it.value.end, comma(text, it.value)
	outer := newline(text) + jsontext.IndentAt(text, container.start)
	only := len(container.items) == 1
	out := text
	switch {
	case commaAfter >= 0:
		out = splice(out, commaAfter, 1, "")
	case only && bytes.HasPrefix(text[end:], []byte(outer)):
		end += len(outer)
	}
	comments, _ := skipComments(text, from)
	if n := len(comments); n > 0 && comments[n-1].toLineEnd && !startsWithNewline(out[end:]) {
		// What follows must not become part of the comment.
		start += bytes.IndexByte(text[start:], '\n') + 1
	}
	out = splice(out, start, end-start, "")
	if commaAfter < 0 && !only {
		out = splice(out, comma(text, container.items[i-1].value), 1, "")
	}
	return out
}

func startsWithNewline(text []byte) bool {
	return len(text) > 0 && (text[0] == '\n' || text[0] == '\r')
}

func splice(text []byte, at, n int, with string) []byte {
	return slices.Concat(text[:at], []byte(with), text[at+n:])
}

type style struct {
	newline   string
	indent    string // of the line on which the value begins
	step      string // of indentation
	multiline bool   // else all in one line
}

// deeper returns the style of what stands within.
func (s style) deeper() style {
	s.indent += s.step
	return s
}

func (s style) brackets(open, shut string, parts []string) string {
	if !s.multiline {
		return open + strings.Join(parts, ", ") + shut
	}
	gap := s.newline + s.indent
	return open + gap + s.step + strings.Join(parts, ","+gap+s.step) + gap + shut
}
