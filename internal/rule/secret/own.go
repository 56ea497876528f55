package secret

import (
	"bytes"
	"math"
	"strings"
)

// anywhere is the variant for every memory. A prefix or a marker alone is no sign there: sk-SK is a
// language, and "token: abcdef" may be a list of words.
var anywhere = ruleVariant{body: mixedBody, most: maxFindings}

// inNotes is the variant of notes, where a prefix or a marker alone counts. Yet a prefix must begin
// a word, or task-list would be refused.
var inNotes = ruleVariant{body: anyBody, notes: true, most: maxFindings}

// inRecords is the variant of Redact. It finds all, and more than anywhere: there a write would be
// refused that has a number after "password", and here the number is lost.
var inRecords = ruleVariant{body: mixedBody, numbers: true, most: math.MaxInt}

// spans returns what the own rules find, whose keywords are at these places.
func (v ruleVariant) spans(text []byte, at hits) []span {
	found := append(v.prefixes(text, at.own), v.formsAt(text, at.form)...)
	marked := v.markers(text, at.own)
	found = append(append(found, marked...), v.chosen(text, at.own, union(marked))...)
	found = append(append(found, v.parted(text)...), cutKeys(text, v.most)...)
	found = append(found, userinfo(text, v.most)...)
	found = append(found, seeds(text, v.most)...)
	return append(found, blobs(text, v.most)...)
}

// prefixes returns the tokens that begin with a known prefix.
func (v ruleVariant) prefixes(text []byte, at []hit) (found []span) {
	for _, h := range at {
		issued, from := h.kind() == kindIssued, h.pos+len(h.word())
		bot := h.kind() == kindBot &&
			h.pos-len(bytes.TrimRight(text[:h.pos], "0123456789")) >= 6
		if !issued && !bot && (h.kind() != kindPrefix || string(text[h.pos:from]) != h.word()) ||
			h.pos > 0 && alnum(text[h.pos-1]) && alnum(text[h.pos]) {
			continue
		}
		end := from
		for end < min(h.pos+longest, len(text)) && (alnum(text[end]) || text[end] == '-' ||
			text[end] == '_' || issued && strings.IndexByte("/.:", text[end]) >= 0) {
			end++
		}
		body := bytes.TrimRight(text[from:end], "/.:")
		if issued && (drawn(body) || uuid(body)) || bot && len(body)/3 == 11 && !dummy(body) ||
			!issued && !bot && v.body(body) && !marked(body) {
			found = append(found, span{tokenPrefix, h.pos, from + len(body)})
		}
		if len(found) >= v.most {
			break
		}
	}
	return found
}

// mixedBody reports whether body has six letters and digits in a row, a digit among them.
func mixedBody(body []byte) bool {
	n, digit := 0, false
	for _, c := range body {
		if !alnum(c) {
			n, digit = 0, false
			continue
		}
		n, digit = n+1, digit || !letter(c)
		if n >= 6 && digit {
			return true
		}
	}
	return false
}

func anyBody(body []byte) bool { return len(body) > 0 && alnum(body[0]) }
