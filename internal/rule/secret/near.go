package secret

import (
	"bytes"
	"strings"
)

// nearby is how far from a name a value is looked for.
const nearby = 96

// nearClaim returns a value behind the name that ends at an offset, with words between: after a
// link like
// "is" or a colon, or what looks drawn right behind the name or in the next line.
func (v ruleVariant) nearClaim(text []byte, end int, kind string) claim {
	const most = 12
	w := newClause(text, end)
	called := text[end-1] == '('
	if kind == kindNear && !called && letter(text[end]) && lower(text[end]) != 's' {
		return claim{}
	}
	said := w.linked // the name and the value belong together
	for n := 0; n < most && w.next(); n++ {
		word := w.word()
		if !w.linked && w.glued() || bytes.HasPrefix(text[w.from:], []byte(markStart)) {
			break
		}
		joins := (n == 0 || w.linked) && (links.has(word) || relations.has(word))
		said = said || n == 0 && (w.linked || joins)
		if w.linked || hasDigit(word) || quote(text[w.from]) {
			c := valueAt(text, w.from, kind)
			if c.form == plain {
				c.form = sentence
			}
			if w.linked && said && kind != kindNear && v.credential(text, c) ||
				w.fits(c, n-w.links, said) {
				return c
			}
		}
		if called || w.ends() || w.linked && !joins && !fillers.has(word) || references.has(word) {
			break
		}
	}
	return claim{}
}

// clause is a walk over the words behind a name, up to the end of a sentence.
type clause struct {
	text         []byte
	from, at     int  // the word, and the offset behind it
	last         int  // where a word may begin
	links        int  // how many of the words were links
	linked, line bool // a link is before the word; the word begins a line
}

// newClause returns the walk behind a name that ends at an offset, and behind the rest of the name
// if it is inflected.
func newClause(text []byte, end int) *clause {
	w := clause{text: text, at: end, last: end + nearby}
	for w.at < min(end+24, len(text)) && (letter(text[w.at]) && w.at < end+2 ||
		text[w.at] >= 0x80 && !bytes.HasPrefix(text[w.at:], []byte("。"))) {
		w.at++
	}
	if w.at < len(text) && alnum(text[w.at]) {
		w.last = 0 // another word
	}
	w.from, w.at = w.at, skip(text, w.at, "\"'`])*", 4)
	if n := operatorAt(text, w.at); n > 0 {
		w.at, w.linked = w.at+n, true
	}
	return &w
}

// next goes to the next word and reports whether there is one.
func (w *clause) next() bool {
	if w.at >= w.last {
		return false
	}
	last := w.text[w.from:w.at]
	w.linked = len(last) > 0 && last[len(last)-1] == ':' || links.has(last) ||
		w.linked && (len(last) < 4 || fillers.has(last) || relations.has(last))
	if w.linked {
		w.links++
	}
	space := skip(w.text, w.at, " \t|", 24)
	w.from = skip(w.text, skip(w.text, space, "\r\n", 4), " \t", 8)
	w.line = w.from > space
	end := min(w.from+longest, len(w.text))
	for w.at = w.from; w.at < end && (!closing(w.text[w.at]) || w.apostrophe()); {
		w.at++
	}
	w.at = max(w.at, min(w.from+1, end))
	return w.from < w.at && w.from < w.last
}

// apostrophe reports whether the next byte is one between two letters, as in dell'account.
func (w *clause) apostrophe() bool {
	at := w.at
	return w.text[at] == '\'' && at > w.from && at+1 < len(w.text) && letter(w.text[at-1]) &&
		letter(w.text[at+1])
}

// glued reports whether no space is before the word.
func (w *clause) glued() bool { return strings.IndexByte(" \t\n|\"'`", w.text[w.from-1]) < 0 }

// word returns the word without the signs around it.
func (w *clause) word() []byte { return bytes.Trim(w.text[w.from:w.at], "()':,`") }

// ends reports whether a sentence or a string ends with the word.
func (w *clause) ends() bool {
	return w.line || strings.IndexByte(".;!?,\"", w.text[w.at-1]) >= 0
}

// fits reports whether a value is a credential after so many words that are no links.
func (w *clause) fits(c claim, words int, said bool) bool {
	v := w.text[c.from:c.to]
	if c.to < len(w.text) && w.text[c.to] == '!' {
		v = w.text[c.from : c.to+1]
	}
	named := c.kind == kindPassword || c.kind == kindShort
	switch {
	case len(v) < 6 || !hasDigit(v) || bytes.IndexByte(v, ' ') > 0 || placeholder(v) ||
		knownName(v) || inChecksum(w.text, c.from):
		return false
	case w.line:
		return drawn(v) || words == 0 && c.kind != kindNear && uuid(v)
	case named && (w.linked || said && words <= 3):
		long := c.kind == kindPassword && w.linked && len(v) >= 8
		return (strong(v) || long && mixedValue(c.kind, v)) && !product(v) || drawn(v)
	case c.kind == kindNear && len(v) < 20:
		return false
	}
	named = named && strong(v) && !product(v) && bytes.IndexByte(v, '/') < 0
	dotted := len(v) >= 50 && bytes.Count(v, []byte(".")) == 2
	return (w.linked || words <= 2 || dotted) && drawn(v) || words == 0 &&
		(c.kind != kindNear && uuid(v) || named)
}

// wordBefore returns the word before an offset, up to a space or a sign between words.
func wordBefore(text []byte, at int) []byte {
	at -= min(at, 1)
	from := at
	for from > 0 && (alnum(text[from-1]) || text[from-1] >= 0x80) {
		from--
	}
	return text[from:at]
}

// phraseClaim returns the words of a passphrase behind its name: four or more behind a link, a
// colon or a comma, up to a sign, of which none is a word about passwords.
func phraseClaim(text []byte, end int) (c claim) {
	const least, longest = 4, 9
	w, words := newClause(text, end), -least*least // no word counts yet
	for w.next() && !w.line {
		word := bytes.TrimRight(w.word(), ".,:;!?\"")
		if w.linked {
			words, c.from = 0, w.from
		}
		if bytes.ContainsAny(word, "_./") || !everyPart(word, func(part []byte) bool {
			words++
			return len(part) > 2 && len(part) <= longest && !hasDigit(part) &&
				!plainWords.has(part) &&
				!generics.has(part) && !links.has(part) && !relations.has(part) && !verbs.has(part)
		}) {
			words = -least * least
		}
		c.to = w.from + len(word)
		if w.at == len(text) || w.ends() || closing(text[w.at]) && text[w.at] != ' ' {
			if words >= least {
				c.kind, c.form = kindPassword, sentence
				return c
			}
			words, c.from = 0, skip(text, w.at, " ", 1)
		}
	}
	return claim{}
}
