package readout

import (
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/text"
)

// Lines returns the lines of a text as they may stand in a prompt: every character at which some
// program begins a new line ends one, and each invisible character or terminal escape becomes a
// space. Tags and fences change as in [Flatten]; unlike that, it keeps spaces and tabs.
func Lines(s string) []string {
	var lines []string
	for {
		at := strings.IndexAny(s, "\n\r\v\f\u0085\u2028\u2029")
		if at < 0 {
			lines = append(lines, blankHidden(s))
			return strings.Split(defuse(strings.Join(lines, "\n")), "\n")
		}
		lines = append(lines, blankHidden(s[:at]))
		_, n := utf8.DecodeRuneInString(s[at:])
		if strings.HasPrefix(s[at:], "\r\n") {
			n = 2
		}
		s = s[at+n:]
	}
}

// blankHidden returns a line with a space in place of each invisible character or escape.
func blankHidden(s string) string {
	var out strings.Builder
	before := ' '
	for len(s) > 0 {
		r, n, shows := text.First(s, before)
		switch {
		case shows, r == '\t':
			out.WriteString(s[:n])
		default:
			r, n = ' ', escape(s)
			out.WriteByte(' ')
		}
		s, before = s[n:], r
	}
	return out.String()
}
