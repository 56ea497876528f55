package secret

import "sync"

// hit is a keyword in the text.
type hit struct{ word, pos int }

// mostOwn is how many words of the own rules there may be. They follow those of the table.
const mostOwn = 320

// wordOf returns the keyword with this number.
func wordOf(n int) string {
	if n < len(keywords) {
		return keywords[n].word
	}
	w := &ownWords[n-len(keywords)]
	return credentialWords[w.from:w.to]
}

// own returns the word of an own rule, and its kind.
func (h hit) own() (word, kind string) {
	at := ownWords[h.word-len(keywords)].kind
	return wordOf(h.word), credentialWords[at : at+1]
}

// The index of the keywords by their first two bytes: heads has 1 + the first keyword of a bucket,
// next 1 + the one after a keyword. It is built at the first use, which takes a few microseconds;
// at start it would cost commands that write nothing.
var (
	indexed sync.Once
	heads   [1 << 11]uint16
	next    [len(keywords) + mostOwn]struct {
		word  uint16
		third byte // of the keyword, 0 if it has two bytes
	}
	ownWords [mostOwn]struct{ from, to, kind uint16 } // in credentialWords
)

func buildIndex() {
	n, from, kind := 0, 0, 0
	for to := range len(credentialWords) {
		if credentialWords[to] != ',' {
			continue
		}
		if w := &ownWords[n]; to == from+1 {
			kind = from
		} else {
			w.from, w.to, w.kind = uint16(from), uint16(to), uint16(kind)
			n++
		}
		from = to + 1
	}
	for i := len(keywords) + n - 1; i >= 0; i-- {
		word := wordOf(i)
		h := bucket(word[0], word[1])
		next[i].word, heads[h] = heads[h], uint16(i+1)
		if len(word) > 2 {
			next[i].third = word[2]
		}
	}
}

// bucket returns a hash of two bytes that is the same for a letter and its capital.
func bucket(a, b byte) int { return int(a&31)<<6 ^ int(b|0x20)&63 }

// hits appends every occurrence of every keyword, found in one pass, in any case of letters: to
// table those of the table, to own those of the own rules.
func hits(table, own []hit, text []byte) ([]hit, []hit) {
	indexed.Do(buildIndex)
	for i := 0; i+1 < len(text); i++ {
		for k := heads[bucket(text[i], text[i+1])]; k > 0; k = next[k-1].word {
			n := int(k - 1)
			switch third := next[n].third; {
			case third != 0 && (i+2 == len(text) || lower(text[i+2]) != third):
			case !startsWith(text[i:], wordOf(n)):
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
