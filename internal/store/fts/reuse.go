package fts

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// oldIndex is the index of the state before. A build takes from it what it has of the lines that
// stay, so that they are not analyzed again.
type oldIndex struct {
	ix      *Index
	lengths []byte   // of its rows
	marks   []byte   // of its rows
	rows    []uint32 // for each of its rows, up to now: that of the new state, or noRow
	excess  bool     // there were more lines than it has rows
}

// noRow is in place of the row of a line that is gone.
const noRow = math.MaxUint32

// Reuse takes over the index of the state before: Keep and Drop get every line of that state, in
// order, and the caller has to see that they are unchanged. The Builder closes the index.
func (b *Builder) Reuse(ix *Index) error {
	old := &oldIndex{ix: ix}
	err := disk.Guard(func() error {
		lengths, err := ix.part(secLengths, 0, ix.size(secLengths))
		if err != nil {
			return err
		}
		marks, err := ix.part(secMarks, 0, ix.size(secMarks))
		old.lengths, old.marks = bytes.Clone(lengths), bytes.Clone(marks)
		return err
	})
	if err != nil {
		ix.Close()
		return err
	}
	old.rows = make([]uint32, 0, ix.Len())
	b.old = old
	return nil
}

// Keep is Add of a line that is also the next one of the state before, by its key, the time of the
// memory and its realm; replaced: another memory has taken its place.
func (b *Builder) Keep(key keypath.Key, at log.Stamp, realm keypath.Realm, replaced bool) {
	row, ok := b.old.take(b.count)
	if !ok {
		return
	}
	b.put(line{
		Record: log.Record{Envelope: log.Envelope{Key: key}}, is: kept,
		at: at, realm: mark(realm, replaced),
		words: b.old.words(row), marks: b.old.marksOf(row),
	})
}

// Drop copies the next line of the state before, which the new state has not.
func (b *Builder) Drop(rec log.Record) {
	if _, ok := b.old.take(noRow); ok {
		b.put(line{Record: rec.Clone(), is: gone})
	}
}

// take notes the new row of the next line. Not ok: the index has no such line, and check will fail.
func (o *oldIndex) take(row uint32) (old int, ok bool) {
	old = len(o.rows)
	if old == o.ix.Len() {
		o.excess = true
		return 0, false
	}
	o.rows = append(o.rows, row)
	return old, true
}

func (o *oldIndex) words(row int) int { return lengthOf(o.lengths[row]) }

func (o *oldIndex) marksOf(row int) analyzer.Marks {
	return analyzer.Marks(binary.LittleEndian.Uint16(o.marks[2*row:]))
}

// check reports an index of another number of lines than came.
func (o *oldIndex) check() error {
	if o.excess || len(o.rows) != o.ix.Len() {
		return stale("other lines than it was made of")
	}
	return nil
}

// lists returns the lists of the index, by the rows of the new state.
func (o *oldIndex) lists() source { return &renumbered{oldIndex: o, terms: o.ix.scanFrom(0)} }

// renumbered is a source of the lists of an old index.
type renumbered struct {
	*oldIndex
	terms    *dictScan
	postings []posting
}

func (r *renumbered) next() (t termList, err error) {
	if !r.terms.next() {
		return t, r.terms.err
	}
	f := r.terms.cur
	t = termList{term: string(r.terms.term), records: f.count}
	if t.term == "" {
		return t, stale("no dictionary")
	}
	if isForm(t.term) {
		return t, nil
	}
	t.postings, err = r.read(f)
	t.records = len(t.postings)
	return t, err
}

// read reads a list without the lines that are gone. Rows keep their order.
func (r *renumbered) read(f dictEntry) ([]posting, error) {
	l, err := r.ix.open(f)
	list := slices.Grow(r.postings[:0], l.count)
	for block := 0; err == nil && block < l.size(); block++ {
		from := len(list)
		list, err = l.read(list, block, 0, r.ix.rows)
		n := from
		for _, p := range list[from:] {
			if p.row = r.rows[p.row]; p.row != noRow {
				list[n] = p
				n++
			}
		}
		list = list[:n]
	}
	r.postings = list
	return list, err
}
