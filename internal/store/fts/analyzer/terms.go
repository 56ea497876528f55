package analyzer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// Version names the rules by which texts become terms, and names are ordered. The sidecar
// records it: a sidecar that was made by other rules is stale. Lines that stay are not analyzed
// again, so that without another Version they would stay by the old rules too.
const Version = 6

// MaxTerm is how many bytes of a word count. A longer word is a hash, a key or a blob, which
// differs from others in its first bytes.
const MaxTerm = 64

// Spelling is a term beside the form it has in a text, if stemming changed it: so that prefix*
// finds words and not only stems.
type Spelling struct{ Form, Term string }

// Expansion holds the terms of one spaced word.
type Expansion struct {
	Terms  []string // the whole word first, then its parts
	Forms  []Spelling
	Common bool // the word says nothing by itself, and has no terms
}

// Expand turns a spaced word into its terms: the word, and its parts if it has some.
func Expand(w string) (e Expansion) {
	w = strings.ReplaceAll(strings.ReplaceAll(w, ",", ""), "’", "'")
	if strings.IndexByte(w, '\'') >= 0 {
		if w = contraction(w); w == "" {
			return Expansion{Common: true}
		}
	}
	if !strings.ContainsAny(w, Connectors) {
		e.addWord(w)
		e.Common = len(e.Terms) == 0
		return e
	}
	e.add(Truncate(Fold(w)))
	e.split(w, majors)
	return e
}

// Connectors bind an identifier in two steps: /var/log/my-app.log is var, log and my-app.log, and
// that is my, app and log.
const (
	majors     = `_/:@\'`
	minors     = `-.`
	Connectors = majors + minors
)

// split adds the pieces between some connectors, and what they are made of.
func (e *Expansion) split(w, at string) {
	isCut := func(r rune) bool { return strings.ContainsRune(at, r) }
	for piece := range strings.FieldsFuncSeq(w, isCut) {
		switch {
		case !strings.ContainsAny(piece, minors):
			e.addWord(piece)
		case at == majors && piece != w:
			e.add(Truncate(Fold(piece)))
			e.split(piece, minors)
		default:
			e.split(piece, minors)
		}
	}
}

// addWord adds a word without connectors, and the parts that case or digits show in it.
func (e *Expansion) addWord(w string) {
	if len(w) > MaxTerm {
		e.add(Truncate(Fold(w)))
		return
	}
	e.addStem(Fold(w))
	for part := range wordParts(w) {
		e.addStem(Fold(part))
	}
}

// addStem adds the stem of a folded word, if it is not one of the common words.
func (e *Expansion) addStem(form string) {
	if Stopwords()[form] {
		return
	}
	term := stem(form)
	e.add(term)
	if term != form {
		e.Forms = append(e.Forms, Spelling{form, term})
	}
}

func (e *Expansion) add(term string) { e.Terms = append(e.Terms, term) }

// stem returns the form under which a folded word is indexed: its own stem, or that of another word
// for the same thing.
func stem(form string) string {
	term := OwnStem(form)
	if same, ok := SameTerm()[term]; ok {
		return same
	}
	return term
}

// OwnStem returns the stem of a folded word. Words of plain letters have one, and the few others
// that are short for such a word.
func OwnStem(form string) string {
	if base, ok := Irregular()[form]; ok {
		form = base
	}
	for i := range len(form) {
		if form[i] < 'a' || form[i] > 'z' {
			return form
		}
	}
	return english.Stem(form, true)
}

// contraction takes the ending off it's, we've, don't, Anna's; nothing is left of a common word.
func contraction(w string) string {
	base, ending, _ := strings.Cut(w, "'")
	switch strings.ToLower(ending) {
	case "t": // don't, won't, isn't
		return ""
	case "s", "d", "m", "ll", "re", "ve":
		return base
	}
	return w
}

// Fold lower-cases, and takes the accents off Latin letters: people leave them out.
func Fold(w string) string {
	w = strings.ToLower(w)
	for _, r := range w {
		if r >= 0xc0 && r <= 0x24f || r >= 0x1e00 && r <= 0x1eff {
			return unaccented(w)
		}
	}
	return w
}

func unaccented(w string) string {
	var out strings.Builder
	latin := false
	for _, r := range norm.NFD.String(w) {
		if latin && unicode.Is(unicode.Mn, r) {
			continue
		}
		latin = unicode.Is(unicode.Latin, r)
		out.WriteRune(r)
	}
	return norm.NFC.String(out.String())
}

// Truncate cuts a term between two characters.
func Truncate(term string) string {
	if len(term) <= MaxTerm {
		return term
	}
	n := MaxTerm
	for !utf8.RuneStart(term[n]) {
		n--
	}
	return term[:n]
}

// wordParts yields what camelCase and a change between letters and digits show in a word; nothing
// for a word of one part, and nothing for one that changes so often that it is a number in base 16
// or 32.
func wordParts(w string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		cuts, mixed := boundaries(w)
		if len(cuts) == 0 || mixed > 3 {
			return
		}
		from := 0
		for _, to := range append(cuts, len(w)) {
			part := w[from:to]
			isOrdinal := from > 0 && IsIn(" st nd rd th ", strings.ToLower(part))
			from = to
			if (len(part) > 1 || part[0] >= '0' && part[0] <= '9') && !isOrdinal && !yield(part) {
				return
			}
		}
	}
}

// boundaries returns where the parts of a word begin, but for the first, and how many of them
// divide letters from digits.
func boundaries(w string) (cuts []int, mixed int) {
	before, last := ' ', ' '
	lastAt := 0
	for i, r := range w {
		switch {
		case i == 0:
		case unicode.IsDigit(r) != unicode.IsDigit(last):
			cuts, mixed = append(cuts, i), mixed+1
		case unicode.IsUpper(r) && unicode.IsLower(last):
			cuts = append(cuts, i)
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before):
			cuts = append(cuts, lastAt)
		}
		before, last, lastAt = last, r, i
	}
	return cuts, mixed
}

// EachRunTerm calls fn with the terms of a run of a script without spaces: every character, and
// every two that stand together.
func EachRunTerm(run string, fn func(term string)) {
	last := -1
	for i, r := range run {
		end := i + utf8.RuneLen(r)
		fn(run[i:end])
		if last >= 0 {
			fn(run[last:end])
		}
		last = i
	}
}
