package secret

import "strings"

// The gates are cheap conditions that every match of a rule meets. A pattern is compiled and run only behind its gate, for to compile one takes as long
// as to write the memory.

// part is a stretch of the text.
type part struct{ from, to int }

// parts gives the stretches in which rule n can match, in order and apart from each other; at are the keywords in the text.
func (r *rule) parts(text []byte, n int, at []hit) (list []part) {
	if r.name == 0 {
		if r.run == 0 || r.runIn(text) {
			list = append(list, part{0, len(text)})
		}
		return list
	}
	for _, h := range at {
		if strings.IndexByte(keywords[h.word].rules, byte(n)) < 0 {
			continue
		}
		p, ok := r.assignment(text, h)
		if last := len(list) - 1; ok && last >= 0 && p.from <= list[last].to {
			list[last].to = max(p.to, list[last].to)
		} else if ok {
			list = append(list, p)
		}
	}
	return list
}

// runIn reports whether text has the run of characters that every match has.
func (r *rule) runIn(text []byte) bool {
	n := 0
	for _, c := range text {
		if !sets[r.set].has(c) {
			n = 0
		} else if n++; n == r.run {
			return true
		}
	}
	return false
}

// reach is how far after the first byte of an operator the value may begin: three bytes of operator, five of quotes and spaces.
const reach = 9

// assignment looks for an operator and a value behind a keyword in a name, and gives the stretch that a match there lies in. The stretch ends behind
// a character that may end a value, so that the pattern finds no end of text where there is none.
func (r *rule) assignment(text []byte, h hit) (p part, ok bool) {
	op := h.pos + len(keywords[h.word].word)
	last := min(op+r.name, len(text))
	for op < last && between(text[op]) {
		op++
	}
	if op == last || !operator(text[op]) {
		return p, false
	}
	n, odd := 0, r.plain == 0
	end := op + 1
	for ; end < len(text); end++ {
		c := text[end]
		if sets[r.set].has(c) {
			n++
			odd = odd || !sets[r.plain].has(c)
			continue
		}
		if n >= r.run && odd {
			break
		}
		if n, odd = 0, r.plain == 0; end > op+reach {
			return p, false
		}
	}
	if n < r.run || !odd {
		return p, false
	}
	for end < len(text) && !closing(text[end]) {
		end++
	}
	return part{max(0, h.pos-r.name), min(end+1, len(text))}, true
}

// between reports whether c may stand between a keyword and the operator.
func between(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c == '\'' || c == '"' || space(c) || alnum(c) || c >= 0x80
}

// operator reports whether an operator begins with c.
func operator(c byte) bool {
	return c == '=' || c == '>' || c == ':' || c == '|' || c == '?' || c == ','
}

// closing reports whether c ends a value wherever it stands.
func closing(c byte) bool { return c == '"' || c == '\'' || c == '`' || c == ';' || space(c) }

func space(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

func alnum(c byte) bool { return '0' <= c && c <= '9' || letter(c) }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
