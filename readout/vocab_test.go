package readout

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

var update = flag.Bool("update", false, "write vocab.bin and the golden files anew")

// TestVocabulary checks that vocab.bin is byte for byte what is built from the two tokenizers.
func TestVocabulary(t *testing.T) {
	words := sharedTokens(t)
	want := buildGraph(words)
	if *update {
		if err := os.WriteFile("vocab.bin", want, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("vocab.bin: %d tokens, %d bytes", len(words), len(want))
		return
	}
	if !bytes.Equal([]byte(vocab), want) {
		t.Fatal("vocab.bin is not what the tokenizers say; run go test -run TestVocabulary -update")
	}
	for _, w := range words {
		if got := longest(w.text); got != len(w.text) {
			t.Fatalf("longest(%q) = %d", w.text, got)
		}
	}
}

// TestLongestStopsAtUnknownBytes tries bytes that begin no token, and texts that end inside one.
func TestLongestStopsAtUnknownBytes(t *testing.T) {
	for text, want := range map[string]int{
		"\xff\xfe": 1, "\x00\x00": 1, " ": 1, " the": 4, " thezz": 4, "日本": 3, "  \tx": 3,
		"zqxj": 1, "'t": 2,
	} {
		if got := longest(text); got != want {
			t.Errorf("longest(%q) = %d, want %d", text, got, want)
		}
	}
}

type word struct {
	text string
	rank int
}

// realTokenizers returns cl100k_base and o200k_base. They are a measure for the tests only: 12 MB,
// and slow to load.
var realTokenizers = sync.OnceValue(func() (both [2]tokenizer.Codec) {
	for i, e := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		codec, err := tokenizer.Get(e)
		if err != nil {
			panic(err)
		}
		both[i] = codec
	}
	return both
})

func sharedTokens(t *testing.T) (words []word) {
	t.Helper()
	cl100k, o200k := tokensOf(realTokenizers()[0], 100_256), tokensOf(realTokenizers()[1], 199_998)
	for text, rank := range cl100k {
		if _, shared := o200k[text]; shared && len(text) > 1 {
			words = append(words, word{text, rank})
		}
	}
	slices.SortFunc(words, func(a, b word) int { return cmp.Compare(a.text, b.text) })
	return words
}

func tokensOf(codec tokenizer.Codec, n uint) map[string]int {
	tokens := make(map[string]int, n)
	for id := range n {
		if text, err := codec.Decode([]uint{id}); err == nil {
			tokens[text] = int(id)
		}
	}
	return tokens
}

// node is a state of the word graph while it is built: first a trie, then with equal states merged.
type node struct {
	ends bool // a token ends on the way in
	rank int  // that of the most common token through here
	kids []kid
	id   uint32 // of the merged state
	base uint32 // where its edges are
}

type kid struct {
	label byte
	node  *node
}

// buildGraph returns the bytes of vocab.bin, made from sorted words.
func buildGraph(words []word) []byte {
	root := &node{}
	for c := range 256 {
		root.kids = append(root.kids, kid{byte(c), &node{ends: true}})
	}
	for _, w := range words {
		root.insert(w)
	}
	states := map[string]*node{}
	for i, k := range root.kids {
		root.kids[i].node = k.node.merge(states)
	}
	return encodeGraph(root, slices.Collect(maps.Values(states)))
}

func (n *node) insert(w word) {
	n = n.kids[w.text[0]].node
	n.rank = min(n.rank, w.rank)
	for _, c := range []byte(w.text[1:]) {
		if l := len(n.kids); l == 0 || n.kids[l-1].label != c {
			n.kids = append(n.kids, kid{c, &node{rank: w.rank}})
		}
		n = n.kids[len(n.kids)-1].node
		n.rank = min(n.rank, w.rank)
	}
	n.ends = true
}

// merge returns the one state that stands for all that accept the same rest as n.
func (n *node) merge(states map[string]*node) *node {
	signature := []byte{0}
	if n.ends {
		signature[0] = 1
	}
	for i, k := range n.kids {
		n.kids[i].node = k.node.merge(states)
		signature = binary.LittleEndian.AppendUint32(append(signature, k.label), n.kids[i].node.id)
	}
	if same, ok := states[string(signature)]; ok {
		same.rank = min(same.rank, n.rank)
		return same
	}
	n.id = uint32(len(states))
	states[string(signature)] = n
	return n
}

// encodeGraph returns every state the first base at which its edges fit between those already
// placed; the most common states first, so that what is read most lies close together.
func encodeGraph(root *node, states []*node) []byte {
	slices.SortFunc(states, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
	})
	var p placer
	p.put(root, 0)
	for _, n := range states {
		if len(n.kids) > 0 {
			p.place(n)
		}
	}
	out := make([]byte, edgeSize*len(p.edges))
	for at, k := range p.edges {
		if k.node != nil {
			binary.LittleEndian.PutUint32(out[edgeSize*at:], k.encode())
		}
	}
	return out
}

// placer fills the double array.
type placer struct {
	edges []kid
	bases []bool // in use
	free  int    // no place below is free
}

func (p *placer) place(n *node) {
	for p.free < len(p.edges) && p.edges[p.free].node != nil {
		p.free++
	}
	for at := p.free; ; at++ {
		if base := uint32(at) ^ uint32(n.kids[0].label); p.fits(n, base) {
			p.put(n, base)
			return
		}
	}
}

func (p *placer) fits(n *node, base uint32) bool {
	if base == 0 || int(base) < len(p.bases) && p.bases[base] {
		return false
	}
	return !slices.ContainsFunc(n.kids, func(k kid) bool {
		at := int(base ^ uint32(k.label))
		return at < len(p.edges) && p.edges[at].node != nil
	})
}

func (p *placer) put(n *node, base uint32) {
	for len(p.edges) <= int(base|255) {
		p.edges, p.bases = append(p.edges, kid{}), append(p.bases, false)
	}
	n.base, p.bases[base] = base, true
	for _, k := range n.kids {
		p.edges[base^uint32(k.label)] = k
	}
}

func (k kid) encode() uint32 {
	e := uint32(k.label) | k.node.base<<edgeShift
	if k.node.ends {
		e |= edgeEnds
	}
	return e
}
