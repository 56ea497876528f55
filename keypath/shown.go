package keypath

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/text"
)

// CheckNew refuses a key that may be stored, because earlier builds took it, and that no new memory
// may have: one that shows as another key does. The error is an *Error that wraps ErrKey.
func (k Key) CheckNew() error {
	before := '/'
	for pos := 0; pos < len(k.s); {
		r, n, shows := text.First(k.s[pos:], before)
		last := pos+n == len(k.s) || k.s[pos+n] == '/'
		var fault string
		switch blank := text.Blank(r) && !isPrivate(r); {
		case text.Ignorable(r) && !shows:
			fault = fmt.Sprintf("invisible character U+%04X", r)
		case blank && !shows && before == '/':
			fault = "blank at the beginning of a segment"
		case blank && !shows && last:
			fault = "blank at the end of a segment"
		}
		if fault != "" {
			return &Error{Fault: fault, Pos: pos, Key: k.s}
		}
		if before = r; !shows {
			before = ' '
		}
		pos += n
	}
	return nil
}

// isPrivate reports whether r is for private use. It shows where sender and reader agreed on it.
func isPrivate(r rune) bool { return 0xe000 <= r && r <= 0xf8ff || r >= 0xf0000 }

// Shown returns the key for people, so that no two keys show as one: as it is, or where that has a
// character which does not show, a blank at the end of a segment or two in a row, as a JSON string
// with escapes for these. The two cannot be mixed up, because a key begins with a slash.
func (k Key) Shown() string { return Show(k.s) }

// ParseShown is [Parse] of what [Key.Shown] returned. Keys that show as they are need no quotes.
func ParseShown(s string) (Key, error) {
	if !strings.HasPrefix(s, `"/`) {
		return Parse(s)
	}
	text, err := jsontext.Compact(nil, []byte(s))
	if err != nil {
		return Key{}, &Error{Fault: "not a JSON string", Key: s}
	}
	return Parse(jsontext.Unquote(text))
}

// Show is [Key.Shown] for the text of a key.
func Show(key string) string {
	if isPlainASCII(key) {
		return key
	}
	if quoted, plain := inQuotes(key); !plain {
		return quoted
	}
	return key
}

// Quote returns the text of a key as [Show] does, in quotes whatever it has: for a line on which
// the characters of a key could be taken for those around it.
func Quote(key string) string {
	quoted, _ := inQuotes(key)
	return quoted
}

// Name returns the shortest text that [ParseName] reads back as this key: that of [Show], without
// the first slash unless it would then be taken for something else: an id (see [MayBeID]), a flag,
// which begins with a hyphen, or a path of Windows, with a colon after a letter.
func Name(key string) string {
	shown := Show(key)
	name, plain := strings.CutPrefix(shown, "/")
	switch {
	case !plain, strings.HasPrefix(name, `"/`), name[0] == '-',
		len(name) > 1 && name[1] == ':', MayBeID(name):
		return shown
	}
	return name
}

// MayBeID reports whether a text could be meant as an id, like m-4: it is one segment, of digits
// alone or with a hyphen or an underscore.
func MayBeID(name string) bool {
	return !strings.Contains(name, "/") &&
		(strings.ContainsAny(name, "-_") || strings.Trim(name, "0123456789") == "")
}

// ParseName is [ParseShown], of a key without its first slash too. Its meaning is the caller's
// business.
func ParseName(s string) (Key, error) {
	if s == "" || s[0] == '/' || strings.HasPrefix(s, `"/`) {
		return ParseShown(s)
	}
	return Parse("/" + s)
}

func inQuotes(key string) (quoted string, plain bool) {
	out := append(make([]byte, 0, 2*len(key)), '"')
	plain = true
	for pos, before := 0, '/'; pos < len(key); {
		r, n, shows := firstPlain(key[pos:], before)
		switch {
		case !shows:
			out, r, plain = text.AppendEscape(out, r), ' ', false
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		default:
			out = append(out, key[pos:pos+n]...)
		}
		before, pos = r, pos+n
	}
	return string(append(out, '"')), plain
}

// isPlainASCII reports whether a key is certainly shown as it is, as nearly all are.
func isPlainASCII(key string) bool {
	for i := range len(key) {
		if c := key[i]; c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// firstPlain is [text.First] for a key, in which a single space within a segment shows.
func firstPlain(key string, before rune) (r rune, n int, shows bool) {
	if key[0] == ' ' {
		inside := len(key) > 1 && key[1] != '/' && before != '/' && before != ' '
		return ' ', 1, inside
	}
	return text.First(key, before)
}
