package keypath

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// isCanonicalASCII reports whether s is certainly a key in normal form. It is a fast path that most
// keys take: a log scan parses a million of them. After a false answer the slower rules decide;
// they accept a segment that begins with a dot, for example.
func isCanonicalASCII[T string | []byte](s T) bool {
	if len(s) < 2 || len(s) > MaxLen || s[0] != '/' || s[len(s)-1] == '/' {
		return false
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7F {
			return false
		}
		if s[i-1] == '/' && (c == '/' || c == '.') {
			return false
		}
	}
	return true
}

// check returns the first fault that shows in the key as it was given. Length is left to normalize,
// which may shorten the key.
func check(s string) error {
	switch {
	case s == "":
		return &Error{Fault: "empty key", Key: s}
	case s[0] != '/':
		return &Error{Fault: "no leading slash", Key: s}
	case strings.Trim(s, "/") == "":
		return &Error{Fault: "nothing but slashes", Key: s}
	}
	for pos, size := 0, 0; pos < len(s); pos += size {
		var fault string
		if fault, size = faultAt(s, pos); fault != "" {
			return &Error{Fault: fault, Pos: pos, Key: s}
		}
	}
	return nil
}

// faultAt returns the fault of the character at pos, or of the segment that begins there, and the
// character's size in bytes.
func faultAt(s string, pos int) (fault string, size int) {
	c := s[pos]
	if c == '.' && s[pos-1] == '/' {
		return dotFault(s[pos:]), 1
	}
	if ' ' <= c && c < 0x7F {
		return "", 1
	}
	r, size := utf8.DecodeRuneInString(s[pos:])
	return runeFault(r, size), size
}

// dotFault returns a fault if the first segment of rest is "." or "..", which are steps in a file
// tree.
func dotFault(rest string) string {
	switch seg, _, _ := strings.Cut(rest, "/"); seg {
	case ".":
		return `"." segment`
	case "..":
		return `".." segment`
	}
	return ""
}

// runeFault returns the fault of one character that was decoded from size bytes.
func runeFault(r rune, size int) string {
	switch {
	case r < ' ' || 0x7F <= r && r <= 0x9F:
		return controlName(r)
	case r < 0x061C:
		return ""
	case r == utf8.RuneError && size == 1:
		return "invalid UTF-8"
	case r == 0x2028:
		return "line separator U+2028"
	case r == 0x2029:
		return "paragraph separator U+2029"
	case isBidiControl(r):
		return fmt.Sprintf("bidirectional control U+%04X", r)
	}
	return ""
}

func controlName(r rune) string {
	switch r {
	case 0:
		return "NUL character"
	case '\t':
		return "tab"
	case '\n':
		return "newline"
	case '\r':
		return "carriage return"
	case 0x7F:
		return "DEL character"
	}
	return fmt.Sprintf("control character U+%04X", r)
}

// isBidiControl reports whether r has Unicode's Bidi_Control property: twelve marks, embeddings,
// overrides and isolates.
func isBidiControl(r rune) bool {
	switch {
	case r == 0x061C, r == 0x200E, r == 0x200F:
		return true
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
		return true
	}
	return false
}
