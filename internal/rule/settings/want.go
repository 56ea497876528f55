package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// Want is what the value of a member must be.
type Want struct {
	Says string // what that is, for a message: "true or false"
	Text bool   // it is a string, which people may type without quotes
	fits func(value []byte) bool
}

// Bool wants true or false.
func Bool() Want {
	return Want{Says: "true or false", fits: func(v []byte) bool {
		return string(v) == "true" || string(v) == "false"
	}}
}

// Whole wants a whole number from least on.
func Whole(least int64) Want {
	return Want{Says: fmt.Sprintf("a whole number, %d or more", least),
		fits: func(v []byte) bool {
			n, err := strconv.ParseInt(string(v), 10, 64)
			return err == nil && n >= least
		}}
}

// Above wants a number above least, which may have a fraction.
func Above(least float64) Want {
	return Want{Says: fmt.Sprintf("a number above %v", least), fits: func(v []byte) bool {
		n, ok := number(v)
		return ok && n > least
	}}
}

// Between wants a number from least to most, which may have a fraction.
func Between(least, most float64) Want {
	return Want{Says: fmt.Sprintf("a number from %v to %v", least, most),
		fits: func(v []byte) bool {
			n, ok := number(v)
			return ok && n >= least && n <= most
		}}
}

// number returns the number that a value is. A value of a checked text begins as one only where it
// is one.
func number(v []byte) (float64, bool) {
	n, err := strconv.ParseFloat(string(v), 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// Text wants a string; with a list, one of these.
func Text(oneOf ...string) Want {
	says := "a text"
	if last := len(oneOf) - 1; last >= 0 {
		says = strings.TrimPrefix(strings.Join(oneOf[:last], ", ")+" or "+oneOf[last], " or ")
	}
	return Want{Says: says, Text: true, fits: func(v []byte) bool {
		return v[0] == '"' && (len(oneOf) == 0 || slices.Contains(oneOf, jsontext.Unquote(v)))
	}}
}

// Texts wants a list of strings, each of which is good; says is what that is.
func Texts(says string, good func(string) bool) Want {
	return Want{Says: says, fits: func(v []byte) bool {
		if v[0] != '[' {
			return false
		}
		for e := range jsontext.Elements(v) {
			if e[0] != '"' || !good(jsontext.Unquote(e)) {
				return false
			}
		}
		return true
	}}
}

// maxShown is how much of a wrong value a message has.
const maxShown = 40

// refusal says what is wrong with a value that does not fit.
func (w Want) refusal(value []byte) string {
	shown := string(value)
	if len(shown) > maxShown {
		shown = strings.ToValidUTF8(shown[:maxShown], "") + "…"
	}
	return "want " + w.Says + ", not " + shown
}

// Value returns the value that an argument stands for: JSON, or for a text that is none, itself. It
// is what the member wants, or null. The error is a [*Fault] without a line.
func (m Member) Value(arg string) ([]byte, error) {
	value, err := jsontext.Compact(nil, []byte(arg))
	if m.Want.Text && (err != nil || value[0] != '"' && string(value) != null) {
		value, err = jsontext.AppendString(nil, arg), nil
	}
	if err != nil {
		value = []byte(arg)
	} else if string(value) == null || m.Want.fits(value) {
		return value, nil
	}
	return nil, &Fault{Name: m.Name, Why: m.Want.refusal(value)}
}
