package fts

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// posting says how often a term stands in a record: in which row of the state, in which fields.
type posting struct {
	row uint32
	tf  counts
}

// A list of postings is cut into blocks of blockSize. A list of more than one block begins with a
// table of the blocks, eight bytes each: the first row, and where the block begins, counted from
// the end of the table. In a block each posting is
//
//	uvarint  rows since the one before it (0 for the block's first, whose row is in the table; for
//	         a list of one block the row itself)
//	         times 4, plus how the counts are written:
//	         0: once in Text
//	         1: a byte, field + 8*(count-1)
//	         2: a byte with a bit for each field, then a byte for each of them
const (
	blockSize  = 128
	blockEntry = 8

	onceInText = 0
	oneField   = 1
	manyFields = 2
)

// errList is for a list that Write cannot have written.
var errList = fmt.Errorf("%w: no list of postings", ErrStale)

// appendPosting writes one posting of a block.
func appendPosting(dst []byte, delta uint32, tf counts) []byte {
	if tf == 1 { // once in Text, as most are
		if delta < 0x80>>2 {
			return append(dst, byte(delta)<<2|onceInText)
		}
		return binary.AppendUvarint(dst, uint64(delta)<<2|onceInText)
	}
	switch f, n := tf.onlyField(); {
	case n > 0 && n <= 32:
		return append(binary.AppendUvarint(dst, uint64(delta)<<2|oneField), byte(f)|byte(n-1)<<3)
	}
	dst = binary.AppendUvarint(dst, uint64(delta)<<2|manyFields)
	at := len(dst)
	dst = append(dst, 0)
	for f := range analyzer.Fields {
		if n := tf.count(f); n > 0 {
			dst[at] |= 1 << f
			dst = append(dst, byte(n))
		}
	}
	return dst
}

// onlyField returns the only field of the counts, and how often it is; 0 if there are more.
func (c counts) onlyField() (f analyzer.Field, n int) {
	for f := range analyzer.Fields {
		if n := c.count(f); n > 0 {
			if c == counts(n)<<(8*f) {
				return f, n
			}
			return 0, 0
		}
	}
	return 0, 0
}

// readPosting reads what appendPosting wrote; size 0 for anything else.
func readPosting(b []byte) (delta uint32, tf counts, size int) {
	var head uint64
	if len(b) > 0 && b[0] < 0x80 { // most of them
		if head, size = uint64(b[0]), 1; head&3 == onceInText {
			return uint32(head >> 2), 1, size
		}
	} else if head, size = binary.Uvarint(b); size <= 0 || head>>2 > 1<<31 {
		return 0, 0, 0
	}
	delta = uint32(head >> 2)
	switch head & 3 {
	case onceInText:
		return delta, 1, size
	case oneField:
		if size < len(b) && analyzer.Field(b[size]&7) < analyzer.Fields {
			return delta, counts(b[size]>>3+1) << (8 * (b[size] & 7)), size + 1
		}
	case manyFields:
		return readMany(b, delta, size)
	}
	return 0, 0, 0
}

func readMany(b []byte, delta uint32, size int) (uint32, counts, int) {
	if size >= len(b) {
		return 0, 0, 0
	}
	mask := b[size]
	size++
	var tf counts
	for f := range analyzer.Fields {
		if mask&(1<<f) == 0 {
			continue
		}
		if size >= len(b) || b[size] == 0 {
			return 0, 0, 0
		}
		tf |= counts(b[size]) << (8 * f)
		size++
	}
	if tf == 0 || mask>>analyzer.Fields != 0 {
		return 0, 0, 0
	}
	return delta, tf, size
}

type listWriter struct {
	table, blocks []byte
	count         int
	last          uint32
}

func (w *listWriter) add(p posting) {
	delta := p.row - w.last
	if w.count%blockSize == 0 {
		w.table = binary.LittleEndian.AppendUint32(w.table, p.row)
		w.table = binary.LittleEndian.AppendUint32(w.table, uint32(len(w.blocks)))
		if delta = 0; w.count == 0 {
			delta = p.row
		}
	}
	w.blocks = appendPosting(w.blocks, delta, p.tf)
	w.last = p.row
	w.count++
}

// finish returns the list, and begins the next.
func (w *listWriter) finish() (table, blocks []byte) {
	table, blocks = w.table, w.blocks
	if w.count <= blockSize {
		table = nil
	}
	*w = listWriter{table: w.table[:0], blocks: w.blocks[:0]}
	return table, blocks
}

type list struct {
	count  int
	table  []byte
	blocks []byte
	rows   uint32 // every row is below
}

