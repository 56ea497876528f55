package secret

import "bytes"

// closing reports whether c ends every value.
func closing(c byte) bool { return c == '"' || c == '\'' || c == '`' || c == ';' || space(c) }

func space(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

func alnum(c byte) bool { return '0' <= c && c <= '9' || letter(c) }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func small(c byte) bool { return 'a' <= c && c <= 'z' }

func isSmall(r rune) bool { return r >= 'a' }

func isCapital(r rune) bool { return 'A' <= r && r <= 'Z' }

func letterOrDigit(r rune) bool { return r >= 0x80 || alnum(byte(r)) }

func noCode(r rune) bool { return r >= 0x80 || !alnum(byte(r)) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// startsWith reports whether text starts with a lower-case word, in any case.
func startsWith(text []byte, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if lower(text[i]) != word[i] {
			return false
		}
	}
	return true
}

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

func hasLetter(b []byte) bool {
	return bytes.ContainsFunc(b, func(r rune) bool { return r < 0x80 && letter(byte(r)) })
}

const hexDigits = "0123456789abcdefABCDEF"
