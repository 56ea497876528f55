package settings

import (
	"bytes"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// step is how far a new text is indented for each object around a member.
const step = "  "

// Set returns the text with a member that has this value, which is JSON. The objects on the way to
// it are made where they are missing. An empty text is taken for an object without members. The
// error is a [*Fault], where the text is no JSON object or something in the way is none.
func Set(text []byte, path []string, value []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	at, err := parse(text)
	if err != nil {
		return nil, err
	}
	for i, name := range path {
		next := slices.IndexFunc(at.items, func(it node) bool { return it.name == name })
		if next < 0 {
			return insert(text, at, path[i:], value), nil
		}
		at = at.items[next]
		if i < len(path)-1 && text[at.start] != '{' {
			return insertInto(text, at, path, i, value)
		}
	}
	return splice(text, at.start, at.end, value), nil
}

// insertInto is Set where something in the way is no object. Null counts as not there.
func insertInto(text []byte, at node, path []string, i int, value []byte) ([]byte, error) {
	if string(text[at.start:at.end]) == null {
		return Set(splice(text, at.start, at.end, []byte("{}")), path, value)
	}
	return nil, &Fault{Line: lineOf(text, at.nameStart), Name: dotted(path[:i+1]),
		Why: "want an object"}
}

// insert returns the text with a member behind the last one of an object, in its style.
func insert(text []byte, object node, path []string, value []byte) []byte {
	margin := jsontext.IndentAt(text, object.start)
	if len(object.items) == 0 {
		gap := "\n" + margin + step
		body := gap + member(path, value, ": ", gap) + "\n" + margin
		return splice(text, object.start+1, object.end-1, []byte(body))
	}
	last := object.items[len(object.items)-1]
	from := object.start + 1
	if n := len(object.items); n > 1 {
		from = comma(text, object.items[n-2]) + 1
	}
	gap := string(text[from:last.nameStart])
	if len(object.items) == 1 && !strings.Contains(gap, "\n") && colon(text, last) != ":" {
		gap = " "
	}
	return splice(text, last.end, last.end,
		[]byte(","+gap+member(path, value, colon(text, last), gap)))
}

// member returns a member with the objects around it. gap is what stands before it: where that has
// a newline, each object takes lines of its own.
func member(path []string, value []byte, colon, gap string) string {
	body := string(jsontext.AppendString(nil, path[0])) + colon
	if len(path) == 1 {
		return body + string(value)
	}
	open, shut := "", ""
	if strings.Contains(gap, "\n") {
		open, shut = gap+step, gap
	}
	return body + "{" + open + member(path[1:], value, colon, open) + shut + "}"
}

// Remove returns the text without a dotted name, which may be of any member or object that stands
// in it, and without the objects that hold nothing then. A text that does not have it is returned
// as it is. The error is a [*Fault] where the text is no JSON object.
func Remove(text []byte, name string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	text, _ = remove(text, root, name)
	return text, nil
}

// remove removes a name below an object, and reports whether it was there.
func remove(text []byte, object node, name string) ([]byte, bool) {
	for i, it := range object.items {
		rest, below := strings.CutPrefix(name, it.name+".")
		if it.name == name || below && len(it.items) == 1 && holds(it, rest) {
			return cut(text, object, i), true
		}
		if below {
			if shorter, done := remove(text, it, rest); done {
				return shorter, true
			}
		}
	}
	return text, false
}

// holds reports whether all that a value has is the member of a dotted name.
func holds(n node, name string) bool {
	if len(n.items) != 1 {
		return false
	}
	rest, below := strings.CutPrefix(name, n.items[0].name+".")
	return n.items[0].name == name || below && holds(n.items[0], rest)
}

// cut returns the text without an item, one comma, and the white space between.
func cut(text []byte, object node, i int) []byte {
	switch it := object.items[i]; {
	case len(object.items) == 1:
		return splice(text, object.start+1, object.end-1, nil)
	case i == len(object.items)-1:
		return splice(text, object.items[i-1].end, it.end, nil)
	default:
		return splice(text, it.nameStart, object.items[i+1].nameStart, nil)
	}
}

// comma returns the place of the comma behind an item.
func comma(text []byte, it node) int { return space(text, it.end) }

// colon returns what stands between an item's name and its value.
func colon(text []byte, it node) string {
	name, _ := jsontext.StringLen(text[it.nameStart:])
	return string(text[it.nameStart+name : it.start])
}

// splice returns the text with another one in place of a part.
func splice(text []byte, from, to int, with []byte) []byte {
	return slices.Concat(text[:from], with, text[to:])
}
