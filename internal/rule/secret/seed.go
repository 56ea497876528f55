package secret

import (
	"bytes"
	_ "embed"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// bip39 holds the English words of wallets, in order.
//
//go:embed bip39.txt
var bip39 string

// seedWords has them by their first letters, and a bit for each of their beginnings; a start of the
// program pays nothing for it.
var seedWords struct {
	once  sync.Once
	list  [26][]string
	begin [1 << seedBits / 64]uint64
}

const seedBits = 15

// isSeedWord reports whether a word of small letters is one of them.
func isSeedWord(word []byte) bool {
	seedWords.once.Do(func() {
		for word := range strings.FieldsSeq(bip39) {
			of := &seedWords.list[word[0]-'a']
			*of = append(*of, word)
			at := seedBit([]byte(word))
			seedWords.begin[at/64] |= 1 << (at % 64)
		}
	})
	if len(word) < 3 {
		return false
	}
	if at := seedBit(word); seedWords.begin[at/64]>>(at%64)&1 == 0 {
		return false // as for nearly all words
	}
	_, found := slices.BinarySearch(seedWords.list[word[0]-'a'], string(word))
	return found
}

// seedBit returns the number of the bit of a word: a hash of its first four letters, in which the
// words of wallets differ.
func seedBit(word []byte) uint32 {
	h := uint32(word[0]) | uint32(word[1])<<8 | uint32(word[2])<<16
	if len(word) > 3 {
		h |= uint32(word[3]) << 24
	}
	return h * 0x9e3779b1 >> (32 - seedBits)
}

// seedLabel matches the labels of the words of a wallet.
var seedLabel = pattern{text: `(?i)seed(?:[^a-z ]| [|=]|.?phrase|.?words| is| of| for)|mnemonic|` +
	`phrase|wallet|助记词|metamask|ledger|trezor|phantom|bip-?39|words"? ?=`}

// leastWords is how many words a wallet has, and leastSeed how many bytes they mostly take.
const leastWords, leastSeed = 12, 60

// leastKnown is how many of the words of a wallet are in the list, at least.
const leastKnown = leastWords * 2 / 3

// seedSigns are the signs that may stand between them: spaces, digits, and "'()`|[],-.:;=
var seedSigns = byteSet{0x2fff738500002600, 0x1000000128000000}

// seeds returns the words of wallets, about most of them: it looks every leastSeed bytes for a run
// of short words.
func seeds(text []byte, most int) (found []span) {
	for at := leastSeed; at < len(text) && len(found) < most; at += leastSeed {
		for n := 0; n < 9 && small(text[at]); n++ {
			at--
		}
		to, after := shortWords(text, at, 1)
		from, before := shortWords(text, at, -1)
		if run := (part{from + 1, to}); before+after >= leastWords && mayHavePhrase(text, run) {
			words := seedWordsIn(text, run)
			for len(words) > 0 {
				var these []seedWord
				these, words = together(words)
				found = append(found, phrases(text, these)...)
			}
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

// mayHavePhrase reports whether enough of twelve words in a row are in the list, as phrases asks:
// of most texts nothing more is to be known.
func mayHavePhrase(text []byte, run part) bool {
	var last uint16 // a bit for each word, the newest in front
	for at := run.from; at < run.to; at++ {
		from := at
		for at < run.to && small(text[at]) {
			at++
		}
		if from == at {
			continue
		}
		if last = last << 1 & (1<<leastWords - 1); isSeedWord(text[from:at]) {
			last |= 1
		}
		if bits.OnesCount16(last) >= leastKnown {
			return true
		}
	}
	return false
}

// seedWord is a word of a run, and how it stands to the word before it.
type seedWord struct {
	text   []byte
	at     part
	known  bool // it is in the list of wallets' words
	joined bool // both are in one string, or in one list of strings
	mark   byte // a quote where both are strings of their own, a full stop behind a word, or 0
	listed bool // more than space is between them
}

func seedWordsIn(text []byte, run part) (words []seedWord) {
	for at, last := run.from, run.from; at < run.to; last = at {
		for at < run.to && !small(text[at]) {
			at++
		}
		w := seedWord{at: part{at, at}}
		for w.at.to < run.to && small(text[w.at.to]) {
			w.at.to++
		}
		if w.at.from == w.at.to {
			break
		}
		w.text = text[w.at.from:w.at.to]
		w.known = isSeedWord(w.text)
		w.join(text[last:w.at.from])
		words, at = append(words, w), w.at.to
	}
	return words
}

// join notes what the signs before a word say. A colon, or =, parts a name from its value; quotes
// part strings of JSON, unless each word has its own.
func (w *seedWord) join(signs []byte) {
	w.joined = !behindWord(signs, ':') && !behindWord(signs, '=')
	w.listed = bytes.ContainsAny(signs, ",;|")
	if behindWord(signs, '.') {
		w.mark = '.'
	}
	if bytes.IndexByte(signs, '"') >= 0 {
		w.mark = '"'
		between := string(bytes.Join(bytes.Fields(signs), nil))
		w.joined = w.joined && (between == `","` || between == `""`)
	}
}

// behindWord reports whether one of these signs is c, and does not belong to a number.
func behindWord(signs []byte, c byte) bool {
	i := bytes.IndexByte(signs, c)
	return i == 0 || i > 0 && !hasDigit(signs[i-1:i])
}

// together returns the words up to the end of their string, their sentence or their list, and the
// others, with a word that belongs to both.
func together(words []seedWord) (first, rest []seedWord) {
	n := 1
	for n < len(words) && words[n].joined && (n == 1 || words[n].mark == words[1].mark) {
		n++
	}
	if n < len(words) && words[n].joined {
		return words[:n], words[n-1:]
	}
	return words[:n], words[n:]
}

// phrases returns where twelve words in a row of a string are in the list, with spaces between and
// not in its order; or most of them are, near a label. Those of tests repeat one.
func phrases(text []byte, words []seedWord) (found []span) {
	if len(words) < leastWords {
		return nil
	}
	label := text[max(0, words[0].at.from-2*leastSeed):min(words[len(words)-1].at.to,
		words[0].at.from+leastSeed)]
	labelled := sync.OnceValue(func() bool { return seedLabel.match(label) })
	isListed := func(w seedWord) bool { return w.listed }
	spaced, known := !slices.ContainsFunc(words[1:], isListed), 0
	for i, w := range words {
		if w.known {
			known++
		}
		if i >= leastWords && words[i-leastWords].known {
			known--
		}
		if known < leastKnown || i+1 < leastWords {
			continue
		}
		last := words[i+1-leastWords : i+1]
		if (known == leastWords && (!slices.ContainsFunc(last[1:], isListed) || labelled()) &&
			!slices.IsSortedFunc(last, byText) || spaced && labelled()) &&
			byText(last[leastWords-2], last[leastWords-3]) != 0 {
			found = appendPhrase(found, last)
		}
	}
	return found
}

func byText(a, b seedWord) int { return bytes.Compare(a.text, b.text) }

// appendPhrase appends the range of these words, from the first to the last that is known, to
// ranges before it.
func appendPhrase(found []span, words []seedWord) []span {
	isKnown := func(w seedWord) bool { return w.known }
	first := words[slices.IndexFunc(words, isKnown)].at.from
	for !words[len(words)-1].known {
		words = words[:len(words)-1]
	}
	to := words[len(words)-1].at.to
	if last := len(found) - 1; last >= 0 && first <= found[last].to {
		found[last].to = max(to, found[last].to)
		return found
	}
	return append(found, span{credentialMarker, first, to})
}
