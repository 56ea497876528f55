package secret

import (
	"bytes"
	"strings"
)

// form is how a value stands behind its name.
type form int

const (
	none     form = iota
	plain         // name: value, and name = value
	tight         // name=value, as in files of settings, URLs and connection strings
	literal       // in quotes, like the value of a JSON member
	sentence      // the name of it is value
	flag          // --name value
)

// claim is a value that is said to be a credential.
type claim struct {
	kind string // of the word before it
	form form
	from int
	to   int
	rest []byte // what follows in the line, or a part of that
}

// markers returns the values after the words that name a credential.
func (v ruleVariant) markers(text []byte, at []hit) (found []span) {
	last := 0
	digits := digits{text: text}
	for _, h := range at {
		if !begins(text, h.pos, h.kind()) {
			continue
		}
		c := v.claimed(text, h, &digits)
		if c.form == none || c.from < last || inMark(text, h.pos) || inMark(text, c.from) {
			continue
		}
		found, last = append(found, span{credentialMarker, c.from, c.to}), c.to
		if len(found) >= v.most {
			break
		}
	}
	return found
}

// claimed returns the credential of the word at an offset.
func (v ruleVariant) claimed(text []byte, h hit, near *digits) claim {
	from, end, kind := h.pos, h.pos+len(h.word()), h.kind()
	near.pass(end)
	after := near.next < end+nearby
	switch {
	case kind == kindCard:
		return cardClaim(text, from)
	case kind == kindGroups && after:
		return groupsClaim(text, end)
	case kind == kindCode && after:
		return codeClaim(text, end)
	case strings.Contains(kindCode+kindLogin+kindGroups+kindPrefix+kindIssued+kindBot, kind),
		kind == kindNear && dataKeys.has(wordBefore(text, from)),
		kind == kindNear && !after:
		return claim{}
	}
	c := claimAfter(text, from, end, kind)
	if c.form != none && v.credential(text, c) && (kind != kindNear || drawn(text[c.from:c.to])) {
		return c
	}
	c = claim{}
	if strings.Contains(kindPassword+kindShort+kindToken+kindSecret+kindNear, kind) &&
		end < len(text) && (after || kind == kindPassword) {
		c = v.nearClaim(text, end, kind)
	}
	if c.form == none && kind == kindPassword && strings.Contains(h.word(), "phrase") {
		c = phraseClaim(text, end)
	}
	return c
}

// digits is a pass over the digits of a text: most values near a name have one.
type digits struct {
	text []byte
	next int // the first that is not passed
}

func (d *digits) pass(at int) {
	for d.next < len(d.text) && (d.next < at || d.text[d.next]-'0' > 9) {
		d.next++
	}
}

// begins reports whether a word at this offset counts. A long one may end a name, like access_token
// and PGPASSWORD; a short one must begin a word, or "compass" would be one.
func begins(text []byte, at int, kind string) bool {
	if kind == kindShort && bytes.HasPrefix(text[at:], []byte("PASS: ")) {
		return false // what a test prints
	}
	if at == 0 || text[at] >= 0xE0 || !letter(text[at-1]) &&
		(text[at-1] < 0x80 || text[at] < 0x80) {
		return true
	}
	if !letter(text[at-1]) {
		return kind != kindNear && kind != kindCode
	}
	switch kind {
	case kindShort:
		return lower(text[at-1]) == text[at-1] && lower(text[at]) != text[at] // like dbPass
	case kindBearer, kindCommand, kindNear, kindLogin, kindCode, kindGroups:
		return false
	}
	return true
}

// claimAfter returns the value after the word at from..end, if there may be one.
func claimAfter(text []byte, from, end int, kind string) claim {
	switch kind {
	case kindCommand:
		return commandClaim(text, end, string(bytes.ToLower(text[from:end])))
	case kindPgpass:
		return pgpassClaim(text, from, end)
	case kindBearer:
		return afterSpace(text, end, kind)
	case kindHeader:
		return headerClaim(text, assigned(text, end, kind))
	case kindShort:
	default:
		end, kind = suffix(text, end, kind)
	}
	if kind == kindKey || end == len(text) || alnum(text[end]) {
		return claim{}
	}
	if c := sentenceClaim(text, from, end, kind); c.form != none {
		return c
	}
	return assigned(text, end, kind)
}

