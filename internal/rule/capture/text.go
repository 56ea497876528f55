package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	visible "github.com/set-memory/mem/internal/base/text"
)

// text is a prompt and its folded form of as many characters: small letters without accents,
// half-width, code and quotes masked by x.
type text struct {
	raw       []rune
	low       string
	sentences []sentence
	languages []*language
	broken    bool // it has the form of a command, a paste or hidden text
	quoted    bool
	lines     int
}

// sentence is a part of a text, from and to characters. Its folded form has no end mark.
type sentence struct {
	from, to int
	low      string
	asks     bool // it ends with a question mark
}

func read(prompt string) *text {
	t := &text{raw: []rune(prompt), lines: strings.Count(prompt, "\n") + 1}
	t.low = strings.Map(fold, prompt)
	for _, l := range languages() {
		if l.has("letters", t.low) {
			t.languages = append(t.languages, l)
		}
	}
	t.broken = t.any(t.low, "forms")
	t.low = t.mask(t.low, "code")
	masked := t.mask(t.low, "quotes")
	t.quoted, t.low = masked != t.low, masked
	t.split()
	return t
}

const (
	accented = "àáâãäåçèéêëìíîïñòóôõöùúûüýß’‘´，：；！？（）、　．～"
	plain    = "aaaaaaceeeeiiiinooooouuuuys''',:;!?(), .~"
)

// fold returns the small letter without accent of r, or its half-width form.
func fold(r rune) rune {
	if r > 0xFF00 && r < 0xFF5F {
		r -= 0xFEE0
	}
	r = unicode.ToLower(r)
	if i := slices.Index([]rune(accented), r); r >= utf8.RuneSelf && i >= 0 {
		return rune(plain[i])
	}
	return r
}

// mask replaces what a pattern matches by as many x.
func (t *text) mask(low, name string) string {
	re := everyScript().expression(name, anywhere)
	return re.ReplaceAllStringFunc(low, func(s string) string {
		return strings.Repeat("x", utf8.RuneCountInString(s))
	})
}

// split finds the sentences. The letters that laugh or weep in Korean end one before white space.
func (t *text) split() {
	low, from := []rune(t.low), 0
	for i, r := range low {
		last := i+1 == len(low)
		if !last && !strings.ContainsRune("\n!?。…", r) &&
			!(r == '.' && visible.EndsSentence(string(t.raw[from:i]), string(t.raw[i+1:]))) &&
			!(strings.ContainsRune("ㅠㅜㅋㅎ", r) && unicode.IsSpace(low[i+1])) {
			continue
		}
		s := t.shrink(sentence{from: from, to: i + 1})
		from = i + 1
		s.low = string(low[s.from:s.to])
		s.asks = strings.Contains(s.low, "?")
		s.low = strings.TrimRight(s.low, " .!?。…~")
		s.asks = s.asks && !t.any(s.low, "tags")
		if strings.ContainsFunc(s.low, unicode.IsLetter) {
			t.sentences = append(t.sentences, s)
		}
	}
}

// shrink returns the sentence without white space and separators around it.
func (t *text) shrink(s sentence) sentence {
	for s.from < s.to && (unicode.IsSpace(t.raw[s.from]) ||
		strings.ContainsRune(",:;，：、-–—", t.raw[s.from])) {
		s.from++
	}
	for s.to > s.from && unicode.IsSpace(t.raw[s.to-1]) {
		s.to--
	}
	return s
}

// quote returns the characters of the prompt from one place to another.
func (t *text) quote(from, to int) string { return strings.TrimSpace(string(t.raw[from:to])) }

// any reports whether one of the patterns of any language is in a text.
func (t *text) any(low string, names ...string) bool {
	for _, l := range t.languages {
		for _, name := range names {
			if l.has(name, low) {
				return true
			}
		}
	}
	return false
}

// first returns the first sentence that is more than a greeting.
func (t *text) first() int {
	return max(0, slices.IndexFunc(t.sentences, func(s sentence) bool {
		return !slices.ContainsFunc(t.languages, func(l *language) bool {
			m := l.find("lead", opening, s.low)
			return m != nil && m[1] == len(s.low)
		})
	}))
}

// pasted reports whether the prompt reads as a page with a question about it: titles that ask for
// nothing follow the request, or one of several lines asks for more than a favor.
func (t *text) pasted(i int) bool {
	if t.lines < maxStoreLines {
		return false
	}
	for j, s := range t.sentences {
		if s.asks && j != i && !t.any(s.low, "favor", "polite") {
			return true
		}
	}
	end := t.sentences[i].to
	below := end + slices.Index(append(slices.Clone(t.raw[end:]), '\n'), '\n')
	return i == t.first() && slices.ContainsFunc(t.sentences, func(s sentence) bool {
		return s.from > below && everyScript().has("title", t.quote(s.from, s.to)) && !t.goesOn(s)
	})
}
