package numbered

import (
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/keypath"
)

// ErrStale is wrapped by every error of a sidecar that is not one of this state, or damaged: it is
// then not used. It wraps [sidecar.ErrStale].
var ErrStale = sidecar.NewStale("numbers of notes")

var format = &sidecar.Format{
	File: "numbered", Magic: "memnum1\n", PageSize: 1024, Sections: sections, Stale: ErrStale,
}

const (
	secRows = iota
	secKeys
	sections
)

const rowSize = 16

// Keys is the keys that have a number, by their numbers.
type Keys map[int64][]keypath.Key

// Add adds a key, if it has a number.
func (k Keys) Add(key keypath.Key) {
	if _, n, ok := key.Number(); ok && !slices.Contains(k[n], key) {
		k[n] = append(k[n], key)
	}
}

// AddAll adds keys.
func (k Keys) AddAll(keys iter.Seq2[keypath.Key, error]) error {
	for key, err := range keys {
		if err != nil {
			return err
		}
		k.Add(key)
	}
	return nil
}

// Draft writes a sidecar of keys for a state of this size and SHA-256 (in hex). Either Install or
// Discard ends it.
func (k Keys) Draft(root *disk.Dir, stateSize int64, stateSum string) (*sidecar.Draft, error) {
	return sidecar.Create(root, format, stateSize, stateSum, func(w *sidecar.Writer) error {
		var keys []byte
		for _, n := range slices.Sorted(maps.Keys(k)) {
			slices.SortFunc(k[n], keypath.Key.Compare)
			for _, key := range k[n] {
				w.Uint64(uint64(n))
				w.Uint64(uint64(len(keys)))
				keys = append(keys, key.String()...)
			}
		}
		w.EndSection()
		w.Section(keys)
		return w.Err()
	})
}

// Table is an open sidecar. Its methods are called within [disk.Guard].
type Table struct{ file *sidecar.File }

// Open maps the sidecar if it is one of the state with this size and SHA-256 (in hex). The error
// wraps ErrStale, fs.ErrNotExist or is the file system's; in every case the caller goes on without.
func Open(root *disk.Dir, stateSize int64, stateSum string) (*Table, error) {
	file, err := sidecar.Open(root, format, stateSize, stateSum)
	if err != nil {
		return nil, err
	}
	return &Table{file}, nil
}

// Close unmaps.
func (t *Table) Close() error { return t.file.Close() }

// All yields the keys. An error is the last.
func (t *Table) All() iter.Seq2[keypath.Key, error] {
	return t.from(0, func(int64) bool { return true })
}

// Of yields the keys that have a number. An error is the last.
func (t *Table) Of(n int64) iter.Seq2[keypath.Key, error] {
	var failed error
	first := sort.Search(t.rows(), func(i int) bool {
		at, _, err := t.row(i)
		if err != nil {
			failed = err
		}
		return err != nil || at >= n
	})
	if failed != nil {
		return func(yield func(keypath.Key, error) bool) { yield(keypath.Key{}, failed) }
	}
	return t.from(first, func(at int64) bool { return at == n })
}

// from yields the keys from a row on while their numbers are wanted.
func (t *Table) from(i int, wanted func(n int64) bool) iter.Seq2[keypath.Key, error] {
	return func(yield func(keypath.Key, error) bool) {
		for ; i < t.rows(); i++ {
			n, from, err := t.row(i)
			if err == nil && !wanted(n) {
				return
			}
			var key keypath.Key
			if err == nil {
				key, err = t.key(i, from)
			}
			if !yield(key, err) || err != nil {
				return
			}
		}
	}
}

func (t *Table) rows() int { return t.file.Size(secRows) / rowSize }

func (t *Table) row(i int) (n int64, from int, err error) {
	b, err := t.file.Part(secRows, i*rowSize, (i+1)*rowSize)
	if err != nil {
		return 0, 0, err
	}
	le := binary.LittleEndian
	return int64(le.Uint64(b)), int(le.Uint64(b[8:])), nil
}

// key returns the key of a row.
func (t *Table) key(i, from int) (key keypath.Key, err error) {
	to := t.file.Size(secKeys)
	if i+1 < t.rows() {
		if _, to, err = t.row(i + 1); err != nil {
			return key, err
		}
	}
	text, err := t.file.Part(secKeys, from, to)
	if err != nil {
		return key, err
	}
	if key, err = keypath.Parse(string(text)); err != nil {
		err = fmt.Errorf("%w: %w", ErrStale, err)
	}
	return key, err
}
