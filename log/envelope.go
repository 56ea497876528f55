package log

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// Envelope is one write: its key, its time, its source and its content. Source and Content
// are compact JSON as the caller gave it.
type Envelope struct {
	Key     keypath.Key
	TS      Stamp
	Source  []byte
	Content []byte
}

// Valid reports whether the envelope is live, and no tombstone.
func (e Envelope) Valid() bool { return string(e.Content) != "null" }

// Clone returns a copy that does not share bytes with a scanner's buffer.
func (e Envelope) Clone() Envelope {
	e.Source, e.Content = bytes.Clone(e.Source), bytes.Clone(e.Content)
	return e
}

// AppendLine appends the envelope's canonical line, without a newline. The checksum closes it.
func (e Envelope) AppendLine(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, `{"key":`...)
	dst = jsontext.AppendString(dst, e.Key.String())
	dst = append(dst, `,"ts":"`...)
	dst = e.TS.appendText(dst)
	dst = append(dst, `","valid":`...)
	dst = append(dst, validText(e.Valid())...)
	dst = append(dst, `,"source":`...)
	dst = append(dst, e.Source...)
	dst = append(dst, `,"content":`...)
	dst = append(dst, e.Content...)
	return seal(dst, start)
}

// Line is AppendLine to a new slice.
func (e Envelope) Line() []byte { return e.AppendLine(make([]byte, 0, e.LineSize())) }

// LineSize returns at least the length of the line, but for a key with much to escape.
func (e Envelope) LineSize() int {
	return 192 + len(e.Key.String()) + len(e.Source) + len(e.Content)
}

func validText(v bool) string {
	if v {
		return "true"
	}
	return "false"
}

// A sealed record is `{...,"checksum":"sha256:<64 hex>"}`, where the sum is that of `{...}`.
const (
	sealOpen = `,"checksum":"sha256:`
	sealEnd  = `"}`
	sealLen  = len(sealOpen) + 2*sha256.Size + len(sealEnd)
)

// seal closes the open object that begins at start with its checksum.
func seal(dst []byte, start int) []byte {
	sum := sha256.Sum256(append(dst[start:], '}'))
	dst = append(dst, sealOpen...)
	dst = hex.AppendEncode(dst, sum[:])
	return append(dst, sealEnd...)
}

// unseal splits a record that ends in a checksum into what the sum covers (still without its
// closing brace) and the sum's hex digits.
func unseal(line []byte) (body, sum []byte, ok bool) {
	at := len(line) - sealLen
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sealOpen)) ||
		!bytes.HasSuffix(line, []byte(sealEnd)) {
		return nil, nil, false
	}
	return line[:at], line[at+len(sealOpen) : len(line)-len(sealEnd)], true
}

// sumMatches reports whether hex digits are the checksum of body + "}".
func sumMatches(body, digits []byte) bool {
	h := sha256.New()
	h.Write(body)
	h.Write([]byte{'}'})
	var sum [sha256.Size]byte
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], h.Sum(sum[:0]))
	return bytes.Equal(text[:], digits)
}

// Sum returns the 64 hex digits that identify a line: its own checksum where it ends in one, else
// that of its bytes. It does not verify the checksum.
func Sum(line []byte) string {
	if _, sum, ok := unseal(line); ok && isHex(sum) {
		return string(sum)
	}
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// isHex reports whether all digits are lower-case hex. What only stands in the place of a checksum
// could break the JSON of the watermark.
func isHex(digits []byte) bool {
	for _, c := range digits {
		if (c < '0' || '9' < c) && (c < 'a' || 'f' < c) {
			return false
		}
	}
	return true
}

// CompactLine is jsontext.Compact for a whole envelope: each member may be as deep as it may be
// alone, and the source of a quarantined write a little deeper, for it has the given one inside.
func CompactLine(dst, src []byte) ([]byte, error) {
	return jsontext.CompactDepth(dst, src, jsontext.MaxDepth+8)
}

// Seal closes a JSON object text with its checksum, by the same rule as a line: for the other
// one-record files of a store.
func Seal(object []byte) []byte { return seal(object[:len(object)-1], 0) }

// Sealed reports whether text (with or without a newline) ends in the checksum of the rest.
func Sealed(text []byte) bool {
	body, sum, ok := unseal(bytes.TrimSuffix(text, []byte{'\n'}))
	return ok && sumMatches(body, sum)
}

// Checksummed reports whether a compact line ends in a checksum, right or wrong.
func Checksummed(line []byte) bool {
	_, _, ok := unseal(line)
	return ok
}

// SumIn finds the 64 hex digits of a checksum in the bytes of a damaged line; "" where none has
// survived.
func SumIn(raw []byte) string {
	_, rest, found := bytes.Cut(raw, []byte(sealOpen))
	if !found || len(rest) < 2*sha256.Size {
		return ""
	}
	return string(rest[:2*sha256.Size])
}
