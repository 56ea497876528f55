package site

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// identityTable finds identities in the text of their file. It is made at every prompt, and a map
// of ten thousand strings takes four times as long to fill.
type identityTable struct {
	text  []byte
	slots []uint32 // where in the text an identity begins, plus 1; 0 in a free slot
	len   int      // of different ones
}

// tableOf returns the table of the lines of a file. One of another length was torn.
func tableOf(text []byte) identityTable {
	most := len(text) / (identityLen + 1)
	t := identityTable{text: text, slots: make([]uint32, 1<<bits.Len(uint(2*most)))}
	for at := 0; ; {
		size := bytes.IndexByte(text[at:], '\n')
		if size < 0 {
			return t
		}
		if size == identityLen {
			t.add(at)
		}
		at += size + 1
	}
}

// add adds the identity at an offset of the text.
func (t *identityTable) add(at int) {
	if slot := t.slot(t.text[at : at+identityLen]); t.slots[slot] == 0 {
		t.slots[slot] = uint32(at) + 1
		t.len++
	}
}

func (t *identityTable) has(identity []byte) bool {
	return t.len > 0 && t.slots[t.slot(identity)] != 0
}

// slot returns the slot of an identity, or a free one: at least half of them are.
func (t *identityTable) slot(identity []byte) int {
	const spread = 0x9e3779b97f4a7c15 // odd: hex digits differ in few of their bits
	a, b := binary.LittleEndian.Uint64(identity), binary.LittleEndian.Uint64(identity[8:])
	mask := len(t.slots) - 1
	for i := int((a*spread ^ b) * spread >> 32); ; i++ {
		at := int(t.slots[i&mask])
		if at == 0 || bytes.Equal(t.text[at-1:at-1+identityLen], identity) {
			return i & mask
		}
	}
}
