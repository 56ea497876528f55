package fts

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"sync/atomic"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// ErrStale is wrapped by Open when the sidecar is not one of this state, and by a search that meets a damaged part of it: it is then not
// used.
var ErrStale = errors.New("no full text for this state")

// Index is an open sidecar. The memory is mapped: what a search does not touch is not read. It may be used by several goroutines.
type Index struct {
	data  []byte
	sums  []byte
	seen  []atomic.Uint32 // a bit for each page whose sum was found right
	ends  [sections]int
	rows  uint32
	terms int
	words uint64 // of all rows
	unmap func() error
}

// Open maps the sidecar below a memory root if it is one of the state with this size and SHA-256 (in hex). The error wraps ErrStale,
// fs.ErrNotExist or is the file system's; in every case the caller goes on without.
func Open(root *disk.Dir, stateSize int64, stateSum string) (*Index, error) {
	data, unmap, err := root.Map(Dir + "/" + File)
	if err != nil {
		return nil, err
	}
	ix := &Index{data: data, unmap: unmap}
	if err := ix.check(stateSize, stateSum); err != nil {
		ix.Close()
		return nil, err
	}
	return ix, nil
}

// Close unmaps.
func (ix *Index) Close() error { return ix.unmap() }

// Len is the number of rows, which are the lines of the state.
func (ix *Index) Len() int { return int(ix.rows) }

func stale(why string) error { return fmt.Errorf("%w: %s", ErrStale, why) }

// check believes the footer if it is one of this state, and fits the file and itself.
func (ix *Index) check(stateSize int64, stateSum string) error {
	le := binary.LittleEndian
	if len(ix.data) < footerSize {
		return stale("cut short")
	}
	foot := ix.data[len(ix.data)-footerSize:]
	sum, err := hex.DecodeString(stateSum)
	switch {
	case string(foot[:len(magic)]) != magic || le.Uint32(foot[atAnalyzer:]) != AnalyzerVersion:
		return stale("not a sidecar of this version")
	case crc32.Checksum(foot[:atSum], castagnoli()) != le.Uint32(foot[atSum:]):
		return stale("damaged")
	case err != nil || le.Uint64(foot[atStateSize:]) != uint64(stateSize) || string(foot[atStateSum:atPageSum]) != string(sum):
		return stale("written for another state")
	}
	return ix.layout(foot)
}

// layout takes the sections apart. Each must have the size that the numbers in the footer demand.
func (ix *Index) layout(foot []byte) error {
	le := binary.LittleEndian
	rows, terms := le.Uint64(foot[atRows:]), le.Uint64(foot[atTerms:])
	body := uint64(len(ix.data) - footerSize)
	last := uint64(0)
	for i := range ix.ends {
		end := le.Uint64(foot[atEnds+8*i:])
		if end < last || end > body {
			return stale("cut short")
		}
		ix.ends[i], last = int(end), end
	}
	pages := (last + pageSize - 1) / pageSize
	if body-last != 4*pages || rows >= 1<<31 || terms > last {
		return stale("cut short")
	}
	ix.sums = ix.data[last:body]
	if crc32.Checksum(ix.sums, castagnoli()) != le.Uint32(foot[atPageSum:]) {
		return stale("damaged")
	}
	ix.seen = make([]atomic.Uint32, (pages+31)/32)
	ix.rows, ix.terms, ix.words = uint32(rows), int(terms), le.Uint64(foot[atWords:])
	return ix.fits()
}

// fits holds the sections of a fixed width to the number of rows and terms.
func (ix *Index) fits() error {
	rows := int(ix.rows)
	for sec, size := range map[section]int{
		secTermBlocks: 16 * blocksOf(ix.terms, dictBlock), secKeyBlocks: 16 * blocksOf(rows, keyBlock),
		secLengths: rows, secAsks: blocksOf(rows, 8), secFolders: 4 * rows, secStamps: 8 * rows,
	} {
		if ix.size(sec) != size {
			return stale("sections of a wrong size")
		}
	}
	if ix.size(secPaths)%pathSize != 0 || ix.paths() > rows {
		return stale("sections of a wrong size")
	}
	return nil
}

// pathSize is that of one folder.
const pathSize = 16

// paths is the number of folders.
func (ix *Index) paths() int { return ix.size(secPaths) / pathSize }

func blocksOf(n, size int) int { return (n + size - 1) / size }

func (ix *Index) start(s section) int {
	if s == 0 {
		return 0
	}
	return ix.ends[s-1]
}

func (ix *Index) size(s section) int { return ix.ends[s] - ix.start(s) }

// part gives some bytes of a section, once the sums of the pages that they lie in have been found right.
func (ix *Index) part(s section, from, to int) ([]byte, error) {
	start := ix.start(s)
	if from < 0 || to < from || to > ix.size(s) {
		return nil, stale("leads out of bounds")
	}
	from, to = start+from, start+to
	for page := from / pageSize; page*pageSize < to; page++ {
		if err := ix.verify(page); err != nil {
			return nil, err
		}
	}
	return ix.data[from:to:to], nil
}

func (ix *Index) verify(page int) error {
	if ix.seen[page/32].Load()&(1<<(page%32)) != 0 {
		return nil
	}
	data := ix.data[page*pageSize : min((page+1)*pageSize, ix.ends[sections-1])]
	if crc32.Checksum(data, castagnoli()) != binary.LittleEndian.Uint32(ix.sums[4*page:]) {
		return stale("damaged")
	}
	ix.seen[page/32].Or(1 << (page % 32))
	return nil
}

// stamp gives ts of a row.
func (ix *Index) stamp(row uint32) (log.Stamp, error) {
	b, err := ix.part(secStamps, 8*int(row), 8*int(row)+8)
	if err != nil {
		return 0, err
	}
	return log.Stamp(binary.LittleEndian.Uint64(b)), nil
}

// lengthCode gives the code of the words of a row.
func (ix *Index) lengthCode(row uint32) (byte, error) {
	b, err := ix.part(secLengths, int(row), int(row)+1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// asks reports whether a row ends in a question.
func (ix *Index) asks(row uint32) (bool, error) {
	b, err := ix.part(secAsks, int(row/8), int(row/8)+1)
	return err == nil && b[0]&(1<<(row%8)) != 0, err
}
