package sizes

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"maps"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tally is the newest lines of what was read of a history: of what a table has, and of what was
// added. An error of its methods wraps ErrStale where the table turns out to be damaged, and each
// is called within disk.Guard; the tally is to be thrown away then.
type Tally struct {
	base  *Table             // nil: there is none
	below map[uint64]*summed // by the hash of the prefix; of those that were asked for or added to

	// Keys with several lines of the greatest ts, of which rows do not tell the one that counts.
	tied map[keypath.Key]Line
}

// summed is the keys below one prefix.
type summed struct {
	entry
	newer map[uint64]row // by the hash of the key: what was added, where base has nothing as new
}

// row is the newest line of a key.
type row struct {
	hash    uint64 // of the key
	ts      log.Stamp
	size    uint32 // newline included
	deleted bool
}

// NewTally returns the tally of what a table has; nil for nothing. Closing it closes the table.
func NewTally(base *Table) *Tally {
	return &Tally{base: base, below: map[uint64]*summed{}, tied: map[keypath.Key]Line{}}
}

// Close closes the table. A nil tally has none.
func (t *Tally) Close() {
	if t != nil && t.base != nil {
		t.base.Close()
	}
}

// Branch returns a copy that may go on by itself, below one prefix alone. It is not to be closed.
func (t *Tally) Branch(below keypath.Prefix) *Tally {
	branch := &Tally{base: t.base, below: map[uint64]*summed{}, tied: maps.Clone(t.tied)}
	hash := hashOf(below.String())
	if s := t.below[hash]; s != nil {
		branch.below[hash] = &summed{s.entry, maps.Clone(s.newer)}
	}
	return branch
}

// Add takes lines in, and returns their error.
func (t *Tally) Add(lines iter.Seq2[Line, error]) error {
	for l, err := range lines {
		if err == nil {
			err = t.add(l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tally) add(l Line) error {
	s, err := t.at(l.below)
	if err != nil {
		return err
	}
	r := l.row()
	old, found, err := t.row(s, r.hash)
	switch {
	case err != nil:
		return err
	case found && old.ts == r.ts && old != r:
		t.tied[l.Key] = Line{}
	case !found || old.ts < r.ts:
		s.set(old, r)
		delete(t.tied, l.Key)
	}
	return nil
}

// Tied reports whether there are several lines of one key and ts, so that Size is not certain
// before [Tally.Settle].
func (t *Tally) Tied() bool { return len(t.tied) > 0 }

// Settle decides by their bytes between lines of one key and ts. It is given every line that the
// tally was made of, those of its table too.
func (t *Tally) Settle(every iter.Seq2[Line, error]) error {
	for l, err := range every {
		if err != nil {
			return err
		}
		if best, tied := t.tied[l.Key]; tied && l.wins(best) {
			l.Text = bytes.Clone(l.Text)
			t.tied[l.Key] = l
		}
	}
	for key, l := range t.tied {
		delete(t.tied, key)
		if l.Key.IsZero() {
			continue // somebody has taken away its lines meanwhile
		}
		s, err := t.at(l.below)
		if err != nil {
			return err
		}
		r := l.row()
		old, _, err := t.row(s, r.hash)
		if err != nil {
			return err
		}
		s.set(old, r)
	}
	return nil
}

// Size returns the bytes of the newest lines of the keys below a prefix, newline included: of those
// that are live, and of tombstones.
func (t *Tally) Size(below keypath.Prefix) (live, deleted int64, err error) {
	s, err := t.at(below)
	if err != nil {
		return 0, 0, err
	}
	return s.live, s.deleted, nil
}

// at returns the keys below a prefix.
func (t *Tally) at(below keypath.Prefix) (*summed, error) {
	hash := hashOf(below.String())
	if s := t.below[hash]; s != nil {
		return s, nil
	}
	s := &summed{entry: entry{hash: hash}, newer: map[uint64]row{}}
	if t.base != nil {
		e, found, err := t.base.find(hash)
		if err != nil {
			return nil, err
		}
		if found {
			s.entry = e
		}
	}
	t.below[hash] = s
	return s, nil
}

// row returns the newest line of a key so far.
func (t *Tally) row(s *summed, hash uint64) (r row, found bool, err error) {
	if r, found = s.newer[hash]; found || s.count == 0 {
		return r, found, nil
	}
	return t.base.row(s.entry, hash)
}

// set puts a row in the place of an old one; the zero row for none.
func (s *summed) set(old, r row) {
	s.add(old, -1)
	s.add(r, +1)
	s.newer[r.hash] = r
}

func (s *summed) add(r row, sign int64) {
	if r.deleted {
		s.deleted += sign * int64(r.size)
	} else {
		s.live += sign * int64(r.size)
	}
}

func (l Line) row() row {
	return row{hashOf(l.Key.String()), l.TS, uint32(len(l.Text) + 1), l.Deleted}
}

// wins reports whether a line is the one that counts; the zero Line is none.
func (l Line) wins(old Line) bool {
	if old.Key.IsZero() || l.TS != old.TS {
		return old.Key.IsZero() || l.TS > old.TS
	}
	return bytes.Compare(l.Text, old.Text) > 0
}

// hashOf is the first 8 bytes of a SHA-256: one that is easy to collide could hide a key.
func hashOf(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:])
}
