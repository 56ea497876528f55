package readout

import "unicode/utf8"

// TokenPrefix returns the length of the longest prefix of s that by itself costs at most limit
// [Tokens] and ends between two pieces, such as words. Only a piece that alone costs more is cut,
// between two characters; of such a one the prefix has as many as fit, or none.
func TokenPrefix(s string, limit int) (n int) {
	var m meter
	units := 0
	for n < len(s) {
		word := s[n : n+piece(s[n:])]
		fits, with := m.fit(word, units, limit)
		if fits < len(word) {
			if alone, _ := new(meter).fit(word, 0, limit); alone < len(word) {
				return cutPiece(s, n, fits, limit)
			}
			return n
		}
		units = with
		n += len(word)
	}
	return n
}

// fit returns the length of the parts of a piece that cost no more than limit with units before
// them, and the cost of all. It ends where the limit does.
func (m *meter) fit(piece string, units, limit int) (n, with int) {
	for n < len(piece) {
		part := longest(piece[n:])
		cost := m.cost(piece[n:n+part], len(piece))
		if rounded(units+cost) > limit {
			break
		}
		units += cost
		n += part
	}
	return n, units
}

// cutPiece returns where a prefix of s may end that is to have so many bytes of the piece at an
// offset: not inside a character. A shorter end of a piece may be more tokens, so it is counted.
func cutPiece(s string, at, n, limit int) int {
	end := at + n
	for end > at && (insideRune(s, end) || Tokens(s[:end]) > limit) {
		end--
	}
	return end
}

// insideRune reports whether a character of s begins before an offset and ends after it.
func insideRune(s string, at int) bool {
	for n := 1; n < utf8.UTFMax && n <= at; n++ {
		if utf8.RuneStart(s[at-n]) {
			_, size := utf8.DecodeRuneInString(s[at-n:])
			return size > n
		}
	}
	return false
}
