package secret

import (
	"bytes"
	"strings"
)

// form is how a value stands behind its name.
type form int

const (
	none     form = iota
	plain         // name: value, and name = value
	tight         // name=value, as in files of settings, URLs and connection strings
	literal       // in quotes, like the value of a JSON member
	sentence      // the name of it is value
	flag          // --name value
)

// claim is a value that is said to be a credential.
type claim struct {
	kind string // of the word before it
	form form
	from int
	to   int
	rest []byte // what follows in the line, or a part of that
}

// longest is the greatest length of a body or a value that is looked at.
const longest = 512

// valueAt returns the value that begins at an offset: up to the closing quote, or a word.
func valueAt(text []byte, from int, kind string) claim {
	for _, open := range [...]string{"「", "『", "《", "“", "„", "‘", "‚", "«", "‹"} {
		if from < len(text) && text[from] >= 0x80 && bytes.HasPrefix(text[from:], []byte(open)) {
			from += len(open)
		}
	}
	if from < len(text) && quote(text[from]) {
		room := text[from+1 : min(from+1+longest, len(text))]
		to := bytes.IndexByte(room, text[from])
		if to >= 0 && bytes.IndexByte(room[:to], '\n') < 0 {
			return claim{kind, literal, from + 1, from + 1 + to, nil}
		}
		from++
	}
	to := from
	for to < min(from+longest, len(text)) && inValue(text[to]) {
		to++
	}
	rest := restOfLine(text, to)
	for to > from && bytes.IndexByte([]byte(".)]}!?"), text[to-1]) >= 0 {
		to--
	}
	return claim{kind, plain, from, to, rest}
}

func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// inValue reports whether c may be in a value without quotes. A script without spaces, like
// Chinese, ends it: its characters have three bytes or more.
func inValue(c byte) bool { return !closing(c) && c != ',' && c < 0xE0 }

// restOfLine returns some of what follows in the line, or in the string of JSON.
func restOfLine(text []byte, at int) []byte {
	const enough = 80
	rest := text[at:min(at+enough, len(text))]
	if i := bytes.IndexAny(rest, "\n\""); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// operatorAt returns the length of the operator at an offset, or 0.
func operatorAt(text []byte, at int) int {
	rest := text[min(at, len(text)):]
	if len(rest) == 0 || strings.IndexByte(":=-→", rest[0]) < 0 {
		return 0 // which is so nearly always
	}
	for _, op := range [...]string{":=", "===", "==", "=>", "->", "→", "::", ":", "="} {
		if bytes.HasPrefix(rest, []byte(op)) {
			return len(op)
		}
	}
	return 0
}

// skip returns the offset after at most n of these characters.
func skip(text []byte, at int, these string, n int) int {
	for end := min(at+n, len(text)); at < end && strings.IndexByte(these, text[at]) >= 0; {
		at++
	}
	return at
}
