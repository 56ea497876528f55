package fts

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/sidecar"
)

// Builder makes the sidecar while a compaction writes the state. It holds the postings of some
// records at a time: when they are many they go to a temporary file, sorted, and all are merged at
// the end.
type Builder struct {
	root    *disk.Dir
	docs    *collector
	rows    rowWriter
	lists   []postingBuffer // by term
	arena   arena
	maxHeld int      // bytes that are held
	runs    []string // names of the temporary files
	err     error    // the first; Draft returns it
}

// defaultMaxHeld is how many bytes of postings and terms are held: those of a hundred thousand
// records or so. The memory of a process that builds is some three times that, and 30 bytes for
// each record.
const defaultMaxHeld = 40 << 20

// termCost is about what a term takes beside its postings.
const termCost = 128

// NewBuilder begins a sidecar below a memory root.
func NewBuilder(root *disk.Dir) *Builder {
	return &Builder{root: root, docs: newCollector(), maxHeld: defaultMaxHeld}
}

// Add takes the next line of the state; lines come in their order. Nothing of the record is kept.
// What goes wrong with temporary files is told by Write.
func (b *Builder) Add(rec log.Record) {
	if b.err != nil {
		return
	}
	b.docs.collect(&rec)
	row := b.rows.add(&rec, b.docs.length, b.docs.isQuestion)
	if more := len(b.docs.terms) - len(b.lists); more > 0 {
		b.lists = append(b.lists, make([]postingBuffer, more)...)
	}
	for _, e := range b.docs.entries {
		b.arena.add(&b.lists[e.term], row, e.tf)
	}
	if len(b.arena.buf)+termCost*len(b.lists) >= b.maxHeld {
		b.err = b.spill()
	}
}

// Discard removes what the Builder left on the disk. Draft does it, too.
func (b *Builder) Discard() {
	for _, name := range b.runs {
		_ = b.root.Remove(sidecar.Dir + "/" + name) // fsck removes what is left
	}
	b.runs = nil
}

// batch returns the lists in memory in the order of their terms.
func (b *Builder) batch() *batch {
	s := &batch{Builder: b, order: make([]sortedTerm, len(b.docs.terms))}
	for i, term := range b.docs.terms {
		s.order[i] = sortedTerm{firstBytes(term), uint32(i)}
	}
	b.lists = append(b.lists, make([]postingBuffer, len(s.order)-len(b.lists))...)
	slices.SortFunc(s.order, func(x, y sortedTerm) int {
		if x.begins != y.begins {
			return cmp.Compare(x.begins, y.begins)
		}
		return strings.Compare(b.docs.terms[x.id], b.docs.terms[y.id])
	})
	return s
}

// sortedTerm is a term with its first bytes, by which nearly all are told apart.
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

// batch is a source of the lists in memory.
type batch struct {
	*Builder
	order    []sortedTerm
	raw      []byte
	postings []posting
}

// nextRaw returns the next term, how many postings it has, and those as the arena has them. The
// empty term is the end.
func (s *batch) nextRaw() (term string, count int, raw []byte) {
	if len(s.order) == 0 {
		return "", 0, nil
	}
	id := s.order[0].id
	s.order = s.order[1:]
	s.raw = s.arena.appendPostings(s.raw[:0], &s.lists[id])
	return s.docs.terms[id], int(s.lists[id].count), s.raw
}

func (s *batch) next() (string, []posting, error) {
	term, count, raw := s.nextRaw()
	var err error
	s.postings, err = unpack(s.postings[:0], raw, count)
	return term, s.postings, err
}

// unpack reads postings that each count from the one before, and the first from row 0.
func unpack(dst []posting, raw []byte, count int) ([]posting, error) {
	row := uint32(0)
	for range count {
		delta, tf, size := readPosting(raw)
		if size == 0 {
			return nil, errRun
		}
		row += delta
		dst, raw = append(dst, posting{row, tf}), raw[size:]
	}
	return dst, nil
}
