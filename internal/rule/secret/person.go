package secret

import (
	"bytes"
	"math/bits"
)

// codeClaim returns the digits of a PIN or of several codes: four or more, with signs between.
func codeClaim(text []byte, end int) claim {
	const digits, most = "0123456789-#*", 6
	w := newClause(text, end)
	for n := 0; n < most && w.next() && !w.line; n++ {
		v := text[w.from:skip(text, w.from, digits, longest)]
		if len(v) >= 4 && w.at-w.from <= len(v)+1 && text[w.from] >= '0' &&
			(w.linked || n == 0 && v[0] != '1' && v[0] != '2') {
			all := text[w.from:skip(text, w.from, digits+", ", longest)]
			return claim{kindCode, sentence, w.from, w.from + len(bytes.TrimRight(all, ", ")), nil}
		}
		if w.ends() {
			break
		}
	}
	return claim{}
}

// cardClaim returns the number of a payment card near an offset: 13 to 19 digits, in groups or not,
// of which the last is a check digit. The numbers for tests have few different ones, or are of an
// issuer that is none.
func cardClaim(text []byte, at int) claim {
	const near, fewest, most, few, nobody = 96, 13, 19, 5, 400000
	for i := max(0, at-near); i < min(at+near, len(text)); i++ {
		n, from, sum, other := 0, i, 0, 0 // other is the sum if one more digit follows
		issuer := 0
		var seen uint
		for ; i < len(text) && n < most; i++ {
			d := text[i] - '0'
			if n > 0 && (text[i] == ' ' || text[i] == '-') {
				continue
			} else if d > 9 {
				break
			}
			if n, seen = n+1, seen|1<<d; n <= 6 {
				issuer = 10*issuer + int(d)
			}
			sum, other = other+int(d), sum+int(2*d/10+2*d%10)
			if n >= fewest && sum%10 == 0 && bits.OnesCount(seen) > few && issuer != nobody &&
				'2' <= text[from] && text[from] <= '6' && (from == 0 || !alnum(text[from-1])) &&
				(i+1 == len(text) || !alnum(text[i+1])) {
				return claim{kindCard, sentence, from, i + 1, nil}
			}
		}
	}
	return claim{}
}

// groupsClaim returns a code in groups of as many letters and digits, or a list of such codes: four
// groups or more, with letters and digits in two of them, or with six of digits in a row.
func groupsClaim(text []byte, end int) (c claim) {
	const most, late = 64, 8
	w := newClause(text, end)
	n, mixed, length := 0, 0, 0
	for i := 0; i < most; i++ {
		if w.last = len(text); !w.next() {
			break
		}
		word := bytes.TrimRight(w.word(), ".;")
		size, groups, both := grouped(word)
		if size == 0 || size != length {
			if n >= 4 || size == 0 && i > late {
				break
			}
			n, mixed, length, c.from = 0, 0, size, w.from
		}
		n, mixed, c.to = n+groups, mixed+both, w.from+len(word)
	}
	if n >= 4 && mixed >= 2 {
		c.kind, c.form = kindGroups, sentence
	}
	return c
}

// grouped returns the length that all groups of a word have, how many they are, and how many of
// them have letters and digits; of digits alone all do if they are six or more.
func grouped(word []byte) (size, n, both int) {
	for group := range bytes.SplitSeq(word, []byte("-")) {
		if n++; n == 1 {
			size = len(group)
		}
		if len(group) != size || size < 4 || size > 8 || bytes.ContainsFunc(group, noCode) {
			return 0, 0, 0
		}
		if hasDigit(group) && hasLetter(group) {
			both++
		}
	}
	if n == 1 && size > 5 {
		return 0, 0, 0
	}
	if n >= 6 && !hasLetter(word) {
		both = n
	}
	return size, n, both
}

// pgpassClaim returns the password of a line of .pgpass, of which end is behind the port.
func pgpassClaim(text []byte, from, end int) claim {
	c := valueAt(text, end, kindPassword)
	for range 2 {
		i := bytes.IndexByte(text[c.from:c.to], ':')
		if i < 1 || bytes.IndexByte(text[c.from:c.from+i], '/') >= 0 || from == 0 {
			return claim{}
		}
		c.from += i + 1
	}
	c.form = flag
	return c
}
