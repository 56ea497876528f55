package keypath

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/text"
)

var (
	// ErrKey is wrapped by every refusal of a key or prefix; errors.As with *Error returns the
	// fault and its position.
	ErrKey = errors.New("not a key")
	// ErrPath is wrapped by Decode's error when a path is not the path of any key.
	ErrPath = errors.New("not the path of a key")
)

// shownLen is how many bytes of a refused key an error message repeats.
const shownLen = 160

// Error is the refusal of a key: its fault, and the place of that.
type Error struct {
	Fault string // the fault in words: "NUL character"
	Pos   int    // byte offset of the fault in Key
	Key   string // as the caller gave it, of any length and content
}

// Error returns one line whatever the key holds: control characters are quoted, and only the
// beginning of a very long key is shown.
func (e *Error) Error() string {
	return fmt.Sprintf("key: %s: %s at byte %d", quoteStart(e.Key), e.Fault, e.Pos)
}

// Unwrap makes errors.Is(err, ErrKey) true.
func (e *Error) Unwrap() error { return ErrKey }

// quoteStart returns s in quotes, cut at a character after shownLen bytes.
func quoteStart(s string) string {
	if len(s) <= shownLen {
		return quote(s)
	}
	end := shownLen
	for end > shownLen-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return quote(s[:end]) + "..."
}

// quote returns s in quotes, with escapes also for those marks and letters that do not show.
func quote(s string) string {
	s = strconv.Quote(s)
	if text.Line(s) == s {
		return s
	}
	var out []byte
	before := ' '
	for rest := s; rest != ""; {
		r, n, shows := text.First(rest, before)
		if before = r; shows || r == ' ' {
			out = append(out, rest[:n]...)
		} else {
			out, before = text.AppendEscape(out, r), ' '
		}
		rest = rest[n:]
	}
	return string(out)
}

func notPath(p RelPath, why string) error {
	return fmt.Errorf("%w: %s: %s", ErrPath, quoteStart(string(p)), why)
}
