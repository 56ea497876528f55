package secret

import (
	"bytes"
	"iter"
)

// The rules of the notes (N-15 to N-17), which gitleaks lacks. They are code because a pattern
// cannot ask for a digit and a letter in any order.
const (
	tokenPrefix      = "token-prefix"
	credentialMarker = "credential-marker"
	randomBlob       = "random-blob"
)

var ownRules = [...]string{tokenPrefix, credentialMarker, randomBlob}

// ruleVariant is what must follow a prefix or a marker to make it a secret.
type ruleVariant struct {
	body  func(body []byte) bool             // after a prefix: letters, digits, - and _
	value func(marker string, v []byte) bool // after a marker: up to the next space or quote
}

// anywhere is the variant for every memory. A prefix or a marker alone is no sign there: sk-SK is a
// language, and "token: the one we use" a sentence.
var anywhere = ruleVariant{body: mixedBody, value: mixedValue}

// inNotes is the variant of N-15 and N-16 to the letter, except that a prefix must begin a word, or
// task-list would be refused.
var inNotes = ruleVariant{body: anyBody, value: anyValue}

// longest is the greatest length of a body or a value that is looked at.
const longest = 512

// spans returns what the own rules find.
func (v ruleVariant) spans(text []byte) []span {
	found := v.prefixes(text)
	found = append(found, v.markers(text)...)
	return append(found, blobs(text)...)
}

var prefixes = [...]string{"sk-", "ghp_", "gho_", "glpat-", "xoxb-", "xoxp-"}

func (v ruleVariant) prefixes(text []byte) (found []span) {
	for _, prefix := range prefixes {
		for at := range places(text, prefix) {
			if at > 0 && alnum(text[at-1]) {
				continue
			}
			end := at + len(prefix)
			for end < min(at+longest, len(text)) &&
				(alnum(text[end]) || text[end] == '-' || text[end] == '_') {
				end++
			}
			if v.body(text[at+len(prefix) : end]) {
				found = append(found, span{tokenPrefix, at, end})
			}
			if len(found) >= maxFindings {
				return found
			}
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

// The markers of N-16, in any case of letters.
const (
	bearer   = "bearer "
	token    = "token:"
	password = "password:"
)

func (v ruleVariant) markers(text []byte) (found []span) {
	for i, c := range text {
		if c != ':' && c != ' ' {
			continue
		}
		marker := markerBefore(text, i+1)
		if marker == "" {
			continue
		}
		if from, to := value(text, i+1); v.value(marker, text[from:to]) {
			found = append(found, span{credentialMarker, from, to})
		}
		if len(found) >= maxFindings {
			break
		}
	}
	return found
}

// markerBefore returns the marker that ends at end. "Bearer " must be a word, the others may end a
// name, like access_token.
func markerBefore(text []byte, end int) string {
	for _, marker := range [...]string{bearer, token, password} {
		at := end - len(marker)
		if at < 0 || !startsWith(text[at:], marker) {
			continue
		}
		if marker != bearer || at == 0 || !alnum(text[at-1]) {
			return marker
		}
	}
	return ""
}

// value returns the range of the word after a marker, without the punctuation around it.
func value(text []byte, from int) (int, int) {
	for from < len(text) && (text[from] == ' ' || text[from] == '\'' || text[from] == '`' ||
		text[from] == '\t') {
		from++
	}
	to := from
	for to < min(from+longest, len(text)) && !closing(text[to]) && text[to] != ',' {
		to++
	}
	for to > from && bytes.IndexByte([]byte(".)]}!?"), text[to-1]) >= 0 {
		to--
	}
	return from, to
}

// mixedValue reports whether v looks like a credential: long enough, letters and digits, and
// neither a placeholder nor an address.
func mixedValue(marker string, v []byte) bool {
	least := 8
	if marker == password {
		least = 6
	}
	return len(v) >= least && hasDigit(v) && hasLetter(v) &&
		bytes.IndexByte([]byte("<${[%*/"), v[0]) < 0 && !bytes.Contains(v, []byte("://"))
}

// anyValue accepts every word after "token:" and "password:". "Bearer " is also English, so the
// word after it must not look like a plain one.
func anyValue(marker string, v []byte) bool {
	if marker == bearer {
		return len(v) >= 16 || len(v) >= 4 && hasDigit(v)
	}
	return len(v) > 0
}

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

func hasLetter(b []byte) bool {
	return bytes.ContainsFunc(b, func(r rune) bool { return r < 0x80 && letter(byte(r)) })
}
