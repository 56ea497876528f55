package secret

import "bytes"

// sentenceClaim returns the value that a sentence says a name has: the password of the router is
// so and so, or password so and so, or --password so and so.
func sentenceClaim(text []byte, from, end int, kind string) (c claim) {
	if at := linkCJK(text, end); at > 0 {
		c = valueAt(text, skip(text, at, " ", 2), kind)
		c.form = sentence
		return c
	}
	if end+1 >= len(text) || text[end] != ' ' || text[end+1] == '(' ||
		operatorAt(text, end+1) > 0 {
		return c
	}
	flagged := from >= 2 && text[from-1] == '-' && text[from-2] == '-'
	if at, ok := afterLink(text, end); ok {
		c = valueAt(text, at, kind)
	} else if flagged || kind == kindPassword && (from == 0 || text[from-1] != '/') {
		c = valueAt(text, end+1, kind)
	}
	switch {
	case c.form == none:
	case flagged:
		c.form = flag
	case c.form == plain:
		c.form = sentence
	}
	return c
}

// afterSpace returns the value after a space behind a word.
func afterSpace(text []byte, end int, kind string) (c claim) {
	if end < len(text) && text[end] == ' ' {
		c = valueAt(text, skip(text, end, " \t", 8), kind)
	}
	return c
}

// linkCJK returns the offset after a word that links a name and a value in Chinese, Japanese or
// Korean, which directly follows the name; or 0.
func linkCJK(text []byte, end int) int {
	if end >= len(text) || text[end] < 0xE0 {
		return 0
	}
	for _, link := range [...]string{"改为", "改成", "设为", "設為", "是", "为", "為", "は", "「", "는",
		"은", "이"} {
		if bytes.HasPrefix(text[end:], []byte(link)) {
			return end + len(link)
		}
	}
	return 0
}

// afterLink returns where the value of a sentence begins whose name ends at end: after "is", or
// after "for the printer is". An operator directly behind the name is not for it, see assigned.
func afterLink(text []byte, end int) (at int, ok bool) {
	const words, reach = 6, 64
	at = end
	for n := range words {
		at = skip(text, at, " ", 1)
		word := wordAt(text[at:min(end+reach, len(text))])
		isLink := links.has(bytes.TrimSuffix(word, []byte(":")))
		if len(word) == 0 || n == 0 && !isLink && !relations.has(word) {
			return at, false
		}
		at += len(word)
		if isLink || n > 0 && (word[len(word)-1] == ':' || string(word) == "to") {
			return afterFillers(text, at), true
		}
	}
	return at, false
}

// afterFillers skips words like "now" before a value.
func afterFillers(text []byte, at int) int {
	for range 3 {
		at = skip(text, at, " ", 1)
		word := wordAt(text[at:min(at+16, len(text))])
		if !fillers.has(word) {
			break
		}
		at += len(word)
	}
	return at
}

// wordAt returns the word that text begins with, up to a space. It is empty where a clause ends.
func wordAt(text []byte) []byte {
	i := bytes.IndexAny(text, " .,;\n\"")
	switch {
	case i < 0:
		return text
	case text[i] != ' ':
		return nil
	}
	return text[:i]
}
