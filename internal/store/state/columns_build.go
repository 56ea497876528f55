package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// columnsFormat is that of the sidecar. Its sections are described in doc.go.
var columnsFormat = &sidecar.Format{
	File: "columns", Magic: "memcolC" + keypath.Edition, PageSize: 4096,
	Sections: columnSections, Stale: errStale,
}

const (
	secBands = iota
	secRows
	secLines
	secHashes
	secNames
	secExpiries
	secGroups
	secStrings
	columnSections
)

const (
	bandSize   = 40
	rowSize    = 56
	lineSize   = 4
	hashSize   = 12
	expirySize = 8
	groupSize  = 12
	never      = math.MaxInt64
)

// columnsBuilder collects the rows while a compaction writes the state: 64 bytes for each.
type columnsBuilder struct {
	rows    []builtRow // by line
	places  []place    // of the rows in the file, once all are there
	bands   map[builtBand]uint32
	order   []builtBand // by number
	strings map[string]uint32
	table   []byte
	names   []hashed // of files, with the line in place of the row
	offset  int64
}

// builtBand is what the rows of one band have in common.
type builtBand struct {
	hundredths uint8
	kind       uint32
	realm      builtRealm
	superseded bool
	rule       bool
}

// builtRealm is a keypath.Realm, its owner by the offset in the string table.
type builtRealm struct {
	class keypath.Class
	label keypath.Label
	owner uint32
}

// code returns class and label as one number.
func (r builtRealm) code() uint32 { return uint32(r.class) | uint32(r.label)<<8 }

// realmOf is the way back from code.
func realmOf(code uint32, owner []byte) keypath.Realm {
	return keypath.Realm{Class: keypath.Class(code), Label: keypath.Label(code >> 8),
		Owner: string(owner)}
}

// hundredths returns an importance in hundredths, rounded up, as a band must promise it.
func hundredths(importance float64) uint8 {
	n := uint8(math.Round(importance * 100))
	if float64(n)/100 < importance {
		n++
	}
	return n
}

// builtRow is a row, before it has its place.
type builtRow struct {
	ts, time, expires, offset int64
	importance                float64
	hash                      uint64
	length, tags, band        uint32
}

// newColumnsBuilder begins a sidecar of about so many rows.
func newColumnsBuilder(rows int) *columnsBuilder {
	b := &columnsBuilder{
		rows: make([]builtRow, 0, rows), bands: map[builtBand]uint32{},
		strings: map[string]uint32{},
	}
	textAt(b, "")
	return b
}

// Add takes the next line of the state, with the fields that [content.ParseNaming] finds; lines
// come in their order.
func (b *columnsBuilder) Add(rec log.Record, f content.Fields) {
	for _, name := range f.IndexedNames() {
		b.names = append(b.names, hashed{HashText(name), uint32(len(b.rows))})
	}
	row := rankRow{
		TS: rec.TS, Time: f.Time(rec.TS), Expires: never, Importance: f.Importance,
		Hash: hashKey(rec.Key), Length: len(rec.Line),
	}
	if f.HasExpiry {
		row.Expires = f.Expires
	}
	tags := textAt(b, tagList(f.Tags))
	b.keep(row, tags, b.bandOf(row.Importance, rankBand{Type: f.Type,
		Realm: content.RealmOf(rec.Key, f), Superseded: f.SupersededBy != "", Rule: f.IsRule()}))
}

// keep takes the next line by its row, the offset of its tags and its band. The names of its files
// come apart.
func (b *columnsBuilder) keep(row rankRow, tags, band uint32) {
	b.rows = append(b.rows, builtRow{
		ts: int64(row.TS), time: int64(row.Time), expires: int64(row.Expires), offset: b.offset,
		importance: row.Importance, hash: row.Hash,
		length: uint32(row.Length), tags: tags, band: band,
	})
	b.offset += int64(row.Length) + 1
}

// bandOf returns the number of the band of rows of this importance. A row's tags have their place
// among the strings before it is called.
func (b *columnsBuilder) bandOf(importance float64, of rankBand) uint32 {
	return b.band(builtBand{
		hundredths(importance), textAt(b, of.Type),
		builtRealm{of.Realm.Class, of.Realm.Label, textAt(b, of.Realm.Owner)},
		of.Superseded, of.Rule,
	})
}

func (b *columnsBuilder) band(k builtBand) uint32 {
	n, ok := b.bands[k]
	if !ok {
		n = uint32(len(b.order))
		b.bands[k] = n
		b.order = append(b.order, k)
	}
	return n
}

// tagList writes tags as a JSON array; none as nothing.
func tagList(tags []string) (list []byte) {
	if len(tags) == 0 {
		return nil
	}
	for _, tag := range tags {
		list = jsontext.AppendString(append(list, ','), tag)
	}
	list[0] = '['
	return append(list, ']')
}

// textAt returns the offset of a text in the string table.
func textAt[T string | []byte](b *columnsBuilder, text T) uint32 {
	if i, ok := b.strings[string(text)]; ok {
		return i
	}
	i := uint32(len(b.table))
	b.strings[strings.Clone(string(text))] = i
	b.table = binary.LittleEndian.AppendUint32(b.table, uint32(len(text)))
	b.table = append(b.table, text...)
	return i
}

