package state

import (
	"errors"
	"io"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// merge merges the sorted state with the fold of the writes since: for a key that both have, LWW
// decides.
type merge struct {
	since Fold
	keys  []keypath.Key // of since, not yet yielded
	last  keypath.Key   // the last key that was yielded or skipped
	done  bool          // the consumer wants no more
	yield func(log.Record, error) bool
	seen  sawLine // may be nil
}

// sawLine is called with each line of the state before the record of its key is yielded, if there
// is one: it is the line itself if that stays.
type sawLine func(line log.Record, stays bool)

// state merges one pass over the state file.
func (m *merge) state(r io.Reader) error {
	for rec, err := range log.Scan(r, FileName, log.Start{}) {
		var damage *log.Damage
		switch {
		case errors.As(err, &damage):
			return errDamaged
		case err != nil:
			return err
		case !m.last.IsZero() && rec.Key.Compare(m.last) <= 0 ||
			!rec.Valid() || !rec.Canonical:
			return errDamaged
		}
		m.upTo(rec.Key)
		if m.done {
			return nil
		}
		newest, stays := m.newest(rec)
		if m.seen != nil {
			m.seen(rec, stays)
		}
		m.put(newest)
	}
	return nil
}

// upTo yields the keys of the fold before key.
func (m *merge) upTo(key keypath.Key) {
	for !m.done && len(m.keys) > 0 && m.keys[0].Compare(key) < 0 {
		m.next()
	}
}

// newest returns the winner of two records of one key, and whether it is the state's.
func (m *merge) newest(rec log.Record) (newest log.Record, stays bool) {
	if len(m.keys) == 0 || m.keys[0] != rec.Key {
		return rec, true
	}
	m.keys = m.keys[1:]
	if newer := m.since[rec.Key]; newer.Wins(rec) {
		return newer, false
	}
	return rec, true
}

func (m *merge) next() {
	key := m.keys[0]
	m.keys = m.keys[1:]
	m.put(m.since[key])
}

func (m *merge) put(rec log.Record) {
	m.last = rec.Key
	if rec.Valid() && !m.yield(rec, nil) {
		m.done = true
	}
}

// rest yields what the fold has after the state's last key.
func (m *merge) rest() {
	for !m.done && len(m.keys) > 0 {
		m.next()
	}
}

// restart continues after the last key that was yielded, from the fold of the whole history.
func (m *merge) restart(v *View) error {
	if m.done {
		return nil
	}
	if err := v.useWhole(); err != nil {
		return err
	}
	m.since, m.keys = v.since, v.since.Keys()
	for len(m.keys) > 0 && !m.last.IsZero() && m.keys[0].Compare(m.last) <= 0 {
		m.keys = m.keys[1:]
	}
	return nil
}
