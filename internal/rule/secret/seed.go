package secret

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// bip39 holds the English words of wallets, in order.
//
//go:embed bip39.txt
var bip39 string

// seedWords has them by their first letters; a start of the program pays nothing for it.
var seedWords struct {
	once sync.Once
	list [26][]string
}

// isSeedWord reports whether a word of small letters is one of them.
func isSeedWord(word string) bool {
	seedWords.once.Do(func() {
		for word := range strings.FieldsSeq(bip39) {
			of := &seedWords.list[word[0]-'a']
			*of = append(*of, word)
		}
	})
	_, found := slices.BinarySearch(seedWords.list[word[0]-'a'], word)
	return found
}

// seedLabel matches the labels of the words of a wallet.
var seedLabel = pattern{text: `(?i)seed(?:[^a-z ]| [|=]|.?phrase|.?words| is| of| for)|mnemonic|` +
	`phrase|wallet|助记词|metamask|ledger|trezor|phantom|bip-?39|words"? ?=`}

// leastWords is how many words a wallet has, and leastSeed how many bytes they mostly take.
const leastWords, leastSeed = 12, 60

// seedSigns are the signs that may stand between them: spaces, digits, and "'()`|[],-.:;
var seedSigns = byteSet{0xfff738500002600, 0x1000000128000000}

// seeds returns the words of wallets, about most of them: it looks every leastSeed bytes for a run
// of short words.
func seeds(text []byte, most int) (found []span) {
	for at := leastSeed; at < len(text) && len(found) < most; at += leastSeed {
		for n := 0; n < 9 && small(text[at]); n++ {
			at--
		}
		to, after := shortWords(text, at, 1)
		from, before := shortWords(text, at, -1)
		label := text[max(0, from-2*leastSeed):min(to, max(0, from)+leastSeed)]
		labelled := sync.OnceValue(func() bool { return seedLabel.match(label) })
		if before+after >= leastWords && isSeed(text[from+1:to], labelled) {
			found = append(found, span{credentialMarker, from + 1, to})
		}
		at = max(at, to)
	}
	return found
}

// shortWords returns how far from an offset, in steps of 1 or -1, there are only words of three to
// eight small letters with a few signs between them, and how many.
func shortWords(text []byte, at, step int) (end, words int) {
	const longest, gap = 8, 6
	n := 0
	for end = at; at >= 0 && at < len(text); at += step {
		switch c := text[at]; {
		case small(c) && n < longest:
			n++
		case small(c) || n == 1 || n == 2 || n == 0 && step*(at-end) > gap, !seedSigns.has(c):
			return end, words
		case n > 0:
			n, end, words = 0, at, words+1
		}
	}
	if n >= 3 {
		end, words = at, words+1
	}
	return end, words
}

// isSeed reports whether twelve words in a row of a run are in the list, with spaces between and
// not in its order; or most of them are, near a label. Those of tests repeat one.
func isSeed(run []byte, labelled func() bool) bool {
	words := strings.FieldsFunc(string(run), func(r rune) bool { return r < 'a' || r > 'z' })
	spaced, known, in := !bytes.ContainsAny(run, ",;|"), 0, make([]bool, len(words))
	for i, word := range words {
		if in[i] = isSeedWord(word); in[i] {
			known++
		}
		if i >= leastWords && in[i-leastWords] {
			known--
		}
		if known < leastWords*2/3 || i+1 < leastWords {
			continue
		}
		last := words[i+1-leastWords : i+1]
		if (known == leastWords && (spaced || labelled()) &&
			!slices.IsSorted(last) || spaced && labelled()) &&
			last[leastWords-2] != last[leastWords-3] {
			return true
		}
	}
	return false
}
