package ledger

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/readout"
)

// stop is what a text has last of the end of a sentence.
type stop int

const (
	noStop   stop = iota
	dotStop       // ends a sentence before white space: the dot of 1.5 does not
	wideStop      // ends one everywhere, in scripts that are written without spaces
)

// Signs at the end of a sentence, and what may stand between it and the next.
const (
	dots        = ".!?…"
	wideDots    = "。！？｡"
	closers     = "\"'”’»)]}"
	wideClosers = "”’」』）》】〉"
)

// next returns the stop after one more character.
func (s stop) next(r rune) stop {
	switch {
	case strings.ContainsRune(wideDots, r):
		return wideStop
	case s.closedBy(r):
		return s
	case strings.ContainsRune(dots, r):
		return dotStop
	}
	return noStop
}

// closedBy reports whether a character after a stop still belongs to its sentence.
func (s stop) closedBy(r rune) bool {
	return s == wideStop && strings.ContainsRune(wideClosers+wideDots, r) ||
		s == dotStop && strings.ContainsRune(closers+dots, r)
}

// withStop returns n or, if n bytes of a text end before the stop of a sentence and that fits, too,
// the length with it. Its sign and the next word are one piece.
func withStop(text string, n int) int {
	const most = 8 // characters, or a text of nothing but stops would be counted again and again
	end, s := n, noStop
	for range most {
		r, size := utf8.DecodeRuneInString(text[end:])
		if s = s.next(r); s != wideStop {
			break
		}
		end += size
	}
	if end > n && readout.Tokens(text[:end]) <= maxChunkTokens {
		return end
	}
	return n
}

type unit int

const (
	sentence unit = iota
	line
	paragraph
)

// lastEnd returns where the last of the largest units ends of which a whole one is in the first
// fits bytes of a text. If there is none, it is after the last character.
func lastEnd(text string, fits int) int {
	if fits >= len(text) {
		return len(text)
	}
	var ends [paragraph + 1]int
	last, stopped := 0, noStop
	for at := 0; at <= fits; {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			to := skipSpace(text, at)
			if u, ok := ended(text[at:to], stopped); ok {
				ends[u] = at
			}
			at, stopped = to, noStop
			continue
		}
		if stopped == wideStop && !stopped.closedBy(r) {
			ends[sentence] = at
		}
		stopped = stopped.next(r)
		if at += size; at <= fits {
			last = at
		}
	}
	for u := paragraph; u >= sentence; u-- {
		if ends[u] > 0 {
			return ends[u]
		}
	}
	return last
}

// ended returns the largest unit that ends with this white space after a stop.
func ended(space string, stopped stop) (u unit, ok bool) {
	lines := strings.Count(space, "\n")
	if lines == 0 {
		lines = strings.Count(space, "\r")
	}
	switch {
	case lines > 1:
		return paragraph, true
	case lines == 1:
		return line, true
	}
	return sentence, stopped != noStop
}
