package text

import (
	"testing"
	"unicode"
)

// The property is derived as Unicode's DerivedCoreProperties.txt says, from tables that Go has.
func TestIgnorableIsUnicodes(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf,
			unicode.Variation_Selector) &&
			!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) &&
			(r < 0xfff9 || 0xfffb < r) && (r < 0x13430 || 0x1343f < r)
		if got := Ignorable(r); got != want {
			t.Errorf("U+%04X: %v, want %v", r, got, want)
		}
	}
}

// What has no ink is blank, whichever category it is of.
func TestBlank(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Cc, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Co) ||
			Ignorable(r) || r == 0x2800 || 0xfff9 <= r && r <= 0xfffb
		noncharacter := r&0xfffe == 0xfffe && r >= 0xf0000 // ends a plane of private use
		if got := Blank(r); got != want && !noncharacter {
			t.Errorf("U+%04X: %v, want %v", r, got, want)
		}
	}
}

func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		before, r, after rune
		want             bool
	}{
		{'ی', 0x200c, 'خ', true},
		{'ی', 0x200c, ' ', false},
		{' ', 0x200c, 'خ', false},
		{'1', 0x200c, 'a', false},
		{'\u094d', 0x200d, 'ष', true}, // after a virama
		{0x115f, 0x200d, 'a', false},  // a letter that shows nothing
		{'👩', 0x200d, '💻', true},
		{'👩', 0x200d, 'a', false},
		{'👩', 0x200c, '💻', false},
		{0xfe0f, 0x200d, '🌈', true},
		{'\U0001f3fd', 0x200d, '❤', true},
		{'☕', 0xfe0f, ' ', true},
		{'☎', 0xfe0e, ' ', true},
		{'☕', 0xfe0d, ' ', false},
		{0xfe0f, 0xfe0f, ' ', false},
		{'1', 0xfe0f, 0x20e3, true},
		{'1', 0xfe0f, '2', false},
		{'a', 0xfe0f, ' ', false},
		{'葛', 0xe0100, '城', false},
		{'👩', 0x2060, '💻', false},
	} {
		if got := needed(c.before, c.r, c.after); got != c.want {
			t.Errorf("%U %U %U: %v", c.before, c.r, c.after, got)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "two  spaces": "two  spaces", "a\nb\x1b[1mc\u009bd\xffe": "a b [1mc d e",
		"x\U000e0169y\u00a0z": "x y z", "می\u200cخواهم ☕\ufe0f": "می\u200cخواهم ☕\ufe0f",
		"\u200c\ufe0f": "  ", "\ufffd": "\ufffd",
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
