package sizes

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/log"
)

// ErrStale is wrapped by every error of a sidecar that is not one of this state, or damaged: it is
// then not used. It wraps [sidecar.ErrStale].
var ErrStale = sidecar.NewStale("sizes")

// format is that of the sidecar. Its sections are described in doc.go.
var format = &sidecar.Format{
	File: "sizes", Magic: "memsize1", PageSize: 1024, Sections: sections, Numbers: 1,
	Stale: ErrStale,
}

const (
	secRows = iota
	secSums
	sections
)

const (
	rowSize  = 20
	sumSize  = 40
	tombMask = 1 << 31
)

// table is an open sidecar. The memory is mapped: only the pages asked for are read.
type table struct{ file *sidecar.File }

// entry is the sums of one prefix, and where its rows are in a table.
type entry struct {
	hash          uint64 // of the prefix
	live, deleted int64
	first, count  int
}

// openTable maps the sidecar if it is one of the state with this size and SHA-256 (in hex), and if
// it covers so many bytes of the history. The errors are those of sidecar.Open.
func openTable(root *disk.Dir, stateSize int64, stateSum string, covered int64) (*table, error) {
	file, err := sidecar.Open(root, format, stateSize, stateSum)
	if err != nil {
		return nil, err
	}
	if why := misfit(file, covered); why != "" {
		file.Close()
		return nil, stale(why)
	}
	return &table{file}, nil
}

func misfit(file *sidecar.File, covered int64) string {
	switch {
	case file.Number(0) != uint64(covered):
		return "written for another part of the history"
	case file.Size(secRows)%rowSize != 0, file.Size(secSums)%sumSize != 0:
		return "sections of a wrong size"
	}
	return ""
}

// Close unmaps.
func (t *table) Close() error { return t.file.Close() }

func stale(why string) error { return fmt.Errorf("%w: %s", ErrStale, why) }

func (t *table) prefixes() int { return t.file.Size(secSums) / sumSize }

// prefix returns the i-th prefix, in the order of their hashes.
func (t *table) prefix(i int) (e entry, err error) {
	b, err := t.file.Part(secSums, i*sumSize, (i+1)*sumSize)
	if err != nil {
		return e, err
	}
	le := binary.LittleEndian
	first, count := le.Uint64(b[24:]), le.Uint64(b[32:])
	most := uint64(t.file.Size(secRows) / rowSize)
	if first > most || count > most-first {
		return e, stale("a prefix leads out of the rows")
	}
	return entry{
		hash: le.Uint64(b), live: int64(le.Uint64(b[8:])), deleted: int64(le.Uint64(b[16:])),
		first: int(first), count: int(count),
	}, nil
}

// rows returns a copy of the rows of a prefix.
func (t *table) rows(e entry) (rows, error) {
	if e.count == 0 {
		return nil, nil
	}
	b, err := t.file.Part(secRows, e.first*rowSize, (e.first+e.count)*rowSize)
	return bytes.Clone(b), err
}

// rows are the rows of a prefix, by the hashes of their keys, as the sidecar has them.
type rows []byte

func (list rows) len() int { return len(list) / rowSize }

func (list rows) rowAt(i int) row {
	le, b := binary.LittleEndian, list[i*rowSize:]
	size := le.Uint32(b[16:])
	return row{
		hash: le.Uint64(b), ts: log.Stamp(le.Uint64(b[8:])), size: size &^ tombMask,
		deleted: size&tombMask != 0,
	}
}

func (list rows) find(hash uint64) (r row, found bool) {
	i := sort.Search(list.len(), func(i int) bool {
		return binary.LittleEndian.Uint64(list[i*rowSize:]) >= hash
	})
	if i == list.len() {
		return r, false
	}
	if r = list.rowAt(i); r.hash != hash {
		return row{}, false
	}
	return r, true
}

func (t *table) find(hash uint64) (e entry, found bool, err error) {
	n := t.prefixes()
	i := sort.Search(n, func(i int) bool {
		if err == nil {
			e, err = t.prefix(i)
		}
		return err != nil || e.hash >= hash
	})
	if err != nil || i == n {
		return entry{}, false, err
	}
	e, err = t.prefix(i)
	return e, e.hash == hash, err
}
