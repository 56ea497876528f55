package fts

import (
	"hash/maphash"
	"strings"
)

// wordTable numbers words. Most words of a tail come to it once or twice and are never looked for,
// so that a new one must cost little: no allocation, and no more than a slot.
type wordTable struct {
	seed  maphash.Seed
	slots []wordSlot // a power of two of them, at most half of them taken
	taken int
	texts strings.Builder // room for the texts of the words
}

// wordSlot is one word; none where the text is empty.
type wordSlot struct {
	text string
	hash uint32
	id   token
}

const (
	firstSlots = 1 << 9
	textsSize  = 1 << 14
)

func newWordTable() wordTable {
	return wordTable{seed: maphash.MakeSeed(), slots: make([]wordSlot, firstSlots)}
}

// find returns the slot of a word, or the empty one where it is to be put.
func (t *wordTable) find(text string) (slot *wordSlot, hash uint32) {
	hash = uint32(maphash.String(t.seed, text))
	for i := hash; ; i++ {
		slot = &t.slots[int(i)&(len(t.slots)-1)]
		if slot.text == "" || slot.hash == hash && slot.text == text {
			return slot, hash
		}
	}
}

// put takes a word in that find did not find; its text is copied.
func (t *wordTable) put(slot *wordSlot, text string, hash uint32, id token) (kept string) {
	*slot = wordSlot{t.keep(text), hash, id}
	kept = slot.text
	if t.taken++; 2*t.taken > len(t.slots) {
		t.grow()
	}
	return kept
}

func (t *wordTable) keep(text string) string {
	if t.texts.Cap()-t.texts.Len() < len(text) {
		t.texts = strings.Builder{}
		t.texts.Grow(max(textsSize, len(text)))
	}
	from := t.texts.Len()
	t.texts.WriteString(text)
	return t.texts.String()[from:]
}

func (t *wordTable) grow() {
	old := t.slots
	t.slots = make([]wordSlot, 2*len(old))
	for _, s := range old {
		if s.text == "" {
			continue
		}
		i := s.hash
		for t.slots[int(i)&(len(t.slots)-1)].text != "" {
			i++
		}
		t.slots[int(i)&(len(t.slots)-1)] = s
	}
}
