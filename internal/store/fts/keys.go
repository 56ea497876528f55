package fts

import (
	"encoding/binary"
	"slices"
)

// Key returns the key of a row.
func (ix *Index) Key(row uint32) (string, error) { return (&cursor{ix: ix}).keyOf(row) }

// keysOf returns the keys of a block.
func (ix *Index) keysOf(block int) ([]string, error) {
	data, _, err := ix.block(secKeyBlocks, secKeys, block)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, keyBlock)
	var last []byte
	for len(data) > 0 {
		var ok bool
		if last, data, ok = readShared(last, data); !ok || len(keys) == keyBlock {
			return nil, stale("no keys")
		}
		keys = append(keys, string(last))
	}
	return keys, nil
}

// rowFrom returns the first row whose key is not below text, or the number of rows.
func (ix *Index) rowFrom(text string) (row uint32, err error) {
	row, _, err = (&cursor{ix: ix}).seek(text)
	return row, err
}

// cursor returns keys by row and rows by key. A key near the last one costs little.
type cursor struct {
	ix    *Index
	block int
	keys  []string // of the block; nil: of none yet
}

func (c *cursor) keyOf(row uint32) (key string, err error) {
	if block := int(row) / keyBlock; c.keys == nil || c.block != block {
		if c.keys, err = c.ix.keysOf(block); err != nil {
			return "", err
		}
		c.block = block
	}
	if int(row)%keyBlock >= len(c.keys) {
		return "", stale("no keys")
	}
	return c.keys[row%keyBlock], nil
}

// seek returns the first row whose key is not below text, and whether its key is text.
func (c *cursor) seek(text string) (row uint32, same bool, err error) {
	if c.ix.rows == 0 {
		return 0, false, nil
	}
	if len(c.keys) == 0 || text < c.keys[0] || text > c.keys[len(c.keys)-1] {
		if c.block, err = c.ix.blockOf(secKeyBlocks, secKeys, text); err != nil {
			return 0, false, err
		}
		if c.keys, err = c.ix.keysOf(c.block); err != nil {
			return 0, false, err
		}
	}
	i, same := slices.BinarySearch(c.keys, text)
	return min(uint32(c.block*keyBlock+i), c.ix.rows), same, nil
}

func (ix *Index) wordsBefore(row uint32) (uint64, error) {
	if row >= ix.rows {
		return ix.words, nil
	}
	block := int(row) / keyBlock
	entry, err := ix.part(secKeyBlocks, 16*block, 16*block+16)
	if err != nil {
		return 0, err
	}
	lengths, err := ix.part(secLengths, block*keyBlock, int(row))
	if err != nil {
		return 0, err
	}
	words := binary.LittleEndian.Uint64(entry[8:])
	for _, code := range lengths {
		words += uint64(lengthOf(code))
	}
	return words, nil
}

// folderNamed returns the number of the first folder whose name is not below name, and whether it
// has that name. Names end in a slash.
func (ix *Index) folderNamed(name string) (id int, same bool, err error) {
	low, high := 0, ix.folderCount()
	for low < high {
		mid := (low + high) / 2
		f, err := ix.folderAt(mid)
		if err != nil {
			return 0, false, err
		}
		row, err := rowAt(ix, f.first)
		if err != nil {
			return 0, false, err
		}
		key, err := ix.Key(row)
		if err != nil {
			return 0, false, err
		}
		at := folderOf(key)
		same = same || at == name
		if at < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, same, nil
}

func (ix *Index) folderAt(id int) (f folder, err error) {
	b, err := ix.part(secFolders, folderSize*id, folderSize*(id+1))
	if err != nil {
		return f, err
	}
	le := binary.LittleEndian
	f = folder{first: le.Uint32(b), rows: le.Uint32(b[4:]), words: le.Uint64(b[8:])}
	if f.first >= ix.rows || f.rows > ix.rows-f.first {
		return f, stale("leads out of bounds")
	}
	return f, nil
}

// rowAt returns the row at a place in the order of folders and names.
func rowAt(ix *Index, place uint32) (uint32, error) { return rowIn(ix, secOrder, place) }

// placeOf returns where a row stands in that order.
func placeOf(ix *Index, row uint32) (uint32, error) { return rowIn(ix, secPlaces, row) }

// rowIn returns a number below that of the rows out of a section of them.
func rowIn(ix *Index, s section, i uint32) (uint32, error) {
	b, err := ix.part(s, 4*int(i), 4*int(i)+4)
	if err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(b)
	if n >= ix.rows {
		return 0, stale("leads out of bounds")
	}
	return n, nil
}

func (ix *Index) folder(row uint32) (uint32, error) {
	b, err := ix.part(secRowFolders, 4*int(row), 4*int(row)+4)
	if err != nil {
		return 0, err
	}
	id := binary.LittleEndian.Uint32(b)
	if int(id) >= ix.folderCount() {
		return 0, stale("leads out of bounds")
	}
	return id, nil
}
