package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The joiners, and the selectors that say whether an emoji shows as text or as a picture.
const (
	nonJoiner     = '\u200c'
	joiner        = '\u200d'
	asText        = '\ufe0e'
	asPicture     = '\ufe0f'
	keycap        = '\u20e3'
	firstSkinTone = '\U0001f3fb'
	lastSkinTone  = '\U0001f3ff'
)

// Ignorable reports whether r has Unicode's property Default_Ignorable_Code_Point. The property
// covers reserved code points too, so it will not grow.
func Ignorable(r rune) bool {
	switch {
	case r < 0x034f:
		return r == 0x00ad
	case r < 0x200b:
		return r == 0x034f || r == 0x061c || r == 0x115f || r == 0x1160 ||
			r == 0x17b4 || r == 0x17b5 || 0x180b <= r && r <= 0x180f
	case r <= 0x206f:
		return r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r
	case r < 0xfe00:
		return r == 0x3164
	case r <= 0xfff8:
		return r <= 0xfe0f || r == 0xfeff || r == 0xffa0 || 0xfff0 <= r
	}
	return 0x1bca0 <= r && r <= 0x1bca3 || 0x1d173 <= r && r <= 0x1d17a ||
		0xe0000 <= r && r <= 0xe0fff
}

// Blank reports whether r shows as nothing or as blank space, moves its surroundings, or has no
// common meaning. Of ignorable characters, some are needed all the same.
func Blank(r rune) bool {
	switch {
	case r < 0x0300:
		return r <= ' ' || 0x7f <= r && r <= 0xa0 || r == 0x00ad
	case r == 0x1680, 0x2000 <= r && r <= 0x200a, 0x2028 <= r && r <= 0x2029, r == 0x202f,
		r == 0x205f, r == 0x2800, r == 0x3000, 0xfff9 <= r && r <= 0xfffb:
		return true
	case 0xe000 <= r && r <= 0xf8ff, 0xf0000 <= r: // private use
		return true
	}
	return Ignorable(r)
}

// needed reports whether an ignorable character is visible, by its two neighbours. A neighbour that
// is itself left out, and one that is not there, is a space.
func needed(before, r, after rune) bool {
	switch r {
	case nonJoiner:
		return isLetter(before) && isLetter(after)
	case joiner:
		return isLetter(before) && isLetter(after) || endsEmoji(before) && isPicture(after)
	case asText, asPicture:
		return isPicture(before) || isKeycap(before) && after == keycap
	}
	return false
}

// First returns the first character of s, its length in bytes, and whether it shows, behind the one
// before it. Behind nothing that shows, before is a space. An invalid character does not show.
func First(s string, before rune) (r rune, n int, shows bool) {
	r, n = utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n <= 1:
		return r, n, false
	case !Blank(r):
		return r, n, true
	}
	after, _ := utf8.DecodeRuneInString(s[n:])
	return r, n, needed(before, r, after)
}

// Line returns s with a space in place of every character that does not show, so that it stays on
// its line and hides nothing.
func Line(s string) string {
	var out strings.Builder
	before := ' '
	for rest := s; rest != ""; {
		r, n, shows := First(rest, before)
		if !shows {
			r = ' '
		}
		out.WriteRune(r)
		rest, before = rest[n:], r
	}
	return out.String()
}

