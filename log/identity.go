package log

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Identity identifies a line by its key, its time, its source and its content.
type Identity [sha256.Size]byte

// Identity returns the identity of a line.
func (e Envelope) Identity() Identity {
	key, ts := e.Key.String(), e.TS.String()
	text := make([]byte, 0, 64+len(key)+len(ts)+len(e.Source)+len(e.Content))
	text = appendField(text, key)
	text = appendField(text, ts)
	text = appendField(text, e.Source)
	text = appendField(text, e.Content)
	return sha256.Sum256(text)
}

// ParseIdentity parses an identity in hex digits, with blanks around it or none.
func ParseIdentity(text []byte) (id Identity, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) != hex.EncodedLen(len(id)) {
		return id, false
	}
	_, err := hex.Decode(id[:], text)
	return id, err == nil
}

// appendField appends a field behind its length, so that no content can look like the end of a
// field.
func appendField[T string | []byte](dst []byte, field T) []byte {
	dst = strconv.AppendInt(dst, int64(len(field)), 10)
	dst = append(dst, ':')
	return append(append(dst, field...), ',')
}
