package secret

import (
	"bytes"
	_ "embed"
	"slices"
)

// bip39 holds the English words of wallets.
//
//go:embed bip39.txt
var bip39 wordList

// seedLabel is what is said of the words of a wallet.
var seedLabel = compiled(`(?i)seed|mnemonic|phrase|wallet|助记词|metamask|ledger|trezor|phantom|` +
	`bip-?39|words`)

// leastWords is how many words a wallet has, and leastSeed how many bytes they mostly
// take.
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
		if from, before := shortWords(text, at, -1); before+after >= leastWords {
			found = append(found, seedIn(text, from+1, to)...)
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
		case small(c) || n == 1 || n == 2 || n == 0 && step*(at-end) > gap,
			!seedSigns.has(c):
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

// seedIn returns the words of a wallet in a range of short words: twelve or more in a row, all of
// the list, with spaces between and not in its order; or most of them near a label. Those of tests
// repeat one.
func seedIn(text []byte, from, to int) (found []span) {
	label := seedLabel().Match(text[max(0, from-2*leastSeed):min(to, from+leastSeed)])
	var words []part
	known := 0
	for end := from; from < to; from = end + 1 {
		for end = from; end < to && small(text[end]); end++ {
		}
		in := bip39.has(text[from:end])
		switch {
		case end == from:
			continue
		case !in && !label:
			words, known = nil, 0
			continue
		case in:
			known++
		}
		words = append(words, part{from, end})
		first, last := words[0], len(found)-1
		switch n := len(words); {
		case last >= 0 && found[last].from == first.from:
			found[last].to = end
		case n >= leastWords && 4*known >= 3*n && drawnWords(text, words[n-leastWords:], label):
			found = append(found, span{credentialMarker, first.from, end})
		}
	}
	return found
}

// drawnWords reports whether the last of some words differ, and, without a label, whether they are
// in no order, with spaces and numbers between.
func drawnWords(text []byte, words []part, label bool) bool {
	byWord := func(a, b part) int { return bytes.Compare(text[a.from:a.to], text[b.from:b.to]) }
	n := len(words)
	all := text[words[0].from:words[n-1].to]
	return byWord(words[n-3], words[n-2]) != 0 &&
		(label || !bytes.ContainsAny(all, ",;:|") && !slices.IsSortedFunc(words, byWord))
}

func small(c byte) bool { return 'a' <= c && c <= 'z' }
