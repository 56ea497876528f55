package secret

import (
	"bytes"
	"iter"
	"math"
	"strings"
)

// The rules of notes and of texts that agents write, which gitleaks lacks.
// They are code because a pattern cannot ask for a digit and a letter in any order, nor whether a
// word is plain.
const (
	tokenPrefix      = "token-prefix"
	credentialMarker = CredentialMarker
	urlPassword      = "url-password"
	randomBlob       = RandomBlob
)

// RandomBlob is the rule for what looks drawn and says nothing else of itself, CredentialMarker
// that for the value behind "password:" and its like.
const (
	RandomBlob       = "random-blob"
	CredentialMarker = "credential-marker"
)

var ownRules = [...]string{tokenPrefix, credentialMarker, urlPassword, randomBlob}

// Explain returns in words what an own rule finds; "" for a rule of gitleaks, which is called by
// the service whose tokens it finds.
func Explain(rule string) string {
	return map[string]string{
		tokenPrefix:      "the beginning of a token of a known service",
		credentialMarker: "a value after a word that names a password, a token or a key",
		urlPassword:      "the password in a URL",
		randomBlob:       "a long text that looks random, as keys do",
	}[rule]
}

// ruleVariant is what must follow a prefix or a marker to make it a secret, and how many are
// wanted.
type ruleVariant struct {
	body    func(body []byte) bool // after a prefix: letters, digits, - and _
	notes   bool                   // any value after "password:" and "token:" counts
	numbers bool                   // a number counts that is the member "password" of an object
	most    int                    // about how many findings of each sort are wanted
}

// anywhere is the variant for every memory. A prefix or a marker alone is no sign there: sk-SK is a
// language, and "token: abcdef" may be a list of words.
var anywhere = ruleVariant{body: mixedBody, most: maxFindings}

// inNotes is the variant of notes, where a prefix or a marker alone counts. Yet a prefix must
// begin a word, or task-list would be refused, and what follows a marker must not be a
// placeholder, a reference or plain words about passwords.
var inNotes = ruleVariant{body: anyBody, notes: true, most: maxFindings}

// inRecords is the variant of Redact. It finds all, and more than anywhere: there a write would be
// refused that has a number after "password", and here the number is lost.
var inRecords = ruleVariant{body: mixedBody, numbers: true, most: math.MaxInt}

// longest is the greatest length of a body or a value that is looked at.
const longest = 512

// spans returns what the own rules find, whose keywords are at these places.
func (v ruleVariant) spans(text []byte, at []hit) []span {
	found := v.prefixes(text, at)
	marked := v.markers(text, at)
	found = append(append(found, marked...), v.chosen(text, at, union(marked))...)
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

// places yields the offsets of word in text.
func places(text []byte, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; {
			i := bytes.Index(text[from:], []byte(word))
			if i < 0 || !yield(from+i) {
				return
			}
			from += i + len(word)
		}
	}
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

// bearer judges the word after "Bearer". It is also English, so the word must not look like a plain
// one; after "Authorization:" see headerClaim.
func (v ruleVariant) bearer(value []byte) bool {
	if v.notes {
		return (len(value) >= 16 || len(value) >= 4 && hasDigit(value)) && !placeholder(value)
	}
	return mixedValue(kindToken, value)
}

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

func hasLetter(b []byte) bool {
	return bytes.ContainsFunc(b, func(r rune) bool { return r < 0x80 && letter(byte(r)) })
}
