package state

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// errStale is wrapped by every error of a sidecar that is not one of this state, or damaged: it is
// then not used. It wraps [sidecar.ErrStale].
var errStale = sidecar.NewStale("columns")

// columns is an open sidecar. The memory is mapped: only the pages asked for are read.
type columns struct {
	file *sidecar.File
	rows int
	tags map[uint32][]string
}

// rankBand is the rows of one type, realm and share of importance, the newest first.
type rankBand struct {
	Type       string
	Importance float64       // 0..1, in hundredths: the most that one of its rows has
	Realm      keypath.Realm // of the memories, with their label
	First, Len int           // its rows
	Superseded bool          // another memory has taken the place of each, see content.Successor
	Rule       bool          // each says that it is one, see content.Fields.IsRule
}

// rankRow is what ranking needs of one line of the state.
type rankRow struct {
	TS      log.Stamp
	Time    log.Stamp // of the memory, see content.Fields.Time
	Expires log.Stamp // meaningful only when HasExpiry
	Offset  int64     // of the line in state.jsonl; lines are in the order of their keys
	Length  int       // of the line, without its newline
	Hash    uint64    // of the key

	Importance float64 // 0..1

	HasExpiry bool

	tags uint32 // offset in the string table
}

// openColumns maps the sidecar of the state with this size and SHA-256 (in hex). The error wraps
// errStale, fs.ErrNotExist or is the file system's; the caller then goes on without.
func openColumns(root *disk.Dir, stateSize int64, stateSum string) (*columns, error) {
	file, err := sidecar.Open(root, columnsFormat, stateSize, stateSum)
	if err != nil {
		return nil, err
	}
	t := &columns{file: file, rows: file.Size(secRows) / rowSize, tags: map[uint32][]string{}}
	if !t.fits() {
		t.Close()
		return nil, staleColumns("sections of a wrong size")
	}
	return t, nil
}

// Close unmaps, where nobody else shares the columns.
func (t *columns) Close() error { return t.file.Close() }

// Share returns the columns for one more user, which closes them.
func (t *columns) Share() *columns {
	return &columns{file: t.file.Share(), rows: t.rows, tags: map[uint32][]string{}}
}

// fits reports whether the sections have the sizes that their entries demand.
func (t *columns) fits() bool {
	size := t.file.Size
	return size(secBands)%bandSize == 0 && size(secRows) == t.rows*rowSize &&
		size(secLines) == t.rows*lineSize && size(secHashes) == t.rows*hashSize &&
		size(secNames)%hashSize == 0 &&
		size(secExpiries)%expirySize == 0 && size(secGroups)%groupSize == 0
}

// Len returns the number of rows.
func (t *columns) Len() int { return t.rows }

func staleColumns(why string) error { return fmt.Errorf("%w: %s", errStale, why) }

func (t *columns) entry(section, size, i int) ([]byte, error) {
	return t.file.Part(section, i*size, (i+1)*size)
}

