package secret

import (
	"strings"
	"sync"
)

type hit struct{ number, pos int }

// word returns the keyword, in lower case.
func (h hit) word() string { return wordOf(h.number) }

func wordOf(n int) string {
	switch {
	case n < ofTable:
		return keywordsTSV[words[n].from:words[n].to]
	case n >= ofOwn:
		return tokenForms[n-ofOwn].word
	}
	return credentialWords[words[n].from:words[n].to]
}

func (h hit) kind() string {
	at := words[h.number].kind
	return credentialWords[at : at+1]
}

// rules yields the rules that a word of the table opens.
func (h hit) rules(yield func(n int) bool) {
	n := 0
	for at := words[h.number].to + 1; keywordsTSV[at-1] != '\n'; at++ {
		if c := keywordsTSV[at]; c >= '0' {
			n = 10*n + int(c-'0')
		} else if !yield(n) {
			return
		} else {
			n = 0
		}
	}
}

// opens reports whether a word of the table opens this rule.
func (h hit) opens(rule int) bool {
	for n := range h.rules {
		if n == rule {
			return true
		}
	}
	return false
}

// The index of the keywords by their first two bytes: heads has 1 + the first keyword of a bucket,
// next 1 + the one after a keyword. It is built at the first use. The first words are offsets in
// keywordsTSV, the others in credentialWords, with the offset of their kind.
var (
	indexed sync.Once
	heads   [1 << 11]uint16
	words   [640]struct{ from, to, kind uint16 }
	ofTable int // how many words are of the table
	ofOwn   int // of the table and of the own rules; the rest are those of tokenForms
	next    [len(words)]struct {
		word  uint16
		third byte // of the keyword, 0 if it has two bytes
	}
)

func buildIndex() {
	n, from, kind := 0, 0, 0
	for from < len(keywordsTSV) {
		line := keywordsTSV[from:]
		line = line[:strings.IndexByte(line, '\n')]
		words[n].from, words[n].to = uint16(from), uint16(from+strings.IndexByte(line, '\t'))
		from += len(line) + 1
		n++
	}
	ofTable, from = n, 0
	for to := range len(credentialWords) {
		if credentialWords[to] != ',' {
			continue
		}
		if w := &words[n]; to == from+1 {
			kind = from
		} else {
			w.from, w.to, w.kind = uint16(from), uint16(to), uint16(kind)
			n++
		}
		from = to + 1
	}
	ofOwn = n
	for i := n + len(tokenForms) - 1; i >= 0; i-- {
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

// hits are the places of keywords: those of the table, of the own rules and of tokenForms.
type hits struct{ table, own, form []hit }

// find appends every occurrence of every keyword, found in one pass, in any case of letters.
func (h hits) find(text []byte) hits {
	indexed.Do(buildIndex)
	for i := 0; i+1 < len(text); i++ {
		k := heads[bucket(text[i], text[i+1])]
		if k == 0 {
			continue
		}
		after := lower(text[min(i+2, len(text)-1)])
		for ; k > 0; k = next[k-1].word {
			n := int(k - 1)
			switch third := next[n].third; {
			case third != 0 && third != after, !startsWith(text[i:], wordOf(n)):
			case n < ofTable:
				h.table = append(h.table, hit{n, i})
			case n < ofOwn:
				h.own = append(h.own, hit{n, i})
			default:
				h.form = append(h.form, hit{n, i})
			}
		}
	}
	return h
}
