package fts

import (
	"encoding/binary"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// arena holds a list of postings for each term while it grows, in one piece of memory: chunks of 8
// bytes, then 16, and so on, of which the last four bytes lead to the next. Most terms are rare and
// need one; a frequent term costs little more than its postings.
type arena struct {
	buf []byte
}

const (
	firstChunk = 8
	lastChunk  = 1024 // they grow no further
	chunkLink  = 4
)

// postingBuffer is the list of one term.
type postingBuffer struct {
	first, at, end uint32 // where it begins, where it goes on, where the room there ends
	size           uint32 // of the present chunk
	last           uint32 // row
	count          int32  // records that have it; of a form, less those that had it
}

func (a *arena) add(g *postingBuffer, row uint32, tf counts) {
	var room [binary.MaxVarintLen64 + 1 + int(analyzer.Fields)]byte
	for _, c := range appendPosting(room[:0], row-g.last, tf) {
		if g.at == g.end {
			a.grow(g)
		}
		a.buf[g.at] = c
		g.at++
	}
	g.last = row
	g.count++
}

// grow adds a chunk to a list.
func (a *arena) grow(g *postingBuffer) {
	begin := uint32(len(a.buf))
	if g.size == 0 {
		g.first, g.size = begin, firstChunk
	} else {
		binary.LittleEndian.PutUint32(a.buf[g.end:], begin)
		g.size = min(2*g.size, lastChunk)
	}
	a.buf = append(a.buf, make([]byte, g.size)...)
	g.at, g.end = begin, begin+g.size-chunkLink
}

// appendPostings appends the postings of a list to dst as they were written: each as appendPosting
// writes it, the first counted from row 0.
func (a *arena) appendPostings(dst []byte, g *postingBuffer) []byte {
	begin, size := g.first, uint32(firstChunk)
	for g.size > 0 {
		end := begin + size - chunkLink
		if end == g.end {
			return append(dst, a.buf[begin:g.at]...)
		}
		dst = append(dst, a.buf[begin:end]...)
		begin, size = binary.LittleEndian.Uint32(a.buf[end:]), min(2*size, lastChunk)
	}
	return dst
}
