package secret

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
)

type leafKind int

const (
	stringLeaf leafKind = iota
	nameLeaf            // the name of a member
	scalarLeaf          // a number, true, false, or null
)

// leaf is a part of a JSON value that has no parts itself.
type leaf struct {
	kind      leafKind
	text, raw part   // in the unescaped text and in the value, both without quotes
	path      string // like content.env[2]
	object    int    // of a name: the number of the object that it is in
}

// leaves returns the leaves of a JSON value in order; text is its unescaped text. Their paths begin
// with name and do not show names with a part of hidden in them.
func leaves(name string, value, text []byte, hidden []part) []leaf {
	w := leafWalk{value: value, text: text, hidden: hidden}
	w.walk(name)
	return w.list
}

// leafWalk goes over a value and counts its position in the unescaped text.
type leafWalk struct {
	value, text []byte
	raw, at     int // the position in both
	hidden      []part
	objects     int
	list        []leaf
}

// next returns the next byte, or 0 at the end.
func (w *leafWalk) next() byte {
	if w.raw < len(w.value) {
		return w.value[w.raw]
	}
	return 0
}

// skip passes over a sign between leaves.
func (w *leafWalk) skip() { w.raw, w.at = w.raw+1, w.at+1 }

func (w *leafWalk) walk(path string) {
	switch w.next() {
	case '{':
		w.object(path)
	case '[':
		w.array(path)
	case '"':
		w.leaf(leaf{kind: stringLeaf, path: path})
	case 0:
	default:
		w.leaf(leaf{kind: scalarLeaf, path: path})
	}
}

func (w *leafWalk) object(path string) {
	w.objects++
	object := w.objects
	w.skip()
	for w.next() != '}' && w.next() != 0 {
		name := w.leaf(leaf{kind: nameLeaf, path: path + " (a member's name)", object: object})
		w.skip() // colon
		w.walk(path + w.step(name))
		if w.next() == ',' {
			w.skip()
		}
	}
	w.skip()
}

func (w *leafWalk) array(path string) {
	w.skip()
	for n := 0; w.next() != ']' && w.next() != 0; n++ {
		w.walk(path + "[" + strconv.Itoa(n) + "]")
		if w.next() == ',' {
			w.skip()
		}
	}
	w.skip()
}

// leaf adds the leaf that is next and returns its part of the text.
func (w *leafWalk) leaf(l leaf) part {
	rest := w.value[w.raw:]
	raw := jsontext.ValueLen(rest)
	if raw == 0 {
		raw = len(rest) // no JSON
	}
	text := raw
	l.raw, l.text = part{w.raw, w.raw + raw}, part{w.at, w.at + raw}
	if rest[0] == '"' && raw > 1 {
		if _, escaped := jsontext.StringLen(rest[:raw]); escaped {
			text = textLen(rest[1:raw-1]) + 2
		}
		l.raw, l.text = part{w.raw + 1, w.raw + raw - 1}, part{w.at + 1, w.at + text - 1}
	}
	w.raw, w.at = w.raw+raw, w.at+text
	w.list = append(w.list, l)
	return l.text
}

// step returns the part of a path for a member by its name. It hides a name with a secret in it.
func (w *leafWalk) step(at part) string {
	if (span{from: at.from - 1, to: at.to + 1}).overlaps(w.hidden) {
		return ".*"
	}
	name := string(w.text[at.from:at.to])
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			return "[" + string(jsontext.AppendString(nil, name)) + "]"
		}
	}
	return "." + name
}

// textLen returns how long the body of a JSON string is with its escapes decoded.
func textLen(body []byte) int {
	n := len(body)
	for i := bytes.IndexByte(body, '\\'); i >= 0; i = bytes.IndexByte(body, '\\') {
		escape, char := escapeLen(body[i:])
		n -= escape - char
		body = body[i+escape:]
	}
	return n
}

// escapeLen returns the length of the escape that b begins with, of both halves of a surrogate
// pair, and of the character that it stands for.
func escapeLen(b []byte) (escape, char int) {
	const short, long = len(`\n`), len(`\u0000`)
	if b[1] != 'u' || len(b) < long {
		return short, 1
	}
	code, _ := strconv.ParseUint(string(b[2:long]), 16, 16)
	if utf16.IsSurrogate(rune(code)) && len(b) >= 2*long {
		return 2 * long, utf8.UTFMax
	}
	return long, len(string(rune(code)))
}
