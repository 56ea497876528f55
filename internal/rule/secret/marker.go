package secret

import (
	"bytes"
	"strings"
)

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