// suffix returns the end of a name whose word ends at end, with the s of a plural, a number and the
// word key. Several tokens are mostly counted, or words of a text, so they are of another kind.
func suffix(text []byte, end int, kind string) (int, string) {
	if kind == kindSecret || kind == kindKey {
		at := skip(text, end, "_- ", 1)
		if startsWith(text[min(at, len(text)):], "key") {
			return at + len("key"), kindSecret
		}
	}
	if end < len(text) && lower(text[end]) == 's' {
		end++
		if kind == kindToken {
			kind = kindSecret
		}
	}
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	return end, kind
}

// assigned returns the value after an operator that stands behind the name.
func assigned(text []byte, end int, kind string) claim {
	at := afterNote(text, skip(text, end, "\"'`])*", 4))
	spaced := skip(text, at, " \t", 8)
	op := operatorAt(text, spaced)
	if op == 0 {
		return element(text, at, kind)
	}
	at = skip(text, spaced+op, "*", 2)
	value := skip(text, at, " \t", 8)
	if value+1 < len(text) && text[value] == '[' && quote(text[value+1]) {
		value++ // the first of a list
	}
	c := valueAt(text, value, kind)
	if c.form == plain && op == 1 && text[spaced] == '=' && value == at && spaced == end {
		c.form = tight
		if i := bytes.IndexByte(text[c.from:c.to], '&'); i > 0 {
			c.to = c.from + i
		}
	}
	return c
}

func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// afterNote returns the offset after a few words in brackets, as in password (staging).
func afterNote(text []byte, at int) int {
	const longest = 24
	if !bytes.HasPrefix(text[at:], []byte(" (")) {
		return at
	}
	if n := bytes.IndexByte(text[at:min(at+longest, len(text))], ')'); n > 0 {
		return at + n + 1
	}
	return at
}

// element returns the value of an XML element whose name ends at end.
func element(text []byte, end int, kind string) (c claim) {
	c.kind = kind
	if end >= len(text) || text[end] != '>' {
		return c
	}
	n := bytes.IndexByte(text[end:min(end+longest, len(text))], '<')
	if n < 2 || end+n+1 >= len(text) || text[end+n+1] != '/' {
		return c
	}
	return claim{kind: kind, form: literal, from: end + 1, to: end + n}
}

// skip returns the offset after at most n of these characters.
func skip(text []byte, at int, these string, n int) int {
	for end := min(at+n, len(text)); at < end && strings.IndexByte(these, text[at]) >= 0; {
		at++
	}
	return at
}

// operatorAt returns the length of the operator at an offset, or 0.
func operatorAt(text []byte, at int) int {
	rest := text[min(at, len(text)):]
	if len(rest) == 0 || strings.IndexByte(":=-→", rest[0]) < 0 {
		return 0 // which is so nearly always
	}
	for _, op := range [...]string{":=", "===", "==", "=>", "->", "→", "::", ":", "="} {
		if bytes.HasPrefix(rest, []byte(op)) {
			return len(op)
		}
	}
	return 0
}

// valueAt returns the value that begins at an offset: up to the closing quote, or a word.
func valueAt(text []byte, from int, kind string) claim {
	for _, open := range [...]string{"「", "『", "《", "“", "„", "‘", "‚", "«", "‹"} {
		if from < len(text) && text[from] >= 0x80 && bytes.HasPrefix(text[from:], []byte(open)) {
			from += len(open)
		}
	}
	if from < len(text) && quote(text[from]) {
		room := text[from+1 : min(from+1+longest, len(text))]
		to := bytes.IndexByte(room, text[from])
		if to >= 0 && bytes.IndexByte(room[:to], '\n') < 0 {
			return claim{kind, literal, from + 1, from + 1 + to, nil}
		}
		from++
	}
	to := from
	for to < min(from+longest, len(text)) && inValue(text[to]) {
		to++
	}
	rest := restOfLine(text, to)
	for to > from && bytes.IndexByte([]byte(".)]}!?"), text[to-1]) >= 0 {
		to--
	}
	return claim{kind, plain, from, to, rest}
}

// inValue reports whether c may be in a value without quotes. A script without spaces, like
// Chinese, ends it: its characters have three bytes or more.
func inValue(c byte) bool { return !closing(c) && c != ',' && c < 0xE0 }

// restOfLine returns some of what follows in the line, or in the string of JSON.
func restOfLine(text []byte, at int) []byte {
	const enough = 80
	rest := text[at:min(at+enough, len(text))]
	if i := bytes.IndexAny(rest, "\n\""); i >= 0 {
		rest = rest[:i]
	}
	return rest
}
