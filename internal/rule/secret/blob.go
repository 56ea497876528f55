package secret

import (
	"bytes"
	"encoding/base64"
	"unicode"
	"unicode/utf8"
)

// blobLen is how many letters and digits in a row make a blob (N-17).
const blobLen = 40

// blobs returns the runs of letters and digits that have capitals, small letters and digits, and so
// look random (N-17). A hash in hexadecimal has no capitals or no small letters. Runs that are
// known not to be secrets are left out: see plain. About most of them are returned, or all.
func blobs(text []byte, most int) []span {
	b := blobScan{text: text}
	for end := blobLen; end <= len(text) && len(b.found) < most; {
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
		if to-from >= blobLen && mixed(text[from:to]) && !b.plain(from, to) {
			b.found = append(b.found, span{randomBlob, from, to})
		}
		end = to + 1 + blobLen
	}
	return b.found
}

// blobScan remembers the word and the base64 that held the last blob: both may be as long as the
// text, and full of blobs.
type blobScan struct {
	text   []byte
	found  []span
	word   int // where the word begins that holds the byte before seen
	seen   int
	base64 part
	isText bool // base64 is text without a secret
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

// maxLookBack is how far before a run its surroundings are searched.
const maxLookBack = 16 << 10

// plain reports whether the run at from..to is no secret because of what surrounds it: the data of
// a data URL, the path of a URL, a checksum, a public key or a certificate, base64 of text without
// a secret.
func (b *blobScan) plain(from, to int) bool {
	word := b.wordAt(from)
	if publicLabel(b.text[:from]) {
		return true
	}
	head := b.text[word:min(from, word+256)]
	if bytes.Contains(head, []byte(";base64,")) || bytes.HasPrefix(b.text[word:], []byte("AAAA")) {
		return true
	}
	if i := bytes.Index(head, []byte("://")); i >= 0 && from-word < maxLookBack &&
		!bytes.ContainsAny(b.text[word+i:from], "?#@=") {
		return true
	}
	return inChecksum(b.text, from) ||
		inPublicBlock(b.text[max(0, from-maxLookBack):from]) || b.encodesText(from, to)
}

// publicLabel reports whether the value behind text is a public key by its label.
func publicLabel(text []byte) bool {
	const most = 24
	text = bytes.TrimRight(text[max(0, len(text)-most):], " =:\"'`")
	for _, label := range [...]string{
		"publickey", "public key", "public_key", "public-key", "pubkey"} {
		if n := len(text) - len(label); n >= 0 && startsWith(text[n:], label) {
			return true
		}
	}
	return false
}

// wordAt returns where the word begins that holds the run at from.
func (b *blobScan) wordAt(from int) int {
	at := from
	for at > b.seen && !space(b.text[at-1]) && b.text[at-1] != '"' && b.text[at-1] < 0x80 {
		at--
	}
	if at > b.seen {
		b.word = at
	}
	b.seen = from
	return b.word
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
func (b *blobScan) encodesText(from, to int) bool {
	if b.base64.from <= from && to <= b.base64.to {
		return b.isText
	}
	for from > b.base64.to && base64Byte(b.text[from-1]) {
		from--
	}
	for to < len(b.text) && base64Byte(b.text[to]) {
		to++
	}
	b.base64 = part{from, to}
	plain, ok := decoded(b.text[from:to])
	b.isText = ok && len(spans(plain, anywhere)) == 0
	return b.isText
}

// decoded returns the text that base64 encodes, and whether it is base64 of a text.
func decoded(text []byte) ([]byte, bool) {
	encoding := base64.RawStdEncoding
	if bytes.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	plain := make([]byte, encoding.DecodedLen(len(text)))
	n, err := encoding.Decode(plain, text)
	return plain[:n], err == nil && printable(plain[:n])
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
