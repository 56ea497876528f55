package fts

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// eachShingle calls fn with the hash of every two neighboring words of a text, until it returns
// false. Words are the runs of letters and digits, in lower case; Chinese and Japanese by
// character. Of a JSON text it reads those of its strings, names of members among them, without
// decoding any.
func eachShingle(text []byte, isJSON bool, fn func(pair uint64) bool) {
	var last, word uint64
	for i := 0; i <= len(text); {
		for i < len(text) && isPlain(text[i]) {
			word = mix(word, rune(text[i]|' '))
			i++
		}
		letter, size, alone := letterAt(text[i:], isJSON)
		i += size
		if letter != 0 && !alone {
			word = mix(word, letter)
			continue
		}
		for _, whole := range [...]uint64{word, uint64(letter)} {
			if whole == 0 {
				continue
			}
			if last != 0 && !fn(pairOf(last, whole)) {
				return
			}
			last = whole
		}
		word = 0
	}
}

// isPlain reports whether a byte is a letter or digit of ASCII.
func isPlain(c byte) bool { return c|' '-'a' < 26 || c-'0' < 10 }

// letterAt returns the letter with which a text begins, none of ASCII, in lower case, its length in
// bytes, and whether it is a word alone; 0 for what parts words.
func letterAt(text []byte, isJSON bool) (letter rune, size int, alone bool) {
	switch {
	case len(text) > 0 && text[0] >= utf8.RuneSelf:
		letter, size = utf8.DecodeRune(text)
		letter, alone = foldLetter(letter)
		return letter, size, alone
	case len(text) > 0 && text[0] == '\\' && isJSON:
		return 0, escapeLen(text), false
	}
	return 0, 1, false
}

// escapeLen returns the length of what a backslash in JSON escapes: no letter that anybody sees is
// written so.
func escapeLen(text []byte) int {
	if len(text) > 1 && text[1] == 'u' {
		return len(`\u0000`)
	}
	return 2
}

// foldLetter is [letterAt] of a character beyond ASCII.
func foldLetter(c rune) (letter rune, alone bool) {
	const wide, first, last = '！' - '!', '！', '～' // ASCII, as wide as a Chinese character
	switch {
	case 0x4e00 <= c && c <= 0x9fff:
		return c, true
	case first <= c && c <= last:
		c -= wide
	case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return c, true
	}
	if unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) {
		return unicode.ToLower(c), false
	}
	return 0, false
}

// mix returns the hash of a word with one more letter. Those of words of up to nine plain letters
// are all different.
func mix(word uint64, letter rune) uint64 { return bits.RotateLeft64(word, 7) ^ uint64(letter) }

// pairOf returns the hash of two words, in their order.
func pairOf(first, second uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15
	pair := (first*odd ^ second) * odd
	return pair ^ pair>>32
}
