package readout

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      {""},
		"a  b\tc":               {"a  b\tc"},
		"a\nb\r\nc\rd\ve\ff":    {"a", "b", "c", "d", "e", "f"},
		"a\u0085b\u2028c\u2029": {"a", "b", "c", ""},
		"a\n\nb":                {"a", "", "b"},
		"\x1b[31mred\x1b[0m":    {" red "},
		"a\u200bb\u00a0c\x00d":  {"a b c d"},
		"می\u200cخواهم ☕\ufe0f": {"می\u200cخواهم ☕\ufe0f"},
		"a\xffb":                {"a b"},
		"\x1b]0;x\ny\a":         {" 0;x", "y "},
	} {
		if got := Lines(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Whatever the text, no line of it holds a control but a tab, and what shows is all there.
func TestLinesHideNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(),
			rapid.SampledFrom([]rune("a#- \n\r\t\x1b[m]\u0085\u2028\u200b")))).Draw(t, "text")
		for _, line := range Lines(text) {
			for _, r := range line {
				if unicode.IsControl(r) && r != '\t' || unicode.In(r, unicode.Zl, unicode.Zp) {
					t.Fatalf("%q has %U", line, r)
				}
			}
		}
		plain := strings.Join(strings.Fields(text), "")
		left := strings.Join(strings.Fields(strings.Join(Lines(text), " ")), "")
		if isPlain(plain) && left != plain {
			t.Fatalf("%q lost something: %q", text, Lines(text))
		}
	})
}

func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
