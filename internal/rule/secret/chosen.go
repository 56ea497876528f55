package secret

import (
	"bytes"
	"strings"
)

// chosen returns the passwords of people in the lines that name a password or an account: near the
// name, before or behind it, with any words between, in any language; but none in known ranges.
func (v ruleVariant) chosen(text []byte, at []hit, known []part) (found []span) {
	done := 0
	for _, h := range at {
		kind := h.kind()
		if kind != kindPassword && kind != kindShort && kind != kindLogin || h.pos < done ||
			!begins(text, h.pos, kind) || inMark(text, h.pos) {
			continue
		}
		end := h.pos + len(h.word())
		from, to := lineAround(text, h.pos, end)
		var last []byte
		for at := max(from, done); at < to && len(found) < v.most; at = max(done, at+1) {
			for done = at; done < len(text) && inValue(text[done]); {
				done++
			}
			s := bareWord(text, at, done)
			if is := isChosen(text[s.from:s.to]) && (done <= h.pos || s.from > end) ||
				kind == kindLogin && s.from > end && paired(text, s, end, last); is &&
				!inMark(text, s.from) && !s.overlaps(known) {
				found = append(found, s)
			}
			if done > at {
				last = text[at:done]
			}
		}
	}
	return found
}

// lineAround returns the range of the line, or member of JSON, around a word.
func lineAround(text []byte, from, to int) (int, int) {
	const near = 128
	before, after := text[max(from-near, 0):from], text[to:min(to+near, len(text))]
	for _, end := range [...]string{"\n", `":`} {
		before = before[bytes.LastIndex(before, []byte(end))+1:]
		after, _, _ = bytes.Cut(after, []byte(end))
	}
	from, to = from-len(before), to+len(after)
	for from > 0 && from < to && text[from-1] < 0x80 && inValue(text[from-1]) &&
		inValue(text[from]) {
		from++ // part of a word
	}
	return from, to
}

// bareWord returns a word without the signs around it, and without an account before it.
func bareWord(text []byte, from, to int) span {
	const longest = 64
	to = from + len(bytes.TrimRight(text[from:to], "*_.,:;)]}>?»"))
	for from < to && text[from] >= 0x80 && text[from] < 0xC0 {
		from++ // the rest of a sign
	}
	if word := text[from:to]; len(word) < longest && bytes.Count(word, []byte("/")) < 2 {
		from += bytes.LastIndexAny(word, ":/") + 1
	}
	return span{credentialMarker, to - len(bytes.TrimLeft(text[from:to], "([{<*_«")), to}
}

// paired reports whether a word is the password of the account whose name ends at an offset, and
// which is before the word: admin / so-and-so, root:so-and-so, ada@host with so-and-so.
func paired(text []byte, s span, end int, last []byte) bool {
	const near, least = 24, 8
	v := text[s.from:s.to]
	if bytes.ContainsAny(v, noSigns) {
		return false
	}
	slash := s.from < end+near && (string(last) == "/" || string(last) == "|")
	behind := s.from == end+1 && (text[end] == ':' || text[end] == '/')
	return hexKey(v) || (slash || behind || withs.has(last)) && strong(v) ||
		slash && len(v) >= least && mixedValue(kindPassword, v)
}

// noSigns are signs of code, paths and addresses.
const noSigns = `/\()[]{}<>|=:`

// isChosen reports whether v looks like a password that a person chose, wherever it stands: with a
// sign between letters and digits, or a digit before small letters, as in Gr3nouille.
func isChosen(v []byte) (is bool) {
	const least, most = 7, 40
	v = bytes.TrimRight(v, "!")
	if len(v) < least || len(v) > most || uuid(v) || !strong(v) ||
		strings.IndexByte("$@#", v[0]) >= 0 || bytes.ContainsAny(v, noSigns) {
		return false
	}
	capital := bytes.ContainsFunc(v, isCapital)
	for i := 1; i+1 < len(v); i++ {
		switch next := v[i+1:]; {
		case v[i] == '.' && letter(next[0]):
			return false // a file, a host, code
		case v[i]-'0' > 9:
			is = is || signs(v, i)
		case capital && len(next) > 1 && inWord(v[i-1]) && inWord(next[0]) && inWord(next[1]):
			is = is || lower(v[0]) != 'v' && !technical.has(v[:i+1])
		}
	}
	return is
}

func inWord(c byte) bool { return small(c) || c >= 0x80 }

// signs reports whether a sign is at an offset of a word that is one of a password, and not of an
// address, an escape, a product, or the number of an issue.
func signs(v []byte, i int) bool {
	name, rest := v[:i], v[i+1:]
	mixed := bytes.ContainsFunc(name, isCapital) && bytes.ContainsFunc(name, isSmall)
	switch c := v[i]; {
	case !letterOrDigit(rune(v[i-1])) || !letterOrDigit(rune(rest[0])):
		return false
	case c == '!' || c == '&' || c == '$':
		return true
	case c == '?' || c == '*' || c == '^':
		return mixed && (c == '?' || letter(rest[0]))
	case c == '%':
		return letter(v[i-1]) && len(bytes.Trim(rest[:min(2, len(rest))], hexDigits)) > 0
	case c == '#':
		return bytes.ContainsFunc(v, isCapital) && hasLetter(rest) ||
			mixed && !references.has(name) && !dataKeys.has(name)
	}
	return v[i] == '@' && (i <= 2 && letter(rest[0]) || mixed && rest[0] <= '9')
}
