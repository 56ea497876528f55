package keypath

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// joiner is what the normalizer inserts into a long run of combining marks (UAX #15).
const joiner = "\u034F"

// normalize returns the normal form of a key that passed check. The faults that it finds show only
// in that form; their position is still that of the input.
func normalize(s string) (string, error) {
	nfc := norm.NFC.String(s)
	if nfc != s && strings.Count(nfc, joiner) > strings.Count(s, joiner) {
		fault := "more than 30 combining marks in a row"
		return "", &Error{Fault: fault, Pos: overloadedAt(s), Key: s}
	}
	canon := collapse(nfc)
	if len(canon) > MaxLen {
		fault := fmt.Sprintf("longer than %d bytes", MaxLen)
		return "", &Error{Fault: fault, Pos: overlongAt(s), Key: s}
	}
	return canon, nil
}

// collapse replaces runs of slashes by one slash and drops trailing ones.
func collapse(s string) string {
	s = strings.TrimRight(s, "/")
	if !strings.Contains(s, "//") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for seg := range strings.SplitSeq(s, "/") {
		if seg != "" {
			b.WriteByte('/')
			b.WriteString(seg)
		}
	}
	return b.String()
}

// overloadedAt returns the offset of the first combining mark past the limit.
func overloadedAt(s string) int {
	at := 0
	eachNormal(s, func(pos int, text []byte) bool {
		at = pos
		return !strings.HasPrefix(string(text), joiner) || strings.HasPrefix(s[pos:], joiner)
	})
	return at
}

// overlongAt returns the offset of the character with which the normal form passes MaxLen.
func overlongAt(s string) int {
	at, n, last := 0, 0, byte(0)
	eachNormal(s, func(pos int, text []byte) bool {
		at = pos
		n += len(text)
		if last == '/' && text[0] == '/' {
			n--
		}
		last = text[len(text)-1]
		return n <= MaxLen
	})
	return at
}

// eachNormal calls yield with the NFC form of s, one character and its combining marks at a time,
// and with the offset of that character in s, until yield returns false.
func eachNormal(s string, yield func(pos int, text []byte) bool) {
	var it norm.Iter
	it.InitString(norm.NFC, s)
	for !it.Done() {
		pos := it.Pos()
		if !yield(pos, it.Next()) {
			return
		}
	}
}

// joinsBackward reports whether the first character of s could combine with one before it.
func joinsBackward(s string) bool {
	return s[0] >= utf8.RuneSelf && !norm.NFC.PropertiesString(s).BoundaryBefore()
}

// IsNormal reports whether a text is certainly no other spelling of a key than itself. It need not
// be a key at all.
func IsNormal(text []byte) bool {
	if isCanonicalASCII(text) {
		return true
	}
	return len(text) > 0 && text[len(text)-1] != '/' && !bytes.Contains(text, []byte("//")) &&
		norm.NFC.IsNormal(text)
}
