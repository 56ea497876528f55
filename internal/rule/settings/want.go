package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// Want is what the value of a member must be. It has no functions of its own, so that a table costs
// a process nothing that reads no text.
type Want struct {
	kind        kind
	least, most float64
	oneOf       []string          // of texts; nil: any
	list        string            // what a list is, for a message
	good        func(string) bool // reports whether a list may have a text
}

type kind int

const (
	aBool kind = iota
	aWhole
	above
	between
	aText
	aList
)

// Bool wants true or false.
func Bool() Want { return Want{kind: aBool} }

// Whole wants a whole number from least on.
func Whole(least float64) Want { return Want{kind: aWhole, least: least} }

// NumberAbove wants a number above least, which may have a fraction.
func NumberAbove(least float64) Want { return Want{kind: above, least: least} }

// NumberBetween wants a number from least to most, which may have a fraction.
func NumberBetween(least, most float64) Want {
	return Want{kind: between, least: least, most: most}
}

// Text wants a string, which people may type without quotes; with a list, one of these.
func Text(oneOf ...string) Want { return Want{kind: aText, oneOf: oneOf} }

// Texts wants a list of strings, each of which is good; says is what that is.
func Texts(says string, good func(string) bool) Want {
	return Want{kind: aList, list: says, good: good}
}

// fits reports whether a value is wanted.
func (w Want) fits(v []byte) bool {
	switch w.kind {
	case aBool:
		return string(v) == "true" || string(v) == "false"
	case aWhole:
		n, err := strconv.ParseInt(string(v), 10, 64)
		return err == nil && n >= int64(w.least)
	case above, between:
		// A value of a checked text begins as a number only where it is one.
		n, err := strconv.ParseFloat(string(v), 64)
		return err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) && n >= w.least &&
			(n > w.least || w.kind == between) && (n <= w.most || w.kind == above)
	case aText:
		return v[0] == '"' && (len(w.oneOf) == 0 || slices.Contains(w.oneOf, jsontext.Unquote(v)))
	}
	if v[0] != '[' {
		return false
	}
	for e := range jsontext.Elements(v) {
		if e[0] != '"' || !w.good(jsontext.Unquote(e)) {
			return false
		}
	}
	return true
}

func (w Want) says() string {
	switch last := len(w.oneOf) - 1; {
	case w.kind == aBool:
		return "true or false"
	case w.kind == aWhole:
		return fmt.Sprintf("a whole number, %v or more", w.least)
	case w.kind == above:
		return fmt.Sprintf("a number above %v", w.least)
	case w.kind == between:
		return fmt.Sprintf("a number from %v to %v", w.least, w.most)
	case last >= 0:
		return strings.TrimPrefix(strings.Join(w.oneOf[:last], ", ")+" or "+w.oneOf[last], " or ")
	case w.kind == aList:
		return w.list
	}
	return "a text"
}

// maxShown is how much of a wrong value a message has.
const maxShown = 40

// refusal returns the message for a value that does not fit.
func (w Want) refusal(value []byte) string {
	shown := string(value)
	if len(shown) > maxShown {
		shown = strings.ToValidUTF8(shown[:maxShown], "") + "…"
	}
	return "want " + w.says() + ", not " + shown
}

// Value returns the value that an argument stands for: JSON, or for a text that is none, itself. It
// is what the member wants, or null. The error is a [*Fault] without a line.
func (m Member) Value(arg string) ([]byte, error) {
	value, err := jsontext.Compact(nil, []byte(arg))
	if m.Want.kind == aText && (err != nil || value[0] != '"' && string(value) != null) {
		value, err = jsontext.AppendString(nil, arg), nil
	}
	if err != nil {
		value = []byte(arg)
	} else if string(value) == null || m.Want.fits(value) {
		return value, nil
	}
	return nil, &Fault{Name: m.Name, Why: m.Want.refusal(value)}
}
