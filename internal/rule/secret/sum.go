package secret

import "bytes"

// sums are the labels of the checksums in go.sum and in the lock files of npm, which are base64 and
// look random, and the length of what follows.
var sums = [...]struct {
	label string
	n     int
}{{"h1:", 44}, {"sha256-", 44}, {"sha384-", 64}, {"sha512-", 88}}

// inChecksum reports whether the text at an offset is in a checksum: its label, and base64 that is
// just as long as one.
func inChecksum(text []byte, at int) bool {
	const longest = 88
	from := at
	for from > max(0, at-longest) && sumByte(text[from-1]) {
		from--
	}
	for _, sum := range sums {
		label := []byte(sum.label)
		start := from
		if bytes.HasPrefix(text[at:], label) {
			start = at + len(label)
		} else if !bytes.HasSuffix(text[:from], label) {
			continue
		}
		if before := start - len(label); before > 0 && alnum(text[before-1]) {
			continue
		}
		if sumEnd(text, start)-start == sum.n {
			return true
		}
	}
	return false
}

// sumEnd returns the end of the base64 that begins at an offset, its padding included.
func sumEnd(text []byte, at int) int {
	for at < len(text) && sumByte(text[at]) {
		at++
	}
	return skip(text, at, "=", 2)
}

func sumByte(c byte) bool { return alnum(c) || c == '+' || c == '/' }
