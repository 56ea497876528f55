package secret

import "unicode/utf8"

// place returns where in a JSON value the spans of its unescaped text lie. The spans are in order.
func place(name string, value, text []byte, spans []span) (found []Finding) {
	for _, l := range leaves(name, value, text, union(spans)) {
		var here []Finding
		here, spans = l.place(text, spans)
		found = append(found, here...)
	}
	return found
}

// place returns the spans that begin before the end of a leaf as places in it, and the others.
func (l *leaf) place(text []byte, spans []span) (found []Finding, left []span) {
	at, count := l.text.from, 0 // so many characters are before at
	for len(spans) > 0 && spans[0].from < l.text.to {
		s := spans[0]
		first := max(s.from, l.text.from)
		last := max(min(s.to, l.text.to), min(l.text.from+1, l.text.to))
		count += utf8.RuneCount(text[at:first])
		at = first
		found = append(found, Finding{Rule: s.rule, Place: l.path,
			From: count + 1, To: count + utf8.RuneCount(text[first:last])})
		spans = spans[1:]
	}
	return found, spans
}
