package fts

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
)

// part analyzes some of the batches of a Builder, whose rows rise.
type part struct {
	root    *disk.Dir
	docs    *collector
	lists   []postingBuffer // by term
	arena   arena
	maxHeld int      // bytes that are held
	runs    []string // names of the temporary files
	err     error    // the first
}

// termCost is about what a term takes beside its postings.
const termCost = 128

func newPart(root *disk.Dir, maxHeld int) *part {
	return &part{root: root, docs: newCollector(), maxHeld: maxHeld}
}

// add analyzes a batch. After an error nothing is kept.
func (p *part) add(b *batch) {
	for i := range b.lines {
		l := &b.lines[i]
		if p.err != nil {
			return
		}
		if l.is == kept {
			continue
		}
		p.docs.collect(&l.Record)
		l.words, l.marks = p.docs.length, p.docs.marker.All()
		p.keep(l)
		if len(p.arena.buf)+termCost*len(p.lists) >= p.maxHeld {
			p.err = p.spill()
		}
	}
}

// keep adds the terms of a record to the lists. Of one that is gone only the forms count: its
// postings are left out where the old index is read, but forms have none.
func (p *part) keep(l *line) {
	if more := len(p.docs.terms) - len(p.lists); more > 0 {
		p.lists = append(p.lists, make([]postingBuffer, more)...)
	}
	if l.is == gone {
		for _, id := range p.docs.forms {
			p.lists[id].count--
		}
		return
	}
	for _, e := range p.docs.entries {
		p.arena.add(&p.lists[e.term], l.row, e.tf)
	}
	for _, id := range p.docs.forms {
		p.lists[id].count++
	}
}

// sorted returns the lists in memory in the order of their terms.
func (p *part) sorted() *held {
	s := &held{part: p, order: make([]sortedTerm, len(p.docs.terms))}
	for i, term := range p.docs.terms {
		s.order[i] = sortedTerm{firstBytes(term), uint32(i)}
	}
	p.lists = append(p.lists, make([]postingBuffer, len(s.order)-len(p.lists))...)
	slices.SortFunc(s.order, func(x, y sortedTerm) int {
		if x.begins != y.begins {
			return cmp.Compare(x.begins, y.begins)
		}
		return strings.Compare(p.docs.terms[x.id], p.docs.terms[y.id])
	})
	return s
}

// sortedTerm is a term with its first bytes, in which nearly all terms differ.
type sortedTerm struct {
	begins uint64
	id     uint32
}

// firstBytes returns the first eight bytes of a term as a number of the same order.
func firstBytes(term string) uint64 {
	var b [8]byte
	copy(b[:], term)
	return binary.BigEndian.Uint64(b[:])
}

// held is a source of the lists in memory.
type held struct {
	*part
	order    []sortedTerm
	raw      []byte
	postings []posting
}

// nextRaw returns the next term, how many records have it, and its postings as the arena has them.
// The empty term is the end.
func (s *held) nextRaw() (term string, count int, raw []byte) {
	if len(s.order) == 0 {
		return "", 0, nil
	}
	id := s.order[0].id
	s.order = s.order[1:]
	s.raw = s.arena.appendPostings(s.raw[:0], &s.lists[id])
	return s.docs.terms[id], int(s.lists[id].count), s.raw
}

func (s *held) next() (t termList, err error) {
	term, count, raw := s.nextRaw()
	s.postings, err = unpack(s.postings[:0], raw)
	return termList{term, count, s.postings}, err
}

// unpack reads postings that each count from the one before, and the first from row 0.
func unpack(dst []posting, raw []byte) ([]posting, error) {
	row := uint32(0)
	for len(raw) > 0 {
		delta, tf, size := readPosting(raw)
		if size == 0 {
			return nil, errRun
		}
		row += delta
		dst, raw = append(dst, posting{row, tf}), raw[size:]
	}
	return dst, nil
}
