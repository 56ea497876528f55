package readout

import (
	"testing"
	"unicode"
)

// The characters between words are those of no letter, digit or mark.
func TestBetweenWords(t *testing.T) {
	for r := rune(0); r < 0x3000; r++ {
		want := !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		if betweenWords(r) != want {
			t.Errorf("%U: %t, want %t", r, !want, want)
		}
	}
}

// A text of ASCII instructs as far as it does beside another script, which is looked at otherwise.
func TestInstructsInASCII(t *testing.T) {
	for _, text := range []string{"", "must", "MUST not be forbidden", "Never, only 'always'",
		"don't", "can't stop", "seulement1 seulement seulements", "no-one", "`a` and `b`, all",
		"x must", "toujours\nniemals\tjamais", "'must'", "forbiddenforbidden", "by 5 before 6",
		"a", "`", "```"} {
		if got, want := instructs(text), instructs(text+" é"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
