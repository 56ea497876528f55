package readout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/text"
)

// Flatten returns s as one line of at most limit characters (code points), on which nothing can be
// forged or hidden: line breaks, control characters, terminal escapes, and what [text.Blank] says
// nobody sees become a space; runs of spaces become one; none is left at the ends; and tags of
// clients and fences of blocks get other brackets (defuse). A longer text is cut between two
// characters as people see them, and ends in "…".
func Flatten(s string, limit int) string {
	if isFlat(s, limit) {
		return defuse(s)
	}
	var out strings.Builder
	before, gap, count := ' ', false, 0
	for len(s) > 0 && count <= limit {
		r, n, shows := text.First(s, before)
		if !shows {
			s, gap, before = s[escape(s):], true, ' '
			continue
		}
		if gap && count > 0 {
			out.WriteByte(' ')
			count++
		}
		out.WriteString(s[:n])
		s, gap, count, before = s[n:], false, count+1, r
	}
	return clip(defuse(out.String()), limit)
}

// isFlat reports whether Flatten would change nothing but tags and fences, as is usual.
func isFlat(s string, limit int) bool {
	count, before := 0, ' '
	for i, r := range s {
		if count == limit || r == ' ' && before == ' ' || r == utf8.RuneError {
			return false
		}
		if (r < ' ' || r > '~') && text.Blank(r) {
			if _, _, shows := text.First(s[i:], before); !shows {
				return false
			}
		}
		count, before = count+1, r
	}
	return count == 0 || before != ' '
}

// isBlank reports whether Flatten would leave nothing of s.
func isBlank(s string) bool {
	for len(s) > 0 {
		if _, _, shows := text.First(s, ' '); shows {
			return false
		}
		s = s[escape(s):]
	}
	return true
}

// escape returns the length of the terminal escape sequence that s begins with, or else of its
// first character.
func escape(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	switch {
	// CSI: both openers have two bytes
	case strings.HasPrefix(s, "\x1b["), strings.HasPrefix(s, "\u009b"):
		return 2 + sequence(s[2:], ' ', '?', '@')
	// OSC, up to BEL or ESC \, which go next; without an end it is no sequence
	case strings.HasPrefix(s, "\x1b]"):
		return 2 + max(0, strings.IndexAny(s[2:], "\a\x1b"))
	case s[0] == 0x1b: // all others: intermediates, and a final byte
		return 1 + sequence(s[1:], '!', '/', '0')
	}
	return n
}

// sequence returns the length of the bytes from..to that s begins with, and of one byte final..'~'
// after them.
func sequence(s string, from, to, final byte) (n int) {
	for n < len(s) && from <= s[n] && s[n] <= to {
		n++
	}
	if n < len(s) && final <= s[n] && s[n] <= '~' {
		n++
	}
	return n
}

const ellipsis = "…"

// clip returns a flattened s cut to limit characters, the last of them the ellipsis.
func clip(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	at := 0
	for range limit - len([]rune(ellipsis)) {
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	// A joiner at the end joins nothing any more.
	return strings.TrimRight(s[:boundary(s, at)], " \u200c\u200d") + ellipsis
}

// boundary moves a cut back so that it separates no character from its marks, joiners and
// modifiers. It goes back a few code points only, because a text of nothing else must not vanish.
func boundary(s string, at int) int {
	const most = 16
	cut := at
	for range most {
		before, n := utf8.DecodeLastRuneInString(s[:cut])
		after, _ := utf8.DecodeRuneInString(s[cut:])
		if n == 0 || !joined(before, after) {
			return cut
		}
		cut -= n
	}
	return at
}

// joined reports whether two neighbours may be parts of one visible character.
func joined(before, after rune) bool {
	const zwj = '\u200d'
	regional := func(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }
	return before == zwj || after == zwj || unicode.Is(unicode.M, after) ||
		0x1f3fb <= after && after <= 0x1f3ff || regional(before) && regional(after)
}
