package columns

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// Dir and File name the sidecar below the root.
const (
	Dir  = "cache"
	File = "columns"
)

const (
	magic      = "memcol1\n"
	headerSize = 64
	rowSize    = 56
	sumSize    = 28
	never      = math.MaxInt64
)

// castagnoli makes its table at the first use: most processes of mem read no columns.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// Builder collects the rows while a compaction writes the state.
type Builder struct {
	rows    []byte
	strings map[string]uint32
	table   []byte
	offset  uint64
}

// NewBuilder begins a sidecar.
func NewBuilder() *Builder {
	b := &Builder{strings: map[string]uint32{}}
	b.entry("")
	return b
}

// Add takes the next line of the state; lines come in their order.
func (b *Builder) Add(rec log.Record) {
	f := log.ParseFields(rec.Content)
	expires := int64(never)
	if f.HasExpiry {
		expires = int64(f.Expires)
	}
	le := binary.LittleEndian
	b.rows = le.AppendUint64(b.rows, uint64(rec.TS))
	b.rows = le.AppendUint64(b.rows, uint64(expires))
	b.rows = le.AppendUint64(b.rows, b.offset)
	b.rows = le.AppendUint64(b.rows, Hash(rec.Key.String()))
	b.rows = le.AppendUint64(b.rows, math.Float64bits(f.Importance))
	b.rows = le.AppendUint32(b.rows, uint32(len(rec.Line)))
	b.rows = le.AppendUint32(b.rows, b.entry(f.Type))
	b.rows = le.AppendUint32(b.rows, b.entry(tagList(f.Tags)))
	b.rows = le.AppendUint32(b.rows, 0)
	b.offset += uint64(len(rec.Line)) + 1
}

// tagList writes tags as a JSON array; none as nothing.
func tagList(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	var list []byte
	for _, tag := range tags {
		list = log.AppendString(append(list, ','), tag)
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

// Write puts the sidecar in place, for a state of this size and SHA-256 (in hex).
func (b *Builder) Write(root *disk.Dir, stateSize int64, stateSum string) error {
	dir, err := root.Sub(Dir, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	head, err := b.header(stateSize, stateSum)
	if err != nil {
		return err
	}
	return dir.Replace(File, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		for _, part := range [...][]byte{head, b.rows, b.table} {
			out.Write(part)
		}
		return out.Flush()
	})
}

func (b *Builder) header(stateSize int64, stateSum string) ([]byte, error) {
	sum, err := hex.DecodeString(stateSum)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	head := append(make([]byte, 0, headerSize), magic...)
	head = le.AppendUint64(head, uint64(len(b.rows)/rowSize))
	head = le.AppendUint64(head, uint64(len(b.table)))
	head = le.AppendUint64(head, uint64(stateSize))
	head = append(head, sum[:sumSize]...)
	crc := crc32.Update(0, castagnoli(), append(head, 0, 0, 0, 0))
	for _, part := range [...][]byte{b.rows, b.table} {
		crc = crc32.Update(crc, castagnoli(), part)
	}
	return le.AppendUint32(head, crc), nil
}

// Hash is FNV-1a of a key: rows have no room for the key itself.
func Hash(key string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return h
}
