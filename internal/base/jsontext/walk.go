package jsontext

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The functions here read JSON that has been checked before. They have no errors to return; on any
// other text they end early and never panic.

// skipValue returns the length of the value at the start of b, which has no leading white space.
func skipValue(b []byte) int {
	if n := ValueLen(b); n > 0 {
		return n
	}
	if len(b) > 0 && (b[0] == '"' || b[0] == '{' || b[0] == '[') {
		return len(b)
	}
	if i := bytes.IndexAny(b, ",]} \t\r\n"); i >= 0 {
		return i
	}
	return len(b)
}

// ValueLen returns the length of the value at the start of b, or 0 if there is none: a string with
// its closing quote, as many brackets closed as opened, or a well-formed number or word. It does
// not check the inside.
func ValueLen(b []byte) int {
	switch {
	case len(b) == 0:
		return 0
	case b[0] == '"':
		n, _ := StringLen(b)
		return n
	case b[0] == '{' || b[0] == '[':
		return nestedLen(b)
	case b[0] == '-' || '0' <= b[0] && b[0] <= '9':
		return numberLen(b)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(b, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// numberLen returns the length of the number at the start of b by RFC 8259; 0 for none.
func numberLen(b []byte) int {
	i := 0
	digits := func() bool {
		from := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		i++
	}
	leading := i
	if !digits() || b[leading] == '0' && i > leading+1 {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return 0
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// StringLen returns the length of the string at the start of b, 0 without its end.
func StringLen(b []byte) (n int, escaped bool) {
	i := 1
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		marks := zeros(w^ones*'"') | zeros(w^ones*'\\')
		if marks == 0 {
			i += 8
			continue
		}
		if i += firstByte(marks); b[i] == '"' {
			return i + 1, escaped
		}
		i, escaped = i+2, true
	}
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			i, escaped = i+1, true
		}
	}
	return 0, false
}

// Masks to search eight bytes at a time. Texts are mostly short strings, for which a call of
// bytes.IndexByte costs more than the search.
const ones, tops = 0x0101010101010101, 0x8080808080808080

// zeros returns w with the top bit of each zero byte set. Bytes above the first zero byte may be
// marked wrongly.
func zeros(w uint64) uint64 { return (w - ones) &^ w & tops }

// firstByte returns the index of the first marked byte, or 8 if none is marked.
func firstByte(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

// nestedLen returns the length of the array or object at the start of b, or 0 if it has no end.
func nestedLen(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n, _ := StringLen(b[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// Members yields the members of a compact JSON object: each name unescaped, each value as it is
// written. It yields nothing for anything but an object.
func Members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for name, value := range RawMembers(object) {
			if !yield(string(name), value) {
				return
			}
		}
	}
}

// RawMembers is Members without a copy of every name.
func RawMembers(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		if len(object) < 2 || object[0] != '{' {
			return
		}
		for b := object[1:]; len(b) > 1 && b[0] == '"'; {
			n, escaped := StringLen(b)
			if n == 0 || n == len(b) {
				return
			}
			name := b[1 : n-1]
			if escaped {
				name = []byte(Unescape(name))
			}
			b = b[n+1:]
			v := skipValue(b)
			if !yield(name, b[:v]) {
				return
			}
			b = b[min(v+1, len(b)):]
		}
	}
}

// Elements yields the elements of a compact JSON array, and nothing for anything but an array.
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

// Unquote returns the text of a JSON string, or "" for anything but a string.
func Unquote(s []byte) string {
	if len(s) < 2 || s[0] != '"' {
		return ""
	}
	return Unescape(s[1 : len(s)-1])
}

// TextOr returns the text of a JSON string, or other for any other value.
func TextOr(value []byte, other string) string {
	if len(value) > 0 && value[0] == '"' {
		return Unquote(value)
	}
	return other
}

// Unescape returns the body of a checked JSON string with its escapes decoded.
func Unescape(b []byte) string {
	i := bytes.IndexByte(b, '\\')
	if i < 0 {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b))
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

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}

// AppendString appends s as a JSON string, escaping only what JSON demands: text in every script
// stays as it is, and so does invalid UTF-8, which Compact then refuses by its position.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// IndentAt returns the white space at the beginning of the line of a place.
func IndentAt(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
