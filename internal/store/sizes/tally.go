package sizes

import (
	"bytes"
	"fmt"
	"iter"
	"maps"

	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tally holds the newest lines of a history: those of a sidecar, and those added. An error of its
// methods wraps ErrStale where the sidecar is there no more, or turns out to be damaged, and each
// is called within disk.Guard; the tally is to be thrown away then.
type Tally struct {
	open  func() (*table, error) // nil: there is no sidecar
	base  *table                 // nil: it is not open
	below map[uint64]*summed     // by the hash of the prefix; of those asked for or added to
	last  *summed                // of them the one that at has returned, for lines come in runs

	// Keys with several lines of the greatest ts, of which rows do not tell the one that counts.
	tied map[keypath.Key]Line
}

// summed is the keys below one prefix.
type summed struct {
	entry
	below keypath.Prefix
	rows  rows           // of the sidecar
	newer map[uint64]row // by the hash of the key: lines added, where rows have none as new
}

// row is the newest line of a key.
type row struct {
	hash    uint64 // of the key
	ts      log.Stamp
	size    uint32 // newline included
	deleted bool
}

// newTally returns the tally of what the sidecar has that open opens; nil for nothing.
func newTally(open func() (*table, error)) *Tally {
	return &Tally{open: open, below: map[uint64]*summed{}, tied: map[keypath.Key]Line{}}
}

// Close closes the sidecar, and every call ends with it: another program may change the file in
// place, and its pages are not checked again while it is open. The tally opens it again where it
// must. A nil tally has none.
func (t *Tally) Close() {
	if t != nil && t.base != nil {
		t.base.Close()
		t.base = nil
	}
}

// table returns the sidecar; nil where there is none.
func (t *Tally) table() (*table, error) {
	if t.base != nil || t.open == nil {
		return t.base, nil
	}
	base, err := t.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStale, err)
	}
	t.base = base
	return base, nil
}

// Branch returns a copy of the part below one prefix, for lines of that alone.
func (t *Tally) Branch(below keypath.Prefix) (*Tally, error) {
	s, err := t.keysBelow(below)
	if err != nil {
		return nil, err
	}
	branch := newTally(nil)
	branch.below[s.hash] = &summed{s.entry, below, s.rows, maps.Clone(s.newer)}
	return branch, nil
}

func (t *Tally) addAll(lines iter.Seq2[Line, error]) error {
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
	s, err := t.keysBelow(l.below)
	if err != nil {
		return err
	}
	r := l.row()
	old, found := s.row(r.hash)
	switch {
	case found && old.ts == r.ts && old != r:
		t.tied[l.Key] = Line{}
	case !found || old.ts < r.ts:
		s.set(old, r)
		delete(t.tied, l.Key)
	}
	return nil
}

// Tied reports whether there are several lines of one key and ts, so that Size is not certain: as
// when [History.Begin] has read archives, before [History.AddLog].
func (t *Tally) Tied() bool { return len(t.tied) > 0 }

// resolveTies decides by their bytes between lines of one key and ts. It is given every line that
// the tally was made of, those of its table too.
func (t *Tally) resolveTies(every iter.Seq2[Line, error]) error {
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
		s, err := t.keysBelow(l.below)
		if err != nil {
			return err
		}
		r := l.row()
		old, _ := s.row(r.hash)
		s.set(old, r)
	}
	return nil
}

// Size returns the bytes of the newest lines of the keys below a prefix, newline included: of those
// that are live, and of tombstones.
func (t *Tally) Size(below keypath.Prefix) (live, deleted int64, err error) {
	s, err := t.keysBelow(below)
	if err != nil {
		return 0, 0, err
	}
	return s.live, s.deleted, nil
}

func (t *Tally) keysBelow(below keypath.Prefix) (s *summed, err error) {
	if t.last != nil && t.last.below == below {
		return t.last, nil
	}
	hash := state.HashText(below.String())
	if s = t.below[hash]; s == nil {
		if s, err = t.inBase(hash); err != nil {
			return nil, err
		}
		s.below, t.below[hash] = below, s
	}
	t.last = s
	return s, nil
}

// inBase returns the keys below a prefix that the sidecar has, by the hash of the prefix.
func (t *Tally) inBase(hash uint64) (*summed, error) {
	s := &summed{entry: entry{hash: hash}, newer: map[uint64]row{}}
	base, err := t.table()
	if base == nil || err != nil {
		return s, err
	}
	e, found, err := base.find(hash)
	if !found || err != nil {
		return s, err
	}
	s.entry = e
	s.rows, err = base.rows(e)
	return s, err
}

// row returns the newest line of a key so far.
func (s *summed) row(hash uint64) (r row, found bool) {
	if r, found = s.newer[hash]; found {
		return r, true
	}
	return s.rows.find(hash)
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
	return row{state.HashText(l.Key.String()), l.TS, uint32(len(l.Text) + 1), l.Deleted}
}

// wins reports whether a line is the one that counts; the zero Line is none.
func (l Line) wins(old Line) bool {
	if old.Key.IsZero() || l.TS != old.TS {
		return old.Key.IsZero() || l.TS > old.TS
	}
	return bytes.Compare(l.Text, old.Text) > 0
}
