package setup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// maxNesting bounds how deep settings may be nested: the parser below recurses.
const maxNesting = 1000

// byteOrderMark stands at the beginning of what some editors save. It is no part of the JSON.
var byteOrderMark = []byte("\ufeff")

// node is one value of a JSON text with comments, by where it stands. Nothing is ever printed from it: edits are made in the text itself.
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

// parse gives the tree of a text.
func parse(text []byte) (node, error) {
	if deep(text) {
		return node{}, errors.New("nested too deeply")
	}
	v, err := hujson.Parse(text)
	if err != nil {
		return node{}, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return newNode(v), nil
}

// deep counts brackets, those in strings too: a text that it is wrong about holds a thousand of them unpaired.
func deep(text []byte) bool {
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
			n.items = append(n.items, item{name: name.String(), start: m.Name.StartOffset, value: newNode(m.Value)})
		}
	}
	return n
}

// member gives the place of a member among the items; -1 if there is none.
func (n node) member(name string) int {
	if n.kind == '{' {
		for i := len(n.items) - 1; i >= 0; i-- {
			if n.items[i].name == name {
				return i // of two, the later one counts, in every client
			}
		}
	}
	return -1
}

// get gives the value of a member; the zero node if there is none.
func (n node) get(name string) node {
	if i := n.member(name); i >= 0 {
		return n.items[i].value
	}
	return node{}
}

// text gives the value of a string; "" for any other.
func (n node) text() string {
	if n.kind != '"' {
		return ""
	}
	return n.literal.String()
}

// here says where in the text something is wrong.
func here(text []byte, at int, why string, args ...any) error {
	line := 1 + bytes.Count(text[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(text[:at], '\n')
	return fmt.Errorf("line %d, column %d: %s", line, column, fmt.Sprintf(why, args...))
}

// words gives the strings of a list.
func (n node) words() (words []string) {
	for _, it := range n.items {
		words = append(words, it.value.text())
	}
	return words
}
