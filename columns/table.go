package columns

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// ErrStale is wrapped by Open when the sidecar is not one of this state: it is then not used.
var ErrStale = errors.New("no columns for this state")

// Table is an open sidecar. The memory is mapped: a row is read where it lies.
type Table struct {
	data  []byte
	rows  []byte
	table []byte
	types map[uint32]string // entries of the string table that have been read
	tags  map[uint32][]string
	unmap func() error
}

// Row is what ranking needs of one line of the state.
type Row struct {
	TS      log.Stamp
	Expires log.Stamp // meaningful only when HasExpiry
	Offset  int64     // of the line in state.jsonl
	Length  int       // of the line, without its newline
	Hash    uint64    // of the key

	Importance float64 // 0..1
	HasExpiry  bool

	kind, tags uint32 // offsets in the string table
}

// Open maps the sidecar if it is one of the state with this size and SHA-256 (in hex). The error wraps ErrStale, fs.ErrNotExist
// or is the file system's; in every case the caller goes on without.
func Open(root *disk.Dir, stateSize int64, stateSum string) (*Table, error) {
	data, unmap, err := root.Map(Dir + "/" + File)
	if err != nil {
		return nil, err
	}
	t := &Table{data: data, unmap: unmap}
	if err := t.check(stateSize, stateSum); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Close unmaps.
func (t *Table) Close() error { return t.unmap() }

// check refuses anything that is not, byte for byte, what Write wrote for this state, and anything that would lead a reader out of
// bounds.
func (t *Table) check(stateSize int64, stateSum string) error {
	le := binary.LittleEndian
	if len(t.data) < headerSize || string(t.data[:len(magic)]) != magic {
		return fmt.Errorf("%w: not a sidecar of this version", ErrStale)
	}
	rows, table := le.Uint64(t.data[8:]), le.Uint64(t.data[16:])
	sum, err := hex.DecodeString(stateSum)
	if err != nil || len(sum) < sumSize || le.Uint64(t.data[24:]) != uint64(stateSize) || string(t.data[32:60]) != string(sum[:sumSize]) {
		return fmt.Errorf("%w: written for another state", ErrStale)
	}
	body := uint64(len(t.data) - headerSize)
	if rows > body/rowSize || table != body-rows*rowSize {
		return fmt.Errorf("%w: cut short", ErrStale)
	}
	crc := crc32.Update(0, castagnoli(), t.data[:60])
	crc = crc32.Update(crc, castagnoli(), []byte{0, 0, 0, 0})
	if crc = crc32.Update(crc, castagnoli(), t.data[headerSize:]); crc != le.Uint32(t.data[60:]) {
		return fmt.Errorf("%w: damaged", ErrStale)
	}
	t.rows = t.data[headerSize : headerSize+rows*rowSize]
	t.table = t.data[headerSize+rows*rowSize:]
	t.types, t.tags = map[uint32]string{}, map[uint32][]string{}
	return nil
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) / rowSize }

// Row reads one row.
func (t *Table) Row(i int) Row {
	b := t.rows[i*rowSize : (i+1)*rowSize]
	le := binary.LittleEndian
	expires := int64(le.Uint64(b[8:]))
	return Row{
		TS: log.Stamp(le.Uint64(b)), Expires: log.Stamp(expires), HasExpiry: expires != never, Offset: int64(le.Uint64(b[16:])), Hash: le.Uint64(b[24:]),
		Importance: math.Float64frombits(le.Uint64(b[32:])), Length: int(le.Uint32(b[40:])), kind: le.Uint32(b[44:]), tags: le.Uint32(b[48:]),
	}
}

// Type gives content.type of a row.
func (t *Table) Type(r Row) string {
	text, ok := t.types[r.kind]
	if !ok {
		text = string(t.entry(r.kind))
		t.types[r.kind] = text
	}
	return text
}

// Tags gives content.tags of a row.
func (t *Table) Tags(r Row) []string {
	if r.tags == 0 {
		return nil
	}
	list, ok := t.tags[r.tags]
	if !ok {
		for element := range log.Elements(t.entry(r.tags)) {
			list = append(list, log.Unquote(element))
		}
		t.tags[r.tags] = list
	}
	return list
}

// entry gives an entry of the string table; nothing for an offset that leads out of it.
func (t *Table) entry(at uint32) []byte {
	if uint64(at)+4 > uint64(len(t.table)) {
		return nil
	}
	rest := t.table[at+4:]
	return rest[:min(uint64(binary.LittleEndian.Uint32(t.table[at:])), uint64(len(rest)))]
}
