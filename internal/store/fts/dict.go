package fts

import (
	"bytes"
	"encoding/binary"
)

type dictEntry struct {
	term  string
	count int // records that have it
	at    int // its list in secPostings
	size  int
}

// dictScan reads the dictionary from the beginning of a block on.
type dictScan struct {
	ix   *Index
	id   int // of the next term
	data []byte
	term []byte
	at   uint64 // where the next term's list begins
	cur  dictEntry
	err  error
}

// scanFrom begins at the first term of a block.
func (ix *Index) scanFrom(block int) *dictScan { return &dictScan{ix: ix, id: block * dictBlock} }

// next moves to the next term; false at the end, or at an error.
func (s *dictScan) next() bool {
	if s.err != nil || s.id >= s.ix.terms {
		return false
	}
	if s.id%dictBlock == 0 {
		s.data, s.at, s.err = s.ix.termBlock(s.id / dictBlock)
		s.term = s.term[:0]
	}
	if s.err == nil {
		s.err = s.read()
	}
	s.id++
	return s.err == nil
}

func (s *dictScan) read() error {
	var ok bool
	if s.term, s.data, ok = readShared(s.term, s.data); !ok {
		return stale("no dictionary")
	}
	count, n := binary.Uvarint(s.data)
	size, m := binary.Uvarint(s.data[max(n, 0):])
	limit := uint64(s.ix.size(secPostings))
	if n <= 0 || m <= 0 || count > uint64(s.ix.rows) || s.at > limit || size > limit-s.at {
		return stale("no dictionary")
	}
	s.data = s.data[n+m:]
	s.cur = dictEntry{count: int(count), at: int(s.at), size: int(size)}
	s.at += size
	return nil
}

// termBlock returns the bytes of a block of the dictionary, and where its first list begins.
func (ix *Index) termBlock(block int) (data []byte, lists uint64, err error) {
	return ix.block(secTermBlocks, secTerms, block)
}

// block returns the bytes of a block, whose beginnings stand in one section and the bytes in
// another, and the number beside the beginning.
func (ix *Index) block(table, bytes section, i int) (data []byte, beside uint64, err error) {
	const width = 16
	entry, err := ix.part(table, i*width, (i+1)*width)
	if err != nil {
		return nil, 0, err
	}
	to := uint64(ix.size(bytes))
	if (i+1)*width < ix.size(table) {
		after, err := ix.part(table, (i+1)*width, (i+2)*width)
		if err != nil {
			return nil, 0, err
		}
		to = binary.LittleEndian.Uint64(after)
	}
	from := binary.LittleEndian.Uint64(entry)
	if from > to || to > uint64(ix.size(bytes)) {
		return nil, 0, stale("leads out of bounds")
	}
	data, err = ix.part(bytes, int(from), int(to))
	return data, binary.LittleEndian.Uint64(entry[8:]), err
}

// blockOf bisects: the last block whose first text is not above the one looked for; or 0.
func (ix *Index) blockOf(table, bytesOf section, text string) (int, error) {
	low, high := 0, ix.size(table)/16
	for low < high {
		mid := (low + high) / 2
		data, _, err := ix.block(table, bytesOf, mid)
		if err != nil {
			return 0, err
		}
		head, _, ok := readShared(nil, data)
		if !ok {
			return 0, stale("leads out of bounds")
		}
		if string(head) <= text {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return max(low-1, 0), nil
}

func (ix *Index) lookup(term string) (f dictEntry, ok bool, err error) {
	block, err := ix.blockOf(secTermBlocks, secTerms, term)
	if err != nil {
		return f, false, err
	}
	for s := ix.scanFrom(block); s.next() || s.err != nil; {
		if s.err != nil {
			return f, false, s.err
		}
		switch c := bytes.Compare(s.term, []byte(term)); {
		case c == 0:
			s.cur.term = term
			return s.cur, true, nil
		case c > 0:
			return f, false, nil
		}
	}
	return f, false, nil
}

// withPrefix calls fn with the terms that begin with a prefix, in their order, until fn wants no
// more.
func (ix *Index) withPrefix(prefix string, fn func(dictEntry) bool) error {
	block, err := ix.blockOf(secTermBlocks, secTerms, prefix)
	if err != nil {
		return err
	}
	s := ix.scanFrom(block)
	for s.next() {
		switch {
		case bytes.HasPrefix(s.term, []byte(prefix)):
			s.cur.term = string(s.term)
			if !fn(s.cur) {
				return nil
			}
		case string(s.term) > prefix:
			return nil
		}
	}
	return s.err
}

// open returns a term's list.
func (ix *Index) open(f dictEntry) (list, error) {
	data, err := ix.part(secPostings, f.at, f.at+f.size)
	if err != nil {
		return list{}, err
	}
	return openList(data, f.count, ix.rows)
}