// Draft writes the sidecar, for a state of this size and SHA-256 (in hex). Either Install or
// Discard ends it.
func (b *columnsBuilder) Draft(root *disk.Dir, stateSize int64, stateSum string) (
	*sidecar.Draft, error) {
	b.sort()
	return sidecar.Create(root, columnsFormat, stateSize, stateSum, b.write)
}

// place is what orders a row, with its line: shorter than the row, for it is moved about.
type place struct {
	time       int64
	band, line uint32
}

// sort orders the rows: band by band, the newest first, those of one time in the order of their
// lines.
func (b *columnsBuilder) sort() {
	b.places = make([]place, len(b.rows))
	for i := range b.rows {
		b.places[i] = place{b.rows[i].time, b.rows[i].band, uint32(i)}
	}
	slices.SortFunc(b.places, func(x, y place) int {
		switch {
		case x.band != y.band:
			return cmp.Compare(x.band, y.band)
		case x.time != y.time:
			return cmp.Compare(y.time, x.time)
		}
		return cmp.Compare(x.line, y.line)
	})
}

func (b *columnsBuilder) write(w *sidecar.Writer) error {
	w.Section(b.bandTable())
	var buf [rowSize]byte
	for _, p := range b.places {
		_, _ = w.Write(b.rows[p.line].append(buf[:0])) // the writer keeps the error
	}
	w.EndSection()
	for _, row := range b.rowsByLine() {
		w.Uint32(row)
	}
	w.EndSection()
	for _, list := range [...][]hashed{b.rowsByHash(), b.linesByName()} {
		for _, h := range list {
			w.Uint64(h.hash)
			w.Uint32(h.row)
		}
		w.EndSection()
	}
	expiries := b.expiries()
	for _, e := range expiries {
		w.Uint64(uint64(e.at))
	}
	w.EndSection()
	for i, e := range expiries {
		if i+1 < len(expiries) && expiries[i+1].of == e.of {
			continue
		}
		w.Uint32(e.of.code())
		w.Uint32(e.of.owner)
		w.Uint32(uint32(i + 1))
	}
	w.EndSection()
	w.Section(b.table)
	return w.Err()
}

func (d builtRow) append(dst []byte) []byte {
	le := binary.LittleEndian
	for _, v := range [...]uint64{uint64(d.ts), uint64(d.time), uint64(d.expires),
		math.Float64bits(d.importance), uint64(d.offset), d.hash} {
		dst = le.AppendUint64(dst, v)
	}
	return le.AppendUint32(le.AppendUint32(dst, d.length), d.tags)
}

// bandTable counts the rows of each band; they have their places by now.
func (b *columnsBuilder) bandTable() (table []byte) {
	le := binary.LittleEndian
	first := 0
	for n, k := range b.order {
		end := first
		for end < len(b.places) && b.places[end].band == uint32(n) {
			end++
		}
		table = le.AppendUint64(table, math.Float64bits(float64(k.hundredths)/100))
		table = le.AppendUint32(le.AppendUint32(table, k.kind), k.realm.code())
		table = le.AppendUint32(le.AppendUint32(table, k.realm.owner), k.flags())
		table = le.AppendUint64(le.AppendUint64(table, uint64(first)), uint64(end-first))
		first = end
	}
	return table
}

// The flags of a band.
const (
	flagSuperseded = 1 << iota
	flagRule
)

func (k builtBand) flags() (flags uint32) {
	if k.superseded {
		flags |= flagSuperseded
	}
	if k.rule {
		flags |= flagRule
	}
	return flags
}

// rowsByLine returns the row of each line.
func (b *columnsBuilder) rowsByLine() []uint32 {
	list := make([]uint32, len(b.places))
	for row, p := range b.places {
		list[p.line] = uint32(row)
	}
	return list
}

// hashed is a row and the hash of its key, or of a file that it names.
type hashed struct {
	hash uint64
	row  uint32
}

func (h hashed) compare(o hashed) int {
	if h.hash != o.hash {
		return cmp.Compare(h.hash, o.hash)
	}
	return cmp.Compare(h.row, o.row)
}

func (b *columnsBuilder) rowsByHash() []hashed {
	list := make([]hashed, len(b.places))
	for row, p := range b.places {
		list[row] = hashed{b.rows[p.line].hash, uint32(row)}
	}
	slices.SortFunc(list, hashed.compare)
	return list
}

// linesByName returns the lines that name files, each once for a name.
func (b *columnsBuilder) linesByName() []hashed {
	slices.SortFunc(b.names, hashed.compare)
	return slices.Compact(b.names)
}

// expiry is when a row's time is over, in microseconds.
type expiry struct {
	of builtRealm
	at int64
}

func (b *columnsBuilder) expiries() (list []expiry) {
	for _, d := range b.rows {
		if d.expires != never {
			list = append(list, expiry{b.order[d.band].realm, d.expires})
		}
	}
	slices.SortFunc(list, func(x, y expiry) int {
		return cmp.Or(cmp.Compare(x.of.code(), y.of.code()), cmp.Compare(x.of.owner, y.of.owner),
			cmp.Compare(x.at, y.at))
	})
	return list
}

// hashKey is the first 8 bytes of a key's SHA-256: rows have no room for the key itself, and a hash
// that is easy to collide could hide a memory behind another.
func hashKey(key keypath.Key) uint64 { return HashText(key.String()) }

// HashText is the first 8 bytes of a text's SHA-256: one that is easy to collide could hide a key.
func HashText(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:])
}
