package secret

import (
	"bytes"
	"encoding/base64"
	"unicode"
	"unicode/utf8"
)

// blobLen is how many letters and digits in a row make a blob (N-17).
const blobLen = 40

// blobs finds runs of letters and digits that have capitals, small letters and digits, and so look random (N-17). A hash in hexadecimal has no capitals
// or no small letters. What only looks random is let pass: see plainBlob.
func blobs(text []byte) (found []span) {
	for end := blobLen; end <= len(text); {
		// The last byte that the next blob must reach decides most often.
		if !alnum(text[end-1]) {
			end += blobLen
			continue
		}
		from, to := end-1, end
		for from > 0 && alnum(text[from-1]) {
			from--
		}
		for to < len(text) && alnum(text[to]) {
			to++
		}
		if to-from >= blobLen && mixed(text[from:to]) && !plainBlob(text, from, to) {
			found = append(found, span{randomBlob, from, to})
		}
		end = to + 1 + blobLen
	}
	return found
}

func mixed(run []byte) bool {
	var capital, small, digit bool
	for _, c := range run {
		switch {
		case c <= '9':
			digit = true
		case c <= 'Z':
			capital = true
		default:
			small = true
		}
	}
	return capital && small && digit
}

// plainBlob reports whether the run at from..to is no secret for what it stands in: base64 of text without a secret, the path of
// a URL, the data of a data URL, a public key or a certificate.
func plainBlob(text []byte, from, to int) bool {
	word := from
	for word > 0 && !closing(text[word-1]) && text[word-1] < 0x80 {
		word--
	}
	before := text[word:from]
	if bytes.Contains(before, []byte(";base64,")) || bytes.HasPrefix(text[word:], []byte("AAAA")) {
		return true
	}
	if i := bytes.Index(before, []byte("://")); i >= 0 && bytes.IndexAny(before[i:], "?#@=") < 0 {
		return true
	}
	return inPublicBlock(text[:from]) || encodesText(text, from, to)
}

// inPublicBlock reports whether text ends inside a PEM block that is not private.
func inPublicBlock(text []byte) bool {
	begin := bytes.LastIndex(text, []byte("-----BEGIN "))
	if begin < 0 || bytes.Contains(text[begin:], []byte("-----END ")) {
		return false
	}
	label, _, _ := bytes.Cut(text[begin+len("-----BEGIN "):], []byte("-----"))
	return !bytes.Contains(label, []byte("PRIVATE"))
}

// encodesText reports whether the base64 around a run decodes to text in which there is no secret.
func encodesText(text []byte, from, to int) bool {
	for from > 0 && base64Byte(text[from-1]) {
		from--
	}
	for to < len(text) && base64Byte(text[to]) {
		to++
	}
	encoding := base64.RawStdEncoding
	if bytes.ContainsAny(text[from:to], "-_") {
		encoding = base64.RawURLEncoding
	}
	plain := make([]byte, encoding.DecodedLen(to-from))
	n, err := encoding.Decode(plain, text[from:to])
	if err != nil || !printable(plain[:n]) {
		return false
	}
	return len(tableSpans(plain[:n])) == 0 && len(anywhere.spans(plain[:n])) == 0
}

func base64Byte(c byte) bool { return alnum(c) || c == '+' || c == '/' || c == '-' || c == '_' }

func printable(plain []byte) bool {
	if !utf8.Valid(plain) {
		return false
	}
	for _, r := range string(plain) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
	}
	return true
}
