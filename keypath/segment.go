package keypath

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	maxSegment = 200 // bytes of an encoded segment
	cutMark    = '~' // between a cut segment's beginning and the hash of the whole segment
	cutSum     = 8   // bytes of that hash, two hex digits each

	cutLen     = 1 + 2*cutSum
	maxHead    = maxSegment - cutLen      // bytes that a cut leaves at most
	minHead    = maxHead - maxEncoded + 1 // and at least: the next character did not fit
	maxEncoded = len("%XX") * utf8.UTFMax // bytes of one encoded character at most
)

// appendSegment appends the physical name of one segment, cut where it would be too long.
func appendSegment(dst []byte, seg string) []byte {
	start, cut := len(dst), len(dst)
	enc := newEncoder(seg)
	if enc.isPlain() {
		return append(dst, seg...)
	}
	for pos, r := range seg {
		if len(dst)-start <= maxHead {
			cut = len(dst)
		}
		dst = enc.append(dst, pos, utf8.RuneLen(r))
	}
	if len(dst)-start <= maxSegment {
		return dst
	}
	sum := sha256.Sum256([]byte(seg))
	dst = append(dst[:cut], cutMark)
	return hex.AppendEncode(dst, sum[:cutSum])
}

// encoder holds which characters of one segment must be escaped for their place in it, as byte
// offsets; -1 means none.
type encoder struct {
	seg     string
	head    int  // a first character that would give the name a special meaning
	tail    int  // a last character that Windows would strip
	mark    int  // a "~" that would pass for a cut
	escaped bool // whether the character before was escaped
}

func newEncoder(seg string) encoder {
	e := encoder{seg: seg, head: -1, tail: -1, mark: -1}
	if c := seg[0]; c == '.' || c == '-' || isDevice(seg) {
		e.head = 0
	}
	last := len(seg) - 1
	if c := seg[last]; c == '.' || c == ' ' {
		e.tail = last
	}
	if endsLikeCut(seg) {
		e.mark = len(seg) - cutLen
	}
	return e
}

// isPlain reports whether the segment stands as it is.
func (e *encoder) isPlain() bool {
	if e.head >= 0 || e.tail >= 0 || e.mark >= 0 || len(e.seg) > maxSegment {
		return false
	}
	for i := range len(e.seg) {
		if isReserved(e.seg[i]) {
			return false
		}
	}
	return true
}

// append appends the character at pos, as it is or escaped. Characters come in order.
func (e *encoder) append(dst []byte, pos, size int) []byte {
	char := e.seg[pos : pos+size]
	e.escaped = e.mustEscape(pos)
	if !e.escaped {
		return append(dst, char...)
	}
	const digits = "0123456789ABCDEF"
	for _, c := range []byte(char) {
		dst = append(dst, '%', digits[c>>4], digits[c&0xF])
	}
	return dst
}

func (e *encoder) mustEscape(pos int) bool {
	switch {
	case isReserved(e.seg[pos]):
		return true
	case pos == e.head || pos == e.tail || pos == e.mark:
		return true
	}
	return e.escaped && joinsBackward(e.seg[pos:])
}

// isReserved reports whether c is always escaped.
func isReserved(c byte) bool {
	switch c {
	case '%', tagMark, '<', '>', ':', '"', '\\', '|', '?', '*':
		return true
	}
	return false
}

// endsLikeCut reports whether a raw or encoded segment ends as a cut one does. Neither "~" nor hex
// digits are escaped otherwise, so the answer is the same for both forms.
func endsLikeCut(seg string) bool {
	at := len(seg) - cutLen
	return at >= 0 && seg[at] == cutMark && isLowerHex(seg[at+1:])
}

func isLowerHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}

// isDevice reports whether Windows would open a device under this name, in any directory: in any
// case, whatever follows the first dot, and with spaces before it.
func isDevice(seg string) bool {
	if strings.IndexByte("CPANLcpanl", seg[0]) < 0 {
		return false // no device begins with it
	}
	base, _, _ := strings.Cut(seg, ".")
	base = strings.TrimRight(base, " ")
	if len(base) < len("CON") || len(base) > len("CONOUT$") {
		return false
	}
	for _, name := range [...]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"} {
		if strings.EqualFold(base, name) {
			return true
		}
	}
	return isPort(base)
}

// isPort reports whether base is COM0 to COM9 or LPT0 to LPT9, also with the superscript digits
// that Windows takes for digits.
func isPort(base string) bool {
	name, digit := base[:len("COM")], base[len("COM"):]
	if !strings.EqualFold(name, "COM") && !strings.EqualFold(name, "LPT") {
		return false
	}
	switch digit {
	case "¹", "²", "³":
		return true
	}
	return len(digit) == 1 && '0' <= digit[0] && digit[0] <= '9'
}