// Bands returns all bands.
func (t *columns) Bands() ([]rankBand, error) {
	list := make([]rankBand, 0, t.file.Size(secBands)/bandSize)
	for i := range cap(list) {
		b, err := t.band(i)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

func (t *columns) band(i int) (b rankBand, err error) {
	e, err := t.entry(secBands, bandSize, i)
	if err != nil {
		return b, err
	}
	le := binary.LittleEndian
	first, n := le.Uint64(e[24:]), le.Uint64(e[32:])
	if first > uint64(t.rows) || n > uint64(t.rows)-first {
		return b, staleColumns("a band leads out of the rows")
	}
	kind, err := t.text(le.Uint32(e[8:]))
	if err != nil {
		return b, err
	}
	owner, err := t.text(le.Uint32(e[16:]))
	flags := le.Uint32(e[20:])
	return rankBand{
		Type: string(kind), Importance: math.Float64frombits(le.Uint64(e)),
		Realm: realmOf(le.Uint32(e[12:]), owner),
		First: int(first), Len: int(n),
		Superseded: flags&flagSuperseded != 0, Rule: flags&flagRule != 0,
	}, err
}

// Row reads one row.
func (t *columns) Row(i int) (rankRow, error) {
	b, err := t.entry(secRows, rowSize, i)
	if err != nil {
		return rankRow{}, err
	}
	le := binary.LittleEndian
	expires := int64(le.Uint64(b[16:]))
	return rankRow{
		TS: log.Stamp(le.Uint64(b)), Time: log.Stamp(le.Uint64(b[8:])),
		Expires: log.Stamp(expires), HasExpiry: expires != never,
		Importance: math.Float64frombits(le.Uint64(b[24:])),
		Offset:     int64(le.Uint64(b[32:])), Hash: le.Uint64(b[40:]),
		Length: int(le.Uint32(b[48:])), tags: le.Uint32(b[52:]),
	}, nil
}

// RowOfLine returns the number of the row of a line of the state, from 0.
func (t *columns) RowOfLine(line int) (int, error) {
	b, err := t.entry(secLines, lineSize, line)
	if err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint32(b)), nil
}

// WithHash returns the rows whose key has this hash: one, seldom none, hardly ever more.
func (t *columns) WithHash(hash uint64) (rows []int, err error) {
	return t.hashed(secHashes, hash)
}

// Naming returns the lines of the state that name a file, by one of its names; seldom others too.
func (t *columns) Naming(name string) (lines []int, err error) {
	return t.hashed(secNames, HashText(name))
}

func (t *columns) hashed(section int, hash uint64) (rows []int, err error) {
	le, n := binary.LittleEndian, t.file.Size(section)/hashSize
	var failed error
	i := sort.Search(n, func(i int) bool {
		b, err := t.entry(section, hashSize, i)
		if err != nil {
			failed = err
			return true
		}
		return le.Uint64(b) >= hash
	})
	for ; i < n && failed == nil; i++ {
		b, err := t.entry(section, hashSize, i)
		if err != nil || le.Uint64(b) != hash {
			return rows, err
		}
		rows = append(rows, int(le.Uint32(b[8:])))
	}
	return rows, failed
}

// Expired counts the rows of some bands whose time was over at now; wanted selects the bands.
func (t *columns) Expired(now log.Stamp, wanted func(keypath.Realm) bool) (n int, err error) {
	groups := t.file.Size(secGroups) / groupSize
	first := 0
	for i := range groups {
		e, err := t.entry(secGroups, groupSize, i)
		if err != nil {
			return 0, err
		}
		le := binary.LittleEndian
		owner, err := t.text(le.Uint32(e[4:]))
		if err != nil {
			return 0, err
		}
		end := int(le.Uint32(e[8:]))
		if end < first || end > t.file.Size(secExpiries)/expirySize {
			return 0, staleColumns("a group leads out of the expiries")
		}
		if wanted(realmOf(le.Uint32(e), owner)) {
			over, err := t.expiredBefore(first, end, now)
			if err != nil {
				return 0, err
			}
			n += over
		}
		first = end
	}
	return n, nil
}

// expiredBefore counts the expiries before now in a range of them, which is ascending.
func (t *columns) expiredBefore(from, to int, now log.Stamp) (n int, err error) {
	n = sort.Search(to-from, func(i int) bool {
		e, failed := t.entry(secExpiries, expirySize, from+i)
		if failed != nil {
			err = failed
			return true
		}
		return log.Stamp(binary.LittleEndian.Uint64(e)) >= now
	})
	return n, err
}

// Tags returns content.tags of a row.
func (t *columns) Tags(r rankRow) ([]string, error) {
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

// text returns an entry of the string table.
func (t *columns) text(at uint32) ([]byte, error) {
	begin := int(at) + 4
	head, err := t.file.Part(secStrings, int(at), begin)
	if err != nil {
		return nil, err
	}
	return t.file.Part(secStrings, begin, begin+int(binary.LittleEndian.Uint32(head)))
}
