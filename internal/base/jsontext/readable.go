package jsontext

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/text"
)

// Readable is Compact that also decodes the \u escapes of characters that print. Escapes of what
// would end the string, break the line, or not be seen stay.
func Readable(dst, src []byte) ([]byte, error) {
	out, err := Compact(dst, src)
	if err != nil {
		return nil, err
	}
	// A character is no longer than its escape, so the text moves to the front of its own bytes.
	rest, out := out[len(dst):], out[:len(dst)]
	for {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return append(out, rest...), nil
		}
		r, n := oneEscape(rest[i:])
		if rest[i+1] == 'u' && isReadable(r) {
			out = utf8.AppendRune(append(out, rest[:i]...), r)
		} else {
			out = append(out, rest[:i+n]...)
		}
		rest = rest[i+n:]
	}
}

// isReadable reports whether a character is stored as itself. One that this build's tables do not
// know yet is not.
func isReadable(r rune) bool {
	return r != '"' && r != '\\' && unicode.IsPrint(r) && !text.Blank(r) || r == ' '
}

// AppendVisible appends a checked JSON text, with escapes for invisible characters in its strings:
// controls that a terminal would obey, and characters that hide text. Its meaning stays. ASCII and
// invalid UTF-8 outside strings stay as they are.
func AppendVisible(dst, doc []byte) []byte {
	ascii := func(c rune) bool { return c < 0x7f }
	if len(bytes.TrimLeftFunc(doc, ascii)) == 0 {
		return append(dst, doc...)
	}
	before := ' '
	for rest := string(doc); rest != ""; {
		r, n, shows := text.First(rest, before)
		if shows || r < 0x7f || unicode.Is(unicode.Zs, r) || r == utf8.RuneError {
			dst = append(dst, rest[:n]...)
		} else {
			dst, r = text.AppendEscape(dst, r), ' '
		}
		rest, before = rest[n:], r
	}
	return dst
}
