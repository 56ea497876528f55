package columns

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Dir and File name the sidecar below the root.
const (
	Dir  = "cache"
	File = "columns"
)

const (
	magic      = "memcol2\n"
	headerSize = 80
	bandSize   = 32
	rowSize    = 40
	lineSize   = 4
	hashSize   = 12
	never      = math.MaxInt64
)

// Builder collects the rows while a compaction writes the state: 48 bytes for each.
type Builder struct {
	rows    []draft
	bands   map[band]uint32
	order   []band // by number
	strings map[string]uint32
	table   []byte
	offset  int64
}

// band is what the rows of one band have in common.
type band struct {
	importance float64
	kind       uint32
	apart      bool
}

// draft is a row, before it has its place.
type draft struct {
	ts, expires, offset int64
	hash                uint64
	length, tags, band  uint32
}

// NewBuilder begins a sidecar of about so many rows.
func NewBuilder(rows int) *Builder {
	b := &Builder{rows: make([]draft, 0, rows), bands: map[band]uint32{}, strings: map[string]uint32{}}
	b.entry("")
	return b
}

// Add takes the next line of the state; lines come in their order.
func (b *Builder) Add(rec log.Record) {
	f := content.Parse(rec.Content)
	d := draft{
		ts: int64(rec.TS), expires: never, offset: b.offset, hash: Hash(rec.Key), length: uint32(len(rec.Line)), tags: b.entry(tagList(f.Tags)),
		band: b.band(band{importance: f.Importance, kind: b.entry(f.Type), apart: rec.Key.Untrusted()}),
	}
	if f.HasExpiry {
		d.expires = int64(f.Expires)
	}
	b.rows = append(b.rows, d)
	b.offset += int64(len(rec.Line)) + 1
}

func (b *Builder) band(k band) uint32 {
	n, ok := b.bands[k]
	if !ok {
		n = uint32(len(b.order))
		b.bands[k] = n
		b.order = append(b.order, k)
	}
	return n
}

// tagList writes tags as a JSON array; none as nothing.
func tagList(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	var list []byte
	for _, tag := range tags {
		list = jsontext.AppendString(append(list, ','), tag)
	}
	list[0] = '['
	return string(append(list, ']'))
}

// entry gives the offset of a text in the string table.
func (b *Builder) entry(text string) uint32 {
	if i, ok := b.strings[text]; ok {
		return i
	}
	i := uint32(len(b.table))
	b.strings[strings.Clone(text)] = i
	b.table = binary.LittleEndian.AppendUint32(b.table, uint32(len(text)))
	b.table = append(b.table, text...)
	return i
}

// Draft is a sidecar under a temporary name. It is not synced: what a power cut leaves of it is refused by its checksums.
type Draft struct {
	dir  *disk.Dir
	temp string
}

// Draft writes the sidecar, for a state of this size and SHA-256 (in hex). Either Install or Discard ends it.
func (b *Builder) Draft(root *disk.Dir, stateSize int64, stateSum string) (*Draft, error) {
	sum, err := hex.DecodeString(stateSum)
	if err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("columns: %q is no SHA-256", stateSum)
	}
	dir, err := root.Sub(Dir, true)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(b.rows, func(x, y draft) int {
		return cmp.Or(cmp.Compare(x.band, y.band), cmp.Compare(y.ts, x.ts), cmp.Compare(x.offset, y.offset))
	})
	temp, err := dir.TempFile(func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 16*blockSize)
		out := &blockWriter{w: buffered}
		b.write(out, uint64(stateSize), sum)
		if err := out.close(); err != nil {
			return err
		}
		return buffered.Flush()
	})
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &Draft{dir: dir, temp: temp}, nil
}

// Install puts the sidecar in place.
func (d *Draft) Install() error {
	defer d.dir.Close()
	return d.dir.Commit(d.temp, File)
}

// Discard removes it.
func (d *Draft) Discard() {
	d.dir.Remove(d.temp)
	d.dir.Close()
}

// write writes the sections. The block writer keeps an error for its end.
func (b *Builder) write(w io.Writer, stateSize uint64, sum []byte) {
	le := binary.LittleEndian
	expiries := b.expiries()
	head := append(make([]byte, 0, headerSize), magic...)
	for _, v := range [...]uint64{uint64(len(b.order)), uint64(len(b.rows)), uint64(len(expiries)), uint64(len(b.table)), stateSize} {
		head = le.AppendUint64(head, v)
	}
	w.Write(append(head, sum...))
	w.Write(b.bandTable())
	var buf [rowSize]byte
	for _, d := range b.rows {
		w.Write(d.append(buf[:0]))
	}
	for _, row := range b.lines() {
		w.Write(le.AppendUint32(buf[:0], row))
	}
	for _, h := range b.hashes() {
		w.Write(le.AppendUint32(le.AppendUint64(buf[:0], h.hash), h.row))
	}
	for _, at := range expiries {
		w.Write(le.AppendUint64(buf[:0], uint64(at)))
	}
	w.Write(b.table)
}

func (d draft) append(dst []byte) []byte {
	le := binary.LittleEndian
	for _, v := range [...]uint64{uint64(d.ts), uint64(d.expires), uint64(d.offset), d.hash} {
		dst = le.AppendUint64(dst, v)
	}
	return le.AppendUint32(le.AppendUint32(dst, d.length), d.tags)
}

// bandTable counts the rows of each band; they are sorted by now.
func (b *Builder) bandTable() (table []byte) {
	le := binary.LittleEndian
	first := 0
	for n, k := range b.order {
		end := first
		for end < len(b.rows) && b.rows[end].band == uint32(n) {
			end++
		}
		apart := uint32(0)
		if k.apart {
			apart = 1
		}
		table = le.AppendUint64(table, math.Float64bits(k.importance))
		table = le.AppendUint32(le.AppendUint32(table, k.kind), apart)
		table = le.AppendUint64(le.AppendUint64(table, uint64(first)), uint64(end-first))
		first = end
	}
	return table
}

// lines gives the row of each line: rows keep the offsets, which grow with the lines.
func (b *Builder) lines() []uint32 {
	list := make([]uint32, len(b.rows))
	for i := range list {
		list[i] = uint32(i)
	}
	slices.SortFunc(list, func(x, y uint32) int { return cmp.Compare(b.rows[x].offset, b.rows[y].offset) })
	return list
}

// hashed is a row and the hash of its key.
type hashed struct {
	hash uint64
	row  uint32
}

func (b *Builder) hashes() []hashed {
	list := make([]hashed, len(b.rows))
	for i, d := range b.rows {
		list[i] = hashed{d.hash, uint32(i)}
	}
	slices.SortFunc(list, func(x, y hashed) int { return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.row, y.row)) })
	return list
}

func (b *Builder) expiries() (list []int64) {
	for _, d := range b.rows {
		if d.expires != never && !b.order[d.band].apart {
			list = append(list, d.expires)
		}
	}
	slices.Sort(list)
	return list
}

// Hash is the first 8 bytes of a key's SHA-256: rows have no room for the key itself, and a hash that is easy to collide could hide a
// memory behind another.
func Hash(key keypath.Key) uint64 {
	sum := sha256.Sum256([]byte(key.String()))
	return binary.LittleEndian.Uint64(sum[:])
}
