package fts

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// Dir and File name the sidecar below the root.
const (
	Dir  = "cache"
	File = "fts"
)

// Builder makes the sidecar while a compaction writes the state. It holds the occurrences of terms in some records at a time: when they are
// many they go to a temporary file, sorted, and all are merged at the end.
type Builder struct {
	root    *disk.Dir
	docs    *collector
	rows    rowWriter
	pending []occurrence
	most    int      // occurrences that are held
	runs    []string // names of the temporary files
	err     error    // the first; Write gives it
}

// occurrence is a term in a record.
type occurrence struct {
	term, row uint32
	tf        counts
}

// maxPending is how many occurrences are held, 16 bytes each: those of a hundred thousand records or so.
const maxPending = 3 << 20

// NewBuilder begins a sidecar below a memory root.
func NewBuilder(root *disk.Dir) *Builder {
	return &Builder{root: root, docs: newCollector(), most: maxPending}
}

// Add takes the next line of the state; lines come in their order. Nothing of the record is kept. What goes wrong with temporary files is
// told by Write.
func (b *Builder) Add(rec log.Record) {
	if b.err != nil {
		return
	}
	b.docs.take(&rec)
	row := b.rows.add(rec.Key.String(), rec.TS, b.docs.length, b.docs.asks)
	for _, e := range b.docs.entries {
		b.pending = append(b.pending, occurrence{e.term, row, e.tf})
	}
	if len(b.pending) >= b.most {
		b.err = b.spill()
	}
}

// Discard removes what the Builder left on the disk. Write does it, too.
func (b *Builder) Discard() {
	for _, name := range b.runs {
		_ = b.root.Remove(Dir + "/" + name) // fsck removes what is left
	}
	b.runs, b.pending = nil, nil
}

// batch gives the pending occurrences in the order of terms; those of a term stay in the order of rows.
func (b *Builder) batch() *batch {
	terms := b.docs.terms
	s := &batch{terms: terms, all: b.pending, order: make([]uint32, len(terms)), places: make([]uint32, len(b.pending)), ends: make([]uint32, len(terms)+1)}
	for i := range s.order {
		s.order[i] = uint32(i)
	}
	slices.SortFunc(s.order, func(x, y uint32) int { return strings.Compare(terms[x], terms[y]) })
	for _, o := range b.pending {
		s.ends[o.term+1]++
	}
	for i := range terms {
		s.ends[i+1] += s.ends[i]
	}
	for i, o := range b.pending {
		s.places[s.ends[o.term]] = uint32(i)
		s.ends[o.term]++ // from where the term's places begin to where they end
	}
	return s
}

// batch is a source of the occurrences in memory.
type batch struct {
	terms    []string
	all      []occurrence
	order    []uint32 // the terms, sorted
	places   []uint32 // of the occurrences, by term
	ends     []uint32 // of each term's places
	postings []posting
}

func (s *batch) next() (string, []posting, error) {
	if len(s.order) == 0 {
		return "", nil, nil
	}
	id := s.order[0]
	s.order = s.order[1:]
	from := uint32(0)
	if id > 0 {
		from = s.ends[id-1]
	}
	s.postings = s.postings[:0]
	for _, at := range s.places[from:s.ends[id]] {
		s.postings = append(s.postings, posting{s.all[at].row, s.all[at].tf})
	}
	return s.terms[id], s.postings, nil
}
