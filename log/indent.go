package log

import (
	"encoding/json"
	"fmt"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// maxIndented is how many bytes a line may have that is laid out for people: a few numbers in many
// brackets take a hundred times their bytes, and nobody reads that. A longer one stays a line.
const maxIndented = 8 << 20

// Indent lays a compact line out for people, as an index file holds it; one that is too long for
// that is returned as it is. CompactLine of the result is the line again.
func Indent(line []byte) ([]byte, error) {
	return AppendIndented(make([]byte, 0, len(line)+len(line)/2), line)
}

// AppendIndented appends the text that Indent returns. It looks only for the ends of strings and
// for nesting: a line was checked when it was made or read.
func AppendIndented(dst, line []byte) ([]byte, error) {
	if len(line) > maxIndented>>8 && indentedLen(line) > maxIndented {
		return append(append(dst, line...), '\n'), nil
	}
	depth, from := 0, 0 // of the bytes that are not copied yet
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '"':
			size, _ := jsontext.StringLen(line[i:])
			if size == 0 {
				return nil, fmt.Errorf("%w: a string without an end", jsontext.ErrJSON)
			}
			i += size - 1
		case ':':
			dst, from = append(append(dst, line[from:i+1]...), ' '), i+1
		case ',', '{', '[':
			if c != ',' && i+1 < len(line) && line[i+1] == c+2 {
				i++ // nothing in it: it stays as it is
				continue
			}
			if c != ',' {
				depth++
			}
			dst, from = appendBreak(append(dst, line[from:i+1]...), depth), i+1
		case '}', ']':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("%w: an end without a beginning", jsontext.ErrJSON)
			}
			dst, from = appendBreak(append(dst, line[from:i]...), depth), i
		}
	}
	if depth > 0 {
		return nil, fmt.Errorf("%w: a beginning without an end", jsontext.ErrJSON)
	}
	return append(append(dst, line[from:]...), '\n'), nil
}

// appendBreak begins a new line at a depth.
func appendBreak(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

// IndentShown returns compact JSON laid out for people. A text that would be too long is returned
// as it is; for a text that is no JSON the result is empty.
func IndentShown(text []byte) string {
	out, err := Indent(text)
	if err != nil || !json.Valid(text) {
		return ""
	}
	return string(out[:len(out)-1])
}

// IndentedLen returns the length of what Indent returns for a compact line, many times as fast.
func IndentedLen(line []byte) int {
	if n := indentedLen(line); n <= maxIndented {
		return n
	}
	return len(line) + 1
}

// indentedLen returns the length of a compact line that is laid out, however long that is.
func indentedLen(line []byte) int {
	const step = len("  ")
	n, depth := len(line)+1, 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			size, _ := jsontext.StringLen(line[i:])
			i += max(size-1, 0)
		case ':':
			n++
		case ',':
			n += 1 + depth*step
		case '{', '[':
			if i+1 < len(line) && line[i+1] == line[i]+2 {
				i++ // nothing in it: it stays as it is
				continue
			}
			depth++
			n += 1 + depth*step
		case '}', ']':
			depth--
			n += 1 + depth*step
		}
	}
	return n
}
