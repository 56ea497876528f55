package chunk

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/readout"
)

// Version is the version of the rules for what is indexed now.
const Version = 1

const (
	MaxTokens = 400     // of a chunk, by readout.Tokens
	MaxBytes  = 1 << 16 // of a text
	MaxChunks = 1 << 12 // no text has so many, so three digits of hexadecimal count them
)

var (
	// ErrVersion is wrapped by the refusal of a version of the rules that is not known.
	ErrVersion = errors.New("unknown version of chunks")
	// ErrTooLong is wrapped by the refusal of a text of more than MaxBytes.
	ErrTooLong = errors.New("text too long for chunks")
)

// Chunk is a part of a text.
type Chunk struct {
	From, To int // in bytes of the text
	Tokens   int // what the part costs a model by itself, as readout.Tokens estimates it
}

// Split returns the chunks of a text by a version of the rules, in order. A blank text has none.
// The error is ErrVersion or ErrTooLong.
func Split(version int, text string) ([]Chunk, error) {
	if version != Version {
		return nil, fmt.Errorf("%w: %d, known is %d", ErrVersion, version, Version)
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, len(text), MaxBytes)
	}
	var list []Chunk
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	for at := skipSpace(text, 0); at < len(text); {
		n, tokens := first(text[at:])
		list = append(list, Chunk{at, at + n, tokens})
		at = skipSpace(text, at+n)
	}
	return list, nil
}

// skipSpace returns the offset of the next character that is not white space.
func skipSpace(text string, at int) int {
	return len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
}

// first returns the length and the cost of the chunk at the start of text, which has no white space
// at both ends.
func first(text string) (n, tokens int) {
	const likely = 4 * MaxTokens // so many bytes often fit
	if len(text) <= likely {
		if tokens := readout.Tokens(text); tokens <= MaxTokens {
			return len(text), tokens
		}
	}
	for fits := withStop(text, prefix(text)); ; fits = n - 1 {
		n = lastEnd(text, fits)
		if tokens = readout.Tokens(text[:n]); tokens <= MaxTokens {
			return n, tokens
		}
		// It ends inside a piece, and that end is more tokens than the piece.
	}
}

// prefix returns how many bytes of a text fit, at least one character.
func prefix(text string) (n int) {
	for window := 4 << 10; window < len(text); window *= 2 {
		// The window cuts the last piece in it, so that an end near to it does not count.
		if n = readout.TokenPrefix(text[:window], MaxTokens); 0 < n && n <= window/2 {
			return n
		}
	}
	_, size := utf8.DecodeRuneInString(text)
	return max(size, readout.TokenPrefix(text, MaxTokens))
}