// openList checks what a list says of itself before anything is read from it.
func openList(data []byte, count int, rows uint32) (list, error) {
	l := list{count: count, blocks: data, rows: rows}
	if count > blockSize {
		size := l.size() * blockEntry
		if size > len(data) {
			return list{}, errList
		}
		l.table, l.blocks = data[:size], data[size:]
	}
	return l, nil
}

// size is the number of blocks.
func (l *list) size() int { return (l.count + blockSize - 1) / blockSize }

// firstRow returns the first row of a block. That of a list's only block is read with it.
func (l *list) firstRow(block int) uint32 {
	if l.table == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(l.table[block*blockEntry:])
}

// block returns the bytes of a block and how many postings it has.
func (l *list) block(i int) (data []byte, n int) {
	if l.table == nil {
		return l.blocks, l.count
	}
	from, to := l.offset(i), len(l.blocks)
	if i+1 < l.size() {
		to = l.offset(i + 1)
	}
	if from > to || to > len(l.blocks) {
		return nil, blockSize
	}
	return l.blocks[from:to], min(blockSize, l.count-i*blockSize)
}

func (l *list) offset(block int) int {
	return int(binary.LittleEndian.Uint32(l.table[block*blockEntry+4:]))
}

// blockOf returns the block that a row is in, if it is in the list.
func (l *list) blockOf(row uint32) int {
	low, high := 0, l.size()
	for low < high {
		if mid := (low + high) / 2; l.firstRow(mid) <= row {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return max(low-1, 0)
}

// read appends the postings of a block that lie in the rows from..to (not itself) to dst.
func (l *list) read(dst []posting, block int, from, to uint32) ([]posting, error) {
	data, n := l.block(block)
	row := l.baseRow(block)
	for i := range n {
		delta, tf, size := readPosting(data)
		row += uint64(delta)
		if size == 0 || row >= uint64(l.rows) || i > 0 && delta == 0 {
			return dst, errList
		}
		data = data[size:]
		if uint32(row) >= from && uint32(row) < to {
			dst = append(dst, posting{uint32(row), tf})
		}
	}
	return dst, nil
}

// baseRow returns what the first row of a block is counted from.
func (l *list) baseRow(block int) uint64 {
	if block == 0 {
		return 0
	}
	return uint64(l.firstRow(block))
}

// rank counts the postings of rows before one.
func (l *list) rank(row uint32) (int, error) {
	if l.count == 0 || row == 0 {
		return 0, nil
	}
	if row >= l.rows {
		return l.count, nil
	}
	b := l.blockOf(row)
	n := b * blockSize
	err := l.eachPosting(b, func(p posting) bool {
		if p.row < row {
			n++
		}
		return p.row < row
	})
	return n, err
}

// find returns the counts of a row; 0 where the list does not have it.
func (l *list) find(row uint32) (tf counts, err error) {
	if l.count == 0 {
		return 0, nil
	}
	err = l.eachPosting(l.blockOf(row), func(p posting) bool {
		if p.row == row {
			tf = p.tf
		}
		return p.row < row
	})
	return tf, err
}

// countOf counts those of some rows, in order, that the list has.
func (l *list) countOf(rows []uint32) (n int, err error) {
	for l.count > 0 && len(rows) > 0 {
		b := l.blockOf(rows[0])
		some := rows
		if b+1 < l.size() {
			// Those before the next block; at least one, whatever a damaged table says.
			end, _ := slices.BinarySearch(rows, l.firstRow(b+1))
			some = rows[:max(end, 1)]
		}
		rows = rows[len(some):]
		err := l.eachPosting(b, func(p posting) bool {
			for len(some) > 0 && some[0] < p.row {
				some = some[1:]
			}
			if len(some) > 0 && some[0] == p.row {
				n++
			}
			return len(some) > 0
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// eachPosting calls fn with the postings of a block until fn wants no more.
func (l *list) eachPosting(block int, fn func(posting) bool) error {
	data, n := l.block(block)
	row := l.baseRow(block)
	for i := range n {
		delta, tf, size := readPosting(data)
		row += uint64(delta)
		if size == 0 || row >= uint64(l.rows) || i > 0 && delta == 0 {
			return errList
		}
		if !fn(posting{uint32(row), tf}) {
			return nil
		}
		data = data[size:]
	}
	return nil
}

// eachBlock calls fn with the postings of the rows from..to (not itself), some at a time.
func (l *list) eachBlock(from, to uint32, fn func([]posting) error) error {
	if l.count == 0 || from >= to {
		return nil
	}
	buf := make([]posting, 0, blockSize)
	for b := l.blockOf(from); b < l.size() && (b == 0 || l.firstRow(b) < to); b++ {
		var err error
		if buf, err = l.read(buf[:0], b, from, to); err == nil {
			err = fn(buf)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
