package secret

import (
	"bytes"
	"strings"
)

// chosen returns the passwords of people in the sentences that name a password or an account:
// before or behind the name, with any words between, in any language.
func (v ruleVariant) chosen(text []byte, at []hit) (found []span) {
	done := 0
	for _, h := range at {
		end := h.pos + len(h.word())
		if end < done || !strings.Contains(kindPassword+kindShort+kindLogin, h.kind()) ||
			!begins(text, h.pos, h.kind()) || inMark(text, h.pos) {
			continue
		}
		from, to := sentenceAround(text, h.pos, end)
		for at := max(from, done); at < to && len(found) < v.most; at = done {
			for at < to && (!inValue(text[at]) || text[at] >= 0x80 && text[at] < 0xC0) {
				at++
			}
			for done = at; done < len(text) && inValue(text[done]); {
				done++
			}
			s := trimmedWord(text, at, done)
			if (done <= h.pos || at >= end) && isChosen(text[s.from:s.to]) && !inMark(text, s.from) {
				found = append(found, s)
			}
			done = max(done, at+1)
		}
		if s := phraseIn(text, h.word(), end, to); s.to > 0 {
			found = append(found, s)
		}
	}
	return found
}

// sentenceAround returns the range of the sentence, the line or the string of JSON around a word,
// and no more than is near.
func sentenceAround(text []byte, from, to int) (int, int) {
	const near = 128
	least := max(from-near, 0)
	for from > least && !breaks(text, from-1) {
		from--
	}
	for from > 0 && text[from-1] < 0x80 && inValue(text[from-1]) && inValue(text[from]) {
		from++ // part of a word
	}
	for most := min(to+near, len(text)); to < most && !breaks(text, to); {
		to++
	}
	return from, to
}

// breaks reports whether a sentence, a line or a string of JSON ends or begins with a byte.
func breaks(text []byte, at int) bool {
	var before, after byte
	if at > 0 {
		before = text[at-1]
	}
	if at+1 < len(text) {
		after = text[at+1]
	}
	switch text[at] {
	case '\n':
		return true
	case '.':
		return after == ' ' || after == '\n'
	case '"':
		return strings.IndexByte(",:}]\x00", after) >= 0 || strings.IndexByte("{[,:\x00", before) >= 0
	}
	return bytes.HasPrefix(text[at:], []byte("。"))
}

// trimmedWord returns a word without the signs around it and a name with a colon before it.
func trimmedWord(text []byte, from, to int) span {
	to = from + len(bytes.TrimRight(text[from:to], "*_.,:;)]}>?»"))
	from += bytes.LastIndexByte(text[from:to], ':') + 1
	return span{credentialMarker, to - len(bytes.TrimLeft(text[from:to], "([{<*_«")), to}
}

// isChosen reports whether v looks like a password that a person chose, wherever it stands: with a
// sign between letters and digits, or a digit before small letters, as in Gr3nouille.
func isChosen(v []byte) (is bool) {
	const least, most = 7, 40
	v = bytes.TrimRight(v, "!")
	if len(v) < least || len(v) > most || uuid(v) || !strong(v) ||
		strings.IndexByte("$@#", v[0]) >= 0 || bytes.ContainsAny(v, `/\()[]{}<>|=`) {
		return false
	}
	capital := bytes.ContainsFunc(v, isCapital)
	for i := 1; i+1 < len(v); i++ {
		digit := v[i]-'0' <= 9
		if v[i] == '.' && letter(v[i+1]) {
			return false // a file, a host, code
		}
		is = is || !digit && signs(v, i) ||
			digit && capital && i+2 < len(v) && inWord(v[i-1]) && inWord(v[i+1]) && inWord(v[i+2]) &&
				lower(v[0]) != 'v' && !technical.has(v[:i+1])
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
	case c == '?' || c == '*':
		return mixed && (c == '?' || letter(rest[0]))
	case c == '%':
		return letter(v[i-1]) && len(bytes.Trim(rest[:min(2, len(rest))], hexDigits)) > 0
	case c == '#':
		return hasLetter(rest) || mixed && !references.has(name) && !dataKeys.has(name)
	}
	return v[i] == '@' && (i <= 2 && letter(rest[0]) || mixed && rest[0] <= '9')
}

func isSmall(r rune) bool { return r >= 'a' }

// phraseIn returns the words of a passphrase at the end of a sentence, behind its name.
func phraseIn(text []byte, name string, from, to int) (s span) {
	const least, most = 4, 9
	if !strings.Contains(name, "phrase") {
		return s
	}
	for to > from && strings.IndexByte(".!?;) ", text[to-1]) >= 0 {
		to--
	}
	at, words := to, 0
	for ; at > from; words++ {
		end := at
		for end > from && strings.IndexByte(" -", text[end-1]) >= 0 {
			end--
		}
		begin := end
		for begin > from && (letter(text[begin-1]) || text[begin-1] >= 0x80) {
			begin--
		}
		word := text[begin:end]
		if len(word) < 3 || len(word) > most || plainWords.has(word) || generics.has(word) ||
			links.has(word) || relations.has(word) || verbs.has(word) || fillers.has(word) {
			break
		}
		at = begin
	}
	before := bytes.TrimRight(text[from:at], " ")
	intro := len(before) == 0 || strings.IndexByte(":,", before[len(before)-1]) >= 0 || links.has(wordBefore(before, len(before)+1))
	if words >= least && intro {
		s = span{credentialMarker, at, to}
	}
	return s
}
