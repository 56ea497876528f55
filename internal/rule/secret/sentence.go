package secret

import "bytes"

// sentenceClaim returns the value that directly follows a name: password so and so, or --password
// so and so. With words between see nearClaim.
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
	if flagged || kind == kindPassword && (from == 0 || text[from-1] != '/') {
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
		"은", "이", "คือ"} {
		if bytes.HasPrefix(text[end:], []byte(link)) {
			return end + len(link)
		}
	}
	return 0
}
