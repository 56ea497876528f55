package setup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// maxNesting is how deep settings may be nested: the parser recurses.
const maxNesting = 1000

// byteOrderMark is what some editors write at the beginning of a file. It is not part of the JSON.
var byteOrderMark = []byte("\ufeff")

// node is one value of a JSON text with comments, and its place in it. Nothing is ever printed from
// it: edits are made in the text itself.
type node struct {
	start, end int
	kind       hujson.Kind
	literal    hujson.Literal
	items      []item
}

// item is a member of an object or an element of an array.
type item struct {
	name  string // of a member
	start int    // of the name, or of the element
	value node
}

func parse(text []byte) (node, error) {
	if tooDeep(text) {
		return node{}, errors.New("nested too deeply")
	}
	for i, c := range text {
		if c == '\r' && !bytes.HasPrefix(text[i+1:], []byte("\n")) {
			// Where a comment ends with it, clients and the parser read different settings.
			return node{}, errorAt(text, i, "a carriage return without a line feed")
		}
	}
	v, err := hujson.Parse(text)
	if err != nil {
		return node{}, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return newNode(v), nil
}

// tooDeep reports whether a text is nested too deeply. It also counts brackets in strings: it is
// wrong only about a text with a thousand unpaired ones.
func tooDeep(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > maxNesting {
			return true
		}
	}
	return false
}

func newNode(v hujson.Value) node {
	n := node{start: v.StartOffset, end: v.EndOffset, kind: v.Value.Kind()}
	switch c := v.Value.(type) {
	case hujson.Literal:
		n.literal = c
	case *hujson.Array:
		for _, e := range c.Elements {
			n.items = append(n.items, item{start: e.StartOffset, value: newNode(e)})
		}
	case *hujson.Object:
		for _, m := range c.Members {
			name, _ := m.Name.Value.(hujson.Literal)
			it := item{name: name.String(), start: m.Name.StartOffset, value: newNode(m.Value)}
			n.items = append(n.items, it)
		}
	}
	return n
}

// member returns the place of a member among the items, -1 if there is none.
func (n node) member(name string) int {
	if n.kind == '{' {
		for i := len(n.items) - 1; i >= 0; i-- {
			if n.items[i].name == name {
				return i // of two with one name, the later one counts in every client
			}
		}
	}
	return -1
}

// get returns the value of a member, the zero node if there is none.
func (n node) get(name string) node {
	if i := n.member(name); i >= 0 {
		return n.items[i].value
	}
	return node{}
}

// text returns the value of a string, "" for any other kind.
func (n node) text() string {
	if n.kind != '"' {
		return ""
	}
	return n.literal.String()
}

// errorAt returns an error that says where in the text something is wrong.
func errorAt(text []byte, at int, why string, args ...any) error {
	line := 1 + bytes.Count(text[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(text[:at], '\n')
	return fmt.Errorf("line %d, column %d: %s", line, column, fmt.Sprintf(why, args...))
}

// words returns the strings of a list.
func (n node) words() (words []string) {
	for _, it := range n.items {
		words = append(words, it.value.text())
	}
	return words
}
