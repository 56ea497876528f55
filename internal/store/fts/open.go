package fts

import (
	"encoding/binary"
	"fmt"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// ErrStale is wrapped by Open when the sidecar is not one of this state, and by a search that meets
// a damaged part of it: it is then not used. It wraps [sidecar.ErrStale].
var ErrStale = sidecar.NewStale("full text")

// format is that of the sidecar. Its sections are described in doc.go.
var format = &sidecar.Format{
	File: "fts", Magic: "memfts8" + keypath.Edition, PageSize: 1024,
	Sections: int(sections), Numbers: numbers, Stale: ErrStale,
}

// section is a part of the file. They follow each other in this order.
type section int

const (
	secPostings   section = iota // lists
	secTerms                     // the dictionary
	secTermBlocks                // where its blocks begin, and their lists
	secKeys
	secKeyBlocks  // where their blocks begin, and the words before
	secLengths    // a byte for each row
	secMarks      // two bytes for each row
	secRowFolders // the folder of each row, uint32
	secOrder      // rows by folder and name, uint32
	secPlaces     // where each row stands in that order, uint32
	secStamps     // time of each row, int64
	secFolders    // the folders: first place uint32, rows uint32, words uint64
	secClosed     // runs of rows that not everybody sees: from, to, class uint32
	sections
)

// The numbers in the footer.
const (
	numAnalyzer = iota
	numRows
	numTerms
	numWords
	numbers
)

const (
	dictBlock  = 32 // terms whose first is written whole
	folderSize = 16 // bytes of one folder
	closedSize = 12 // bytes of one closed run
)

// Index is an open sidecar. The memory is mapped: what a search does not touch is not read. It may
// be used by several goroutines.
type Index struct {
	file  *sidecar.File
	state stateID
	rows  uint32
	terms int
	words uint64 // of all rows
}

// stateID names a state: by its size, and its SHA-256 in hex.
type stateID struct {
	size int64
	sum  string
}

// Open maps the sidecar below a memory root if it is one of the state with this size and SHA-256
// (in hex). The error wraps ErrStale, fs.ErrNotExist or is the file system's.
func Open(root *disk.Dir, stateSize int64, stateSum string) (*Index, error) {
	file, err := sidecar.Open(root, format, stateSize, stateSum)
	if err != nil {
		return nil, err
	}
	ix := &Index{file: file, state: stateID{stateSize, stateSum}}
	if err := ix.check(); err != nil {
		file.Close()
		return nil, err
	}
	return ix, nil
}

// Close unmaps, where nobody else shares the index.
func (ix *Index) Close() error { return ix.file.Close() }

// Share returns the index for one more user, which closes it.
func (ix *Index) Share() *Index {
	own := *ix
	own.file = ix.file.Share()
	return &own
}

// Len returns the number of rows, which are the lines of the state.
func (ix *Index) Len() int { return int(ix.rows) }

func stale(why string) error { return fmt.Errorf("%w: %s", ErrStale, why) }

// check believes the numbers of the footer if they fit the sections.
func (ix *Index) check() error {
	rows, terms := ix.file.Number(numRows), ix.file.Number(numTerms)
	switch {
	case ix.file.Number(numAnalyzer) != analyzer.Version:
		return stale("not a sidecar of this version")
	case rows >= 1<<31 || terms > uint64(ix.size(secTerms)):
		return stale("cut short")
	}
	ix.rows, ix.terms, ix.words = uint32(rows), int(terms), ix.file.Number(numWords)
	return ix.fits()
}

// fits holds the sections of a fixed width to the number of rows and terms.
func (ix *Index) fits() error {
	rows := int(ix.rows)
	for sec, size := range map[section]int{
		secTermBlocks: 16 * blocksOf(ix.terms, dictBlock),
		secKeyBlocks:  16 * blocksOf(rows, keyBlock),
		secLengths:    rows,
		secMarks:      2 * rows,
		secRowFolders: 4 * rows,
		secOrder:      4 * rows,
		secPlaces:     4 * rows,
		secStamps:     8 * rows,
	} {
		if ix.size(sec) != size {
			return stale("sections of a wrong size")
		}
	}
	if ix.size(secFolders)%folderSize != 0 || ix.folderCount() > rows ||
		ix.size(secClosed)%closedSize != 0 {
		return stale("sections of a wrong size")
	}
	return nil
}

func (ix *Index) folderCount() int { return ix.size(secFolders) / folderSize }

func blocksOf(n, size int) int { return (n + size - 1) / size }

func (ix *Index) size(s section) int { return ix.file.Size(int(s)) }

// part returns some bytes of a section.
func (ix *Index) part(s section, from, to int) ([]byte, error) {
	return ix.file.Part(int(s), from, to)
}

func (ix *Index) stamp(row uint32) (log.Stamp, error) {
	b, err := ix.part(secStamps, 8*int(row), 8*int(row)+8)
	if err != nil {
		return 0, err
	}
	return log.Stamp(binary.LittleEndian.Uint64(b)), nil
}

func (ix *Index) lengthCode(row uint32) (byte, error) {
	b, err := ix.part(secLengths, int(row), int(row)+1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func (ix *Index) marks(row uint32) (analyzer.Marks, error) {
	b, err := ix.part(secMarks, 2*int(row), 2*int(row)+2)
	if err != nil {
		return 0, err
	}
	return analyzer.Marks(binary.LittleEndian.Uint16(b)), nil
}