// AppendEscape appends a character as JSON escapes it: \u and four digits, or two of these.
func AppendEscape(dst []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); r > 0xffff {
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// isLetter reports whether r is a letter or a mark upon one that can be seen.
func isLetter(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !Ignorable(r)
}

func endsEmoji(r rune) bool {
	return isPicture(r) || r == asPicture || firstSkinTone <= r && r <= lastSkinTone
}

func isPicture(r rune) bool { return r >= 0xa9 && unicode.Is(pictures, r) }

func isKeycap(r rune) bool { return r == '#' || r == '*' || '0' <= r && r <= '9' }

// pictures is Unicode's property Extended_Pictographic. Reserved code points have it too, so that
// emoji of later versions are in it.
var pictures = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00a9, 0x00a9, 1}, {0x00ae, 0x00ae, 1}, {0x203c, 0x203c, 1}, {0x2049, 0x2049, 1},
		{0x2122, 0x2122, 1}, {0x2139, 0x2139, 1}, {0x2194, 0x2199, 1}, {0x21a9, 0x21aa, 1},
		{0x231a, 0x231b, 1}, {0x2328, 0x2328, 1}, {0x2388, 0x2388, 1}, {0x23cf, 0x23cf, 1},
		{0x23e9, 0x23f3, 1}, {0x23f8, 0x23fa, 1}, {0x24c2, 0x24c2, 1}, {0x25aa, 0x25ab, 1},
		{0x25b6, 0x25b6, 1}, {0x25c0, 0x25c0, 1}, {0x25fb, 0x25fe, 1}, {0x2600, 0x2605, 1},
		{0x2607, 0x2612, 1}, {0x2614, 0x2685, 1}, {0x2690, 0x2705, 1}, {0x2708, 0x2712, 1},
		{0x2714, 0x2714, 1}, {0x2716, 0x2716, 1}, {0x271d, 0x271d, 1}, {0x2721, 0x2721, 1},
		{0x2728, 0x2728, 1}, {0x2733, 0x2734, 1}, {0x2744, 0x2744, 1}, {0x2747, 0x2747, 1},
		{0x274c, 0x274c, 1}, {0x274e, 0x274e, 1}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1},
		{0x2763, 0x2767, 1}, {0x2795, 0x2797, 1}, {0x27a1, 0x27a1, 1}, {0x27b0, 0x27b0, 1},
		{0x27bf, 0x27bf, 1}, {0x2934, 0x2935, 1}, {0x2b05, 0x2b07, 1}, {0x2b1b, 0x2b1c, 1},
		{0x2b50, 0x2b50, 1}, {0x2b55, 0x2b55, 1}, {0x3030, 0x3030, 1}, {0x303d, 0x303d, 1},
		{0x3297, 0x3297, 1}, {0x3299, 0x3299, 1},
	},
	R32: []unicode.Range32{
		{0x1f000, 0x1f0ff, 1}, {0x1f10d, 0x1f10f, 1}, {0x1f12f, 0x1f12f, 1},
		{0x1f16c, 0x1f171, 1}, {0x1f17e, 0x1f17f, 1}, {0x1f18e, 0x1f18e, 1},
		{0x1f191, 0x1f19a, 1}, {0x1f1ad, 0x1f1e5, 1}, {0x1f201, 0x1f20f, 1},
		{0x1f21a, 0x1f21a, 1}, {0x1f22f, 0x1f22f, 1}, {0x1f232, 0x1f23a, 1},
		{0x1f23c, 0x1f23f, 1}, {0x1f249, 0x1f3fa, 1}, {0x1f400, 0x1f53d, 1},
		{0x1f546, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f774, 0x1f77f, 1},
		{0x1f7d5, 0x1f7ff, 1}, {0x1f80c, 0x1f80f, 1}, {0x1f848, 0x1f84f, 1},
		{0x1f85a, 0x1f85f, 1}, {0x1f888, 0x1f88f, 1}, {0x1f8ae, 0x1f8ff, 1},
		{0x1f90c, 0x1f93a, 1}, {0x1f93c, 0x1f945, 1}, {0x1f947, 0x1faff, 1},
		{0x1fc00, 0x1fffd, 1},
	},
	LatinOffset: 2,
}

// Clip shortens a text to most characters.
func Clip(s string, most int) string {
	if n := 0; len(s) > most {
		for i := range s {
			if n++; n > most {
				return s[:i] + "…"
			}
		}
	}
	return s
}

// IsASCII reports whether a text has nothing but ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
