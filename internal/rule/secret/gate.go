package secret

// The gates are cheap conditions that every match of a rule meets. A pattern is compiled and run
// only if its gate passes, because compiling one takes as long as writing the memory.

// parts returns the ranges in which r, the rule n, can match, in order and without overlap; at
// holds the keywords in the text.
func (r *rule) parts(text []byte, n int, at []hit) (list []part) {
	if r.name == 0 {
		if r.run == 0 || r.runIn(text) {
			list = append(list, part{0, len(text)})
		}
		return list
	}
	look := assignments{rule: r, text: text}
	for _, h := range at {
		if !h.opens(n) {
			continue
		}
		p, ok := look.afterKeyword(h)
		if last := len(list) - 1; ok && last >= 0 && p.from <= list[last].to {
			list[last].to = max(p.to, list[last].to)
		} else if ok {
			list = append(list, p)
		}
	}
	return list
}

// runIn reports whether text has the run of characters that every match has. It looks at the ends
// of runs first, and goes on behind the last character that is not in the set.
func (r *rule) runIn(text []byte) bool {
	set := &r.set
	for end := r.run; end <= len(text); {
		n := 0
		for n < r.run && set.has(text[end-1-n]) {
			n++
		}
		if n == r.run {
			return true
		}
		end += r.run - n
	}
	return false
}

// reach is how far after the first byte of an operator the value may begin: three bytes of
// operator, five of quotes and spaces.
const reach = 9

// assignments finds operators and values after keywords, which come in order. It remembers the last
// run and the last end of a value, because hostile texts are one long value after many keywords.
type assignments struct {
	*rule
	text                 []byte
	run                  part
	stop                 int // an operator may begin here, not between here and the last keyword
	lastNonPlain, closed int // last character of the run that is not plain; last end found
}

// afterKeyword returns the range in which a match at this keyword must lie. It ends after a
// character that ends every value, so that the pattern does not see an end of text that is none.
func (a *assignments) afterKeyword(h hit) (p part, ok bool) {
	op := h.pos + len(h.word())
	last := min(op+a.name, len(a.text))
	for op = max(op, a.stop); op < last && beforeOperator.has(a.text[op]); {
		op++
	}
	a.stop = op
	if op >= last || !operator(a.text[op]) {
		return p, false
	}
	for at := op + 1; at <= op+reach && at < len(a.text); at++ {
		to, hasNonPlain := a.runAt(at)
		if to-at >= a.rule.run && hasNonPlain {
			return part{max(0, h.pos-a.name), a.closing(to)}, true
		}
		at = max(at, to)
	}
	return p, false
}

// runAt returns the end of the run that holds the byte at from, and whether from there on it has a
// character that is not plain.
func (a *assignments) runAt(from int) (to int, hasNonPlain bool) {
	if from < a.run.from || from >= a.run.to {
		a.run, a.lastNonPlain = part{from, from}, -1
		for a.run.to < len(a.text) && a.set.has(a.text[a.run.to]) {
			if !a.plain.has(a.text[a.run.to]) {
				a.lastNonPlain = a.run.to
			}
			a.run.to++
		}
	}
	return a.run.to, a.lastNonPlain >= from
}

// closing returns the offset after the next character that ends every value.
func (a *assignments) closing(from int) int {
	a.closed = max(a.closed, from)
	for a.closed < len(a.text) && !closing(a.text[a.closed]) {
		a.closed++
	}
	return min(a.closed+1, len(a.text))
}

// beforeOperator are the bytes that may come between a keyword and the operator: _ . - quotes,
// spaces, letters, digits, and those from 0x80 on.
var beforeOperator = byteSet{0x3ff608500003600, 0x7fffffe87fffffe, ^uint64(0), ^uint64(0)}

// operator reports whether an operator begins with c.
func operator(c byte) bool {
	return c == '=' || c == '>' || c == ':' || c == '|' || c == '?' || c == ','
}
