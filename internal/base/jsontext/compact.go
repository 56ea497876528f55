package jsontext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrJSON is wrapped by every refusal of a JSON text: grammar, duplicate names, encoding, depth.
var ErrJSON = errors.New("not acceptable JSON")

// MaxDepth is how deep arrays and objects may be nested in content or source.
const MaxDepth = 128

// Error is the refusal of a text: its fault, and the byte of that. errors.Is(err, ErrJSON) is true
// for it.
type Error struct {
	Pos   int    // byte offset in the text that was given
	Fault string // the fault there
}

func (e *Error) Error() string { return fmt.Sprintf("JSON: %s at byte %d", e.Fault, e.Pos) }

// Is makes every Error an ErrJSON.
func (e *Error) Is(target error) bool { return target == ErrJSON }

// Compact appends the one JSON value in src to dst without insignificant white space. It refuses
// duplicate member names, invalid UTF-8, lone surrogates and more than [MaxDepth] levels. The error
// is a [*Error].
func Compact(dst, src []byte) ([]byte, error) { return CompactDepth(dst, src, MaxDepth) }

// CompactDepth is Compact with another limit for the levels.
func CompactDepth(dst, src []byte, limit int) ([]byte, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, &Error{Fault: "empty text"}
	}
	out, err := jsontext.AppendFormat(slices.Grow(dst, len(src)), src,
		jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, refusal(src, err, limit)
	}
	if at := tooDeep(src, limit); at >= 0 {
		return nil, deeper(at, limit)
	}
	return out, nil
}

func deeper(at, limit int) *Error {
	return &Error{Pos: at, Fault: fmt.Sprintf("nesting past %d levels", limit)}
}

// libraryDepth is how many levels the library reads.
const libraryDepth = 10_000

// refusal returns an error of the library about a text as an [Error].
func refusal(src []byte, err error, limit int) error {
	var at *jsontext.SyntacticError
	switch {
	case !errors.As(err, &at):
		return &Error{Fault: err.Error()}
	case at.ByteOffset >= libraryDepth && int(at.ByteOffset) < len(src) &&
		tooDeep(src[:at.ByteOffset+1], libraryDepth) == int(at.ByteOffset):
		return deeper(tooDeep(src, limit), limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{int(at.ByteOffset), "the text ends too early"}
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := clip(at.JSONPointer.LastToken())
		return &Error{int(at.ByteOffset), fmt.Sprintf("duplicate member name %q", name)}
	}
	return &Error{int(at.ByteOffset), at.Err.Error()}
}

// tooDeep returns where a checked text has more levels than the limit; -1: nowhere.
func tooDeep(text []byte, limit int) int {
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) <= limit {
		return -1
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n, _ := StringLen(text[i:])
			i += n - 1
		case '{', '[':
			if depth++; depth > limit {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}
