package secret

import "bytes"

// blobLen is how many letters and digits in a row make a blob.
const blobLen = 40

// blobs returns the runs of letters and digits that have capitals, small letters and digits, about
// most of them or all. Runs that are known not to be secrets are left out: see plain.
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
		if to-from >= blobLen && mixed(text[from:to]) && !b.plain(from) {
			b.found = append(b.found, span{randomBlob, from, to})
		}
		end = to + 1 + blobLen
	}
	return b.found
}

// blobScan remembers the word that held the last blob: it may be full of blobs.
type blobScan struct {
	text  []byte
	found []span
	word  int // where the word begins that holds the byte before seen
	seen  int
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

// plain reports whether the run at an offset is no secret because of the text around it: the data
// of a data URL, the path of a URL, a checksum, a public key or a certificate.
func (b *blobScan) plain(from int) bool {
	word := b.wordAt(from)
	head := b.text[word:min(from, word+256)]
	if bytes.Contains(head, []byte(";base64,")) {
		return true
	}
	if i := bytes.Index(head, []byte("://")); i >= 0 && from-word < maxLookBack &&
		!bytes.ContainsAny(b.text[word+i:from], "?#@=") {
		return true
	}
	return inChecksum(b.text, from) || inPublicBlock(b.text[max(0, from-maxLookBack):from])
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
