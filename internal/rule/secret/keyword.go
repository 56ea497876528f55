package secret

import "sync"

// hit is a keyword in the text.
type hit struct{ word, pos int }

// words is how many keywords there are: those of the table, then those of the own rules.
const words = len(keywords) + len(credentialWords)

// wordOf returns the keyword with this number.
func wordOf(n int) *keyword {
	if n < len(keywords) {
		return &keywords[n]
	}
	return &credentialWords[n-len(keywords)]
}

// The index of the keywords by their first two bytes: heads has 1 + the first keyword of a bucket,
// next 1 + the one after a keyword. It is built at the first use, which takes about a microsecond;
// at start it would cost commands that write nothing.
var (
	indexed sync.Once
	heads   [1 << 11]uint16
	next    [words]uint16
)

func buildIndex() {
	for i := words - 1; i >= 0; i-- {
		word := wordOf(i).word
		h := bucket(word[0], word[1])
		next[i], heads[h] = heads[h], uint16(i+1)
	}
}

// bucket returns a hash of two bytes that is the same for a letter and its capital.
func bucket(a, b byte) int { return int(a&31)<<6 ^ int(b|0x20)&63 }

// hits appends every occurrence of every keyword, found in one pass, in any case of letters: to
// table those of the table, to own those of the own rules.
func hits(table, own []hit, text []byte) ([]hit, []hit) {
	indexed.Do(buildIndex)
	for i := 0; i+1 < len(text); i++ {
		for k := heads[bucket(text[i], text[i+1])]; k > 0; k = next[k-1] {
			n := int(k - 1)
			switch {
			case !startsWith(text[i:], wordOf(n).word):
			case n < len(keywords):
				table = append(table, hit{n, i})
			default:
				own = append(own, hit{n, i})
			}
		}
	}
	return table, own
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

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
