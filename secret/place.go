package secret

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/jsontext"
)

// place returns where in a JSON value the spans of its unescaped text lie. The spans are in order.
func place(name string, value, text []byte, spans []span) []Finding {
	l := locator{text: text, left: spans, all: spans}
	l.value(value, name)
	return l.found
}

// locator walks over a value and counts its position in the unescaped text.
type locator struct {
	text  []byte
	at    int
	left  []span // not yet placed
	all   []span
	found []Finding
}

func (l *locator) value(v []byte, path string) {
	switch v[0] {
	case '{':
		for name, val := range jsontext.Members(v) {
			l.at++ // bracket or comma
			from := l.at
			l.leaf(len(name)+2, path+" (a member's name)")
			l.at++ // colon
			l.value(val, path+l.step(name, from))
		}
		l.at++
		if len(v) == 2 {
			l.at++
		}
	case '[':
		n := 0
		for val := range jsontext.Elements(v) {
			l.at++
			l.value(val, path+"["+strconv.Itoa(n)+"]")
			n++
		}
		l.at++
		if n == 0 {
			l.at++
		}
	case '"':
		l.leaf(len(jsontext.Unquote(v))+2, path)
	default:
		l.leaf(len(v), path)
	}
}

// leaf places the spans that begin before the end of a string or number of n bytes.
func (l *locator) leaf(n int, path string) {
	from, to := l.at, l.at+n
	if l.text[from] == '"' {
		from, to = from+1, to-1
	}
	for len(l.left) > 0 && l.left[0].from < to {
		s := l.left[0]
		first, last := max(s.from, from), max(min(s.to, to), min(from+1, to))
		l.found = append(l.found, Finding{
			Rule: s.rule, Place: path,
			From: utf8.RuneCount(l.text[from:first]) + 1, To: utf8.RuneCount(l.text[from:last]),
		})
		l.left = l.left[1:]
	}
	l.at += n
}

// step returns the part of a path for a member whose name begins at from. It hides a name with a
// secret in it.
func (l *locator) step(name string, from int) string {
	for _, s := range l.all {
		if s.from < from+len(name)+2 && from < s.to {
			return ".*"
		}
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			return "[" + string(jsontext.AppendString(nil, name)) + "]"
		}
	}
	return "." + name
}
