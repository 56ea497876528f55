package readout

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTokenPrefix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 5, ""},
		{"one two three", 9, "one two three"},
		{"one two three", 3, "one two"},
		{"one two three", 1, "one"},
		{"one two three", 0, ""},
		{"one\ntwo", 0, ""},
		{"第一句。第二句。", 3, "第一"},
		{"x " + strings.Repeat("ab", 400), 0, ""},
	} {
		if n := TokenPrefix(c.text, c.limit); c.text[:n] != c.want {
			t.Errorf("%q, %d: %q, want %q", c.text, c.limit, c.text[:n], c.want)
		}
	}
}

// A prefix costs no more than the limit, the next piece would pass it, and a character is never
// cut; of every class of text, and of long words.
func TestTokenPrefixFillsTheLimit(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, c := range corpora() {
		texts = append(texts, strings.Join(c.texts[:min(50, len(c.texts))], "\n"))
	}
	for _, word := range []string{"a", "qx", "é", "用户", "𠮷", "😀", "🧑‍🚀", "-", " ", "\x80",
		"\xff\xf0"} {
		texts = append(texts, strings.Repeat(word, 3000))
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		for !utf8.RuneStart(append([]byte(text), 0)[from]) && utf8.ValidString(text) {
			from++
		}
		text, limit := text[from:], rapid.IntRange(8, 500).Draw(t, "limit")
		n := TokenPrefix(text, limit)
		if Tokens(text[:n]) > limit {
			t.Fatalf("%d tokens, limit %d: %q", Tokens(text[:n]), limit, text[:n])
		}
		if utf8.ValidString(text) && !utf8.ValidString(text[:n]) {
			t.Fatalf("a character is cut: %q", text[:n])
		}
		if n < len(text) && Tokens(text[:n+piece(text[n:])]) <= limit {
			t.Fatalf("%d tokens, limit %d: more fits than %q", Tokens(text[:n]), limit, text[:n])
		}
		const character = 8 // the parts that one may cost, and rounding
		if n < len(text) && Tokens(text[n:n+piece(text[n:])]) > limit &&
			Tokens(text[:n]) < limit-character {
			t.Fatalf("%d tokens, limit %d: a long piece is not cut", Tokens(text[:n]), limit)
		}
	})
}
