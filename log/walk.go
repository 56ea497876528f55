package log

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Reading inside JSON that has been checked before: no error can come up, and none of these functions panics on anything else; they then end
// early.

// skipValue gives the length of the value at the start of b (no leading white space).
func skipValue(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '"':
		return skipString(b)
	case '{', '[':
		return skipNested(b)
	}
	if i := bytes.IndexAny(b, ",]} \t\r\n"); i >= 0 {
		return i
	}
	return len(b)
}

// isWhole reports whether b is one value from end to end: quotes closed, as many brackets closed as opened, a scalar well spelled. It does not look inside.
func isWhole(b []byte) bool {
	switch {
	case len(b) == 0:
		return false
	case b[0] == '"':
		return len(b) > 1 && skipString(b) == len(b) && b[len(b)-1] == '"' && !escapedQuote(b[:len(b)-1])
	case b[0] == '{' || b[0] == '[':
		return nestedLen(b) == len(b)
	case b[0] == '-' || '0' <= b[0] && b[0] <= '9':
		return numberLen(b) == len(b)
	}
	return string(b) == "true" || string(b) == "false" || string(b) == "null"
}

func skipString(b []byte) int {
	for i := 1; i < len(b); {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			break
		}
		i += j + 1
		if !escapedQuote(b[:i-1]) {
			return i
		}
	}
	return len(b)
}

// escapedQuote reports whether what follows b inside a string is escaped: an odd run of backslashes stands before it.
func escapedQuote(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

func skipNested(b []byte) int {
	if n := nestedLen(b); n > 0 {
		return n
	}
	return len(b)
}

// nestedLen measures the array or object at the start of b; 0 if it has no end.
func nestedLen(b []byte) int {
	depth := 0
	for i := 0; i < len(b); {
		switch b[i] {
		case '"':
			i += skipString(b[i:])
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return 0
}

// Members yields the members of a compact JSON object: the name unescaped, the value as it stands. Anything but an object yields nothing.
func Members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		if len(object) < 2 || object[0] != '{' {
			return
		}
		for b := object[1:]; len(b) > 1 && b[0] == '"'; {
			n := skipString(b)
			name := Unquote(b[:n])
			if n+1 > len(b) {
				return
			}
			b = b[min(n+1, len(b)):]
			v := skipValue(b)
			if !yield(name, b[:v]) {
				return
			}
			b = b[min(v+1, len(b)):]
		}
	}
}

// Elements yields the elements of a compact JSON array. Anything but an array yields nothing.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(array) < 2 || array[0] != '[' {
			return
		}
		for b := array[1:]; len(b) > 1 || len(b) == 1 && b[0] != ']'; {
			n := skipValue(b)
			if n == 0 || !yield(b[:n]) {
				return
			}
			b = b[min(n+1, len(b)):]
		}
	}
}

// Unquote gives what a JSON string says; "" for anything but a string.
func Unquote(s []byte) string {
	if len(s) < 2 || s[0] != '"' {
		return ""
	}
	return unescape(s[1 : len(s)-1])
}

// unescape resolves the escapes of a string body that has been checked.
func unescape(b []byte) string {
	i := bytes.IndexByte(b, '\\')
	if i < 0 {
		return string(b)
	}
	var out strings.Builder
	for ; i >= 0; i = bytes.IndexByte(b, '\\') {
		out.Write(b[:i])
		r, n := oneEscape(b[i:])
		out.WriteRune(r)
		b = b[i+n:]
	}
	out.Write(b)
	return out.String()
}

func oneEscape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return utf8.RuneError, len(b)
	}
	if i := strings.IndexByte("\"\\/bfnrt", b[1]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 2
	}
	hi, ok := hex4(b[2:])
	if !ok {
		return utf8.RuneError, 2
	}
	if utf16.IsSurrogate(hi) && len(b) >= 12 {
		lo, _ := hex4(b[8:])
		return utf16.DecodeRune(hi, lo), 12
	}
	return hi, 6
}

// AppendString appends s as a JSON string, escaping only what JSON demands: text in every script stays as it is (M-47), and so does
// invalid UTF-8, which CompactJSON then refuses by its position.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
