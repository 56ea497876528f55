package readout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// flatten returns s as one line of at most limit characters (code points), on which nothing can be
// forged: line breaks, control characters, terminal escapes, and characters that change the
// direction of text or are invisible become a space; runs of spaces become one; none is left at the
// ends. A longer text is cut between two characters as people see them, and ends in "…".
func flatten(s string, limit int) string {
	if isFlat(s, limit) {
		return s
	}
	var out strings.Builder
	gap, count := false, 0
	for len(s) > 0 && count <= limit {
		r, n := utf8.DecodeRuneInString(s)
		if blank(r, n) {
			s, gap = s[escape(s):], true
			continue
		}
		if gap && count > 0 {
			out.WriteByte(' ')
			count++
		}
		out.WriteString(s[:n])
		s, gap, count = s[n:], false, count+1
	}
	return clip(out.String(), limit)
}

// isFlat reports whether flatten would change nothing, as is usual.
func isFlat(s string, limit int) bool {
	count, gap := 0, true
	for _, r := range s {
		switch {
		case count == limit, r == ' ' && gap, r == utf8.RuneError,
			r != ' ' && blank(r, utf8.UTFMax):
			return false
		}
		count, gap = count+1, r == ' '
	}
	return count == 0 || !gap
}

// isBlank reports whether flatten would leave nothing of s.
func isBlank(s string) bool {
	for len(s) > 0 {
		if r, n := utf8.DecodeRuneInString(s); !blank(r, n) {
			return false
		}
		s = s[escape(s):]
	}
	return true
}

// blank reports whether r, of n bytes, shows as nothing or as a space, moves what is around it, or
// is not a valid character. The joiners U+200C and U+200D are not blank: emoji and Persian need
// them.
func blank(r rune, n int) bool {
	switch {
	case r <= ' ' || 0x7f <= r && r <= 0xa0:
		return true
	case r < 0x2000:
		return r == 0x00ad || r == 0x061c || r == 0x115f || r == 0x1160 || r == 0x1680 ||
			r == 0x180e
	case r <= 0x206f:
		return r <= 0x200b || r == 0x200e || r == 0x200f || 0x2028 <= r && r <= 0x202f ||
			r >= 0x205f
	case r == utf8.RuneError:
		return n == 1
	}
	return r == 0x3000 || r == 0x3164 || r == 0xfeff || r == 0xffa0 || 0xfff9 <= r && r <= 0xfffb ||
		0xe0000 <= r && r <= 0xe007f
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
	return strings.TrimRight(s[:boundary(s, at)], " ") + ellipsis
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
