package ledger

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/readout"
)

// chunkerVersion is the version of the rules for new records.
const chunkerVersion = 1

const (
	maxChunkTokens = 400     // of a chunk, by readout.Tokens
	maxChunks      = 1 << 12 // no text has so many, so three digits of hexadecimal count them
)

var (
	// errChunkerVersion is wrapped by the refusal of a version of the rules that is not known.
	errChunkerVersion = errors.New("unknown version of chunks")
	// errTooLong is wrapped by the refusal of a text of more than MaxText bytes.
	errTooLong = errors.New("text too long for chunks")
)

// cut is a part of a text.
type cut struct {
	From, To int // in bytes of the text
	Tokens   int // what the part costs a model by itself, as readout.Tokens estimates it
}

// cutText returns the chunks of a text by a version of the rules, in order. A blank text has none.
// The error is errChunkerVersion or errTooLong.
func cutText(version int, text string) ([]cut, error) {
	if version != chunkerVersion {
		return nil, fmt.Errorf("%w: %d, known is %d", errChunkerVersion, version, chunkerVersion)
	}
	if len(text) > MaxText {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", errTooLong, len(text), MaxText)
	}
	var list []cut
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	for at := skipSpace(text, 0); at < len(text); {
		n, tokens := firstCut(text[at:])
		list = append(list, cut{at, at + n, tokens})
		at = skipSpace(text, at+n)
	}
	return list, nil
}

// skipSpace returns the offset of the next character that is not white space.
func skipSpace(text string, at int) int {
	return len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
}

// firstCut returns the length and the cost of the chunk at the start of text, which has no white
// space at both ends.
func firstCut(text string) (n, tokens int) {
	const likely = 4 * maxChunkTokens // so many bytes often fit
	if len(text) <= likely {
		if tokens := readout.Tokens(text); tokens <= maxChunkTokens {
			return len(text), tokens
		}
	}
	for fits := withStop(text, fittingPrefix(text)); ; fits = n - 1 {
		n = lastEnd(text, fits)
		if tokens = readout.Tokens(text[:n]); tokens <= maxChunkTokens {
			return n, tokens
		}
		// It ends inside a piece, and that end is more tokens than the piece.
	}
}

// fittingPrefix returns how many bytes of a text fit, at least one character.
func fittingPrefix(text string) (n int) {
	for window := 4 << 10; window < len(text); window *= 2 {
		// The window cuts the last piece in it, so that an end near to it does not count.
		if n = readout.TokenPrefix(text[:window], maxChunkTokens); 0 < n && n <= window/2 {
			return n
		}
	}
	_, size := utf8.DecodeRuneInString(text)
	return max(size, readout.TokenPrefix(text, maxChunkTokens))
}
