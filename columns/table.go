package columns

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/log"
)

// ErrStale is wrapped by every error of a sidecar that is not one of this state, or damaged: it is then not used.
var ErrStale = errors.New("no columns for this state")

// Table is an open sidecar. The memory is mapped: what is not asked for is not read.
type Table struct {
	blocks
	bands, rows, expiries, texts int64 // how many; of texts the bytes
	tags                         map[uint32][]string
	unmap                        func() error
}

// Band is the rows of one type and importance, the newest first.
type Band struct {
	Type       string
	Importance float64 // 0..1
	Apart      bool    // under /untrusted: no read shows them
	First, Len int     // its rows
}

// Row is what ranking needs of one line of the state.
type Row struct {
	TS      log.Stamp
	Expires log.Stamp // meaningful only when HasExpiry
	Offset  int64     // of the line in state.jsonl; lines, and so offsets, are in the order of their keys
	Length  int       // of the line, without its newline
	Hash    uint64    // of the key

	HasExpiry bool

	tags uint32 // offset in the string table
}

// Open maps the sidecar if it is one of the state with this size and SHA-256 (in hex). The error wraps ErrStale, fs.ErrNotExist
// or is the file system's; in every case the caller goes on without.
func Open(root *disk.Dir, stateSize int64, stateSum string) (*Table, error) {
	data, unmap, err := root.Map(Dir + "/" + File)
	if err != nil {
		return nil, err
	}
	t := &Table{blocks: newBlocks(data), unmap: unmap, tags: map[uint32][]string{}}
	if err := t.open(uint64(stateSize), stateSum); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Close unmaps.
func (t *Table) Close() error { return t.unmap() }

// open reads the header, and refuses anything whose sections do not add up to the file.
func (t *Table) open(stateSize uint64, stateSum string) error {
	head, err := t.at(0, headerSize)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	switch {
	case string(head[:len(magic)]) != magic:
		return fmt.Errorf("%w: not a sidecar of this version", ErrStale)
	case le.Uint64(head[40:]) != stateSize || hex.EncodeToString(head[48:]) != stateSum:
		return fmt.Errorf("%w: written for another state", ErrStale)
	}
	left := uint64(t.size() - headerSize)
	for _, section := range [...]struct {
		count *int64
		at    int
		size  uint64
	}{{&t.bands, 8, bandSize}, {&t.rows, 16, rowSize + lineSize + hashSize}, {&t.expiries, 24, 8}, {&t.texts, 32, 1}} {
		n := le.Uint64(head[section.at:])
		if n > left/section.size {
			return fmt.Errorf("%w: cut short", ErrStale)
		}
		left -= n * section.size
		*section.count = int64(n)
	}
	if left != 0 {
		return fmt.Errorf("%w: too long", ErrStale)
	}
	return nil
}

// Where the sections begin.
func (t *Table) rowsAt() int64     { return headerSize + t.bands*bandSize }
func (t *Table) linesAt() int64    { return t.rowsAt() + t.rows*rowSize }
func (t *Table) hashesAt() int64   { return t.linesAt() + t.rows*lineSize }
func (t *Table) expiriesAt() int64 { return t.hashesAt() + t.rows*hashSize }
func (t *Table) textsAt() int64    { return t.expiriesAt() + t.expiries*8 }

// Bands gives all bands.
func (t *Table) Bands() ([]Band, error) {
	list := make([]Band, 0, t.bands)
	for i := range t.bands {
		b, err := t.at(headerSize+i*bandSize, bandSize)
		if err != nil {
			return nil, err
		}
		le := binary.LittleEndian
		first, n := le.Uint64(b[16:]), le.Uint64(b[24:])
		if first > uint64(t.rows) || n > uint64(t.rows)-first {
			return nil, fmt.Errorf("%w: a band leads out of the rows", ErrStale)
		}
		kind, err := t.text(le.Uint32(b[8:]))
		if err != nil {
			return nil, err
		}
		list = append(list, Band{
			Type: string(kind), Importance: math.Float64frombits(le.Uint64(b)), Apart: le.Uint32(b[12:]) != 0, First: int(first), Len: int(n),
		})
	}
	return list, nil
}

// Row reads one row.
func (t *Table) Row(i int) (Row, error) {
	if i < 0 || int64(i) >= t.rows {
		return Row{}, fmt.Errorf("%w: there is no row %d", ErrStale, i)
	}
	b, err := t.at(t.rowsAt()+int64(i)*rowSize, rowSize)
	if err != nil {
		return Row{}, err
	}
	le := binary.LittleEndian
	expires := int64(le.Uint64(b[8:]))
	return Row{
		TS: log.Stamp(le.Uint64(b)), Expires: log.Stamp(expires), HasExpiry: expires != never, Offset: int64(le.Uint64(b[16:])), Hash: le.Uint64(b[24:]),
		Length: int(le.Uint32(b[32:])), tags: le.Uint32(b[36:]),
	}, nil
}

// OfLine gives the number of the row of a line of the state, from 0.
func (t *Table) OfLine(line int) (int, error) {
	if line < 0 || int64(line) >= t.rows {
		return 0, fmt.Errorf("%w: there is no line %d", ErrStale, line)
	}
	b, err := t.at(t.linesAt()+int64(line)*lineSize, lineSize)
	if err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint32(b)), nil
}

// WithHash gives the rows whose key has this hash: one, seldom none, hardly ever more.
func (t *Table) WithHash(hash uint64) (rows []int, err error) {
	at := func(i int) (uint64, int) {
		b, e := t.at(t.hashesAt()+int64(i)*hashSize, hashSize)
		if e != nil {
			err = e
			return 0, 0
		}
		return binary.LittleEndian.Uint64(b), int(binary.LittleEndian.Uint32(b[8:]))
	}
	i := sort.Search(int(t.rows), func(i int) bool { h, _ := at(i); return h >= hash })
	for ; i < int(t.rows) && err == nil; i++ {
		h, row := at(i)
		if h != hash {
			break
		}
		rows = append(rows, row)
	}
	return rows, err
}

// Expired counts the rows outside /untrusted whose time was over at now.
func (t *Table) Expired(now log.Stamp) (n int, err error) {
	n = sort.Search(int(t.expiries), func(i int) bool {
		b, e := t.at(t.expiriesAt()+int64(i)*8, 8)
		if e != nil {
			err = e
			return true
		}
		return log.Stamp(binary.LittleEndian.Uint64(b)) >= now
	})
	return n, err
}

// Tags gives content.tags of a row.
func (t *Table) Tags(r Row) ([]string, error) {
	if r.tags == 0 {
		return nil, nil
	}
	list, known := t.tags[r.tags]
	if known {
		return list, nil
	}
	text, err := t.text(r.tags)
	if err != nil {
		return nil, err
	}
	for element := range jsontext.Elements(text) {
		list = append(list, jsontext.Unquote(element))
	}
	t.tags[r.tags] = list
	return list, nil
}

// text gives an entry of the string table.
func (t *Table) text(at uint32) ([]byte, error) {
	if int64(at) > t.texts-4 {
		return nil, fmt.Errorf("%w: it leads out of the string table", ErrStale)
	}
	head, err := t.at(t.textsAt()+int64(at), 4)
	if err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head))
	if n > t.texts-4-int64(at) {
		return nil, fmt.Errorf("%w: it leads out of the string table", ErrStale)
	}
	return t.at(t.textsAt()+int64(at)+4, int(n))
}
