package sizes

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sidecar"
)

// Draft writes a sidecar of what a tally has, which is settled, for a state of this size and
// SHA-256 (in hex), and for so many bytes of the history that it covers. Either Install or Discard
// ends it.
func (t *Tally) Draft(
	root *disk.Dir, stateSize int64, stateSum string, covered int64,
) (*sidecar.Draft, error) {
	return sidecar.Create(root, format, stateSize, stateSum, func(w *sidecar.Writer) error {
		return t.write(w, covered)
	})
}

// Remove removes the sidecar, where one that does not hold any more cannot be replaced. A crash
// before it leaves a sidecar that is refused, unless the history that it was made of is as long as
// before.
func Remove(root *disk.Dir) error {
	return disk.IgnoreNotExist(root.Remove(sidecar.Dir + "/" + format.File))
}

func (t *Tally) write(w *sidecar.Writer, covered int64) error {
	all, err := t.all()
	if err != nil {
		return err
	}
	first := uint64(0)
	var sums []byte
	le := binary.LittleEndian
	for _, s := range all {
		if s.newer == nil {
			if s.rows, err = t.base.rows(s.entry); err != nil {
				return err
			}
		}
		n := s.write(w)
		for _, v := range [...]uint64{s.hash, uint64(s.live), uint64(s.deleted), first, n} {
			sums = le.AppendUint64(sums, v)
		}
		first += n
	}
	w.EndSection()
	w.Section(sums)
	w.SetNumbers(uint64(covered))
	return w.Err()
}

// all returns every prefix, by its hash; those that have only what the sidecar has without rows.
func (t *Tally) all() ([]*summed, error) {
	list := slices.Collect(maps.Values(t.below))
	base, err := t.table()
	if err != nil {
		return nil, err
	}
	for i := 0; base != nil && i < base.prefixes(); i++ {
		e, err := base.prefix(i)
		if err != nil {
			return nil, err
		}
		if t.below[e.hash] == nil {
			list = append(list, &summed{entry: e})
		}
	}
	slices.SortFunc(list, func(a, b *summed) int { return cmp.Compare(a.hash, b.hash) })
	return list, nil
}

// write writes the rows of a prefix, by their hashes, and returns how many.
func (s *summed) write(w *sidecar.Writer) (n uint64) {
	newer := slices.SortedFunc(maps.Values(s.newer),
		func(a, b row) int { return cmp.Compare(a.hash, b.hash) })
	n = uint64(len(newer))
	for i := range s.rows.len() {
		r := s.rows.rowAt(i)
		for ; len(newer) > 0 && newer[0].hash < r.hash; newer = newer[1:] {
			newer[0].write(w)
		}
		if _, replaced := s.newer[r.hash]; !replaced {
			r.write(w)
			n++
		}
	}
	for _, r := range newer {
		r.write(w)
	}
	return n
}

func (r row) write(w *sidecar.Writer) {
	size := r.size
	if r.deleted {
		size |= tombMask
	}
	w.Uint64(r.hash)
	w.Uint64(uint64(r.ts))
	w.Uint32(size)
}
