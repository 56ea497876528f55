package readout

import _ "embed"

// vocab is the set of byte strings that are one token in cl100k_base and in o200k_base, as a word
// graph in a double array: words that begin or end alike share edges. It is read in place, straight
// from the binary's read-only pages, so a process that counts nothing pays nothing for it.
// vocab_test.go builds it from the two tokenizers, published under the MIT license with tiktoken,
// and checks it against them.
//
// It is an array of edges of four bytes, little-endian:
//
//	bits 0..7  the byte on the edge
//	bit  8     a token ends here
//	bits 9..   where the node it leads to has its edges; 0: it leads nowhere
//
// A node whose edges are at base has its edge for byte c, if any, at index base^c. No two nodes
// have the same base, so an edge with byte c found there is its own. The root's base is 0. An
// unused place is all zero, which reads as an edge to nowhere.
//
//go:embed vocab.bin
var vocab string

const (
	edgeSize  = 4
	edgeEnds  = 1 << 8
	edgeShift = 9
)

// IsCommon reports whether a word in lower case is common: one token, with the blank before it, in
// both vocabularies. Those are words of every day and of programming; a name that few texts have is
// of several tokens.
func IsCommon(word string) bool { return longest(" "+word) == len(word)+1 }

// longest returns the length of the longest known token at the start of s, which is not empty.
// Every single byte is a token.
func longest(s string) int {
	best, base := 1, uint32(0)
	for i := range len(s) {
		at := int(base^uint32(s[i])) * edgeSize
		if at+edgeSize > len(vocab) {
			break
		}
		e := vocab[at : at+edgeSize]
		if e[0] != s[i] {
			break
		}
		edge := uint32(e[0]) | uint32(e[1])<<8 | uint32(e[2])<<16 | uint32(e[3])<<24
		if edge&edgeEnds != 0 {
			best = i + 1
		}
		if base = edge >> edgeShift; base == 0 {
			break
		}
	}
	return best
}
