package compact

import (
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Live yields the newest record of every live key, by key; expired ones too. The record shares a buffer until the next step. An error is the file
// system's, and the last. A damaged state file is no error: from that line on the history decides.
func (v *View) Live() iter.Seq2[log.Record, error] { return v.Below(keypath.Prefix{}) }

// Below yields what Live does of the keys under a prefix. It reads only that part of the state, which it finds by bisection.
func (v *View) Below(prefix keypath.Prefix) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		outside := func(key keypath.Key) bool { return !prefix.Holds(key) }
		m := merge{tail: v.tail, keys: slices.DeleteFunc(v.tail.Keys(), outside), yield: func(rec log.Record, err error) bool {
			return err == nil && outside(rec.Key) || yield(rec, err)
		}}
		if v.state != nil {
			err := v.states(&m, prefix)
			if errors.Is(err, errStateDamaged) {
				err = m.restart(v)
			}
			if err != nil {
				yield(log.Record{}, err)
				return
			}
		}
		m.rest()
	}
}

// states merges the ranges of the state that hold a prefix.
func (v *View) states(m *merge, prefix keypath.Prefix) error {
	parts, err := v.parts(prefix)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := m.state(io.NewSectionReader(v.state, p.from, p.to-p.from)); err != nil {
			return err
		}
	}
	return nil
}

// part is a range of the state file.
type part struct{ from, to int64 }

// parts gives the ranges that hold a prefix. A namespace is the key itself, and what begins with it and a slash: two ranges, since other
// characters sort before the slash.
func (v *View) parts(prefix keypath.Prefix) (parts []part, err error) {
	size := v.cp.StateSize
	if prefix == (keypath.Prefix{}) {
		return []part{{0, size}}, nil
	}
	key := prefix.String()
	for _, bounds := range [...][2]string{{key, key + "\x00"}, {key + "/", key + "0"}} {
		from, err := lowerBound(v.state, size, bounds[0])
		if err != nil {
			return nil, err
		}
		to, err := lowerBound(v.state, size, bounds[1])
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{from, max(from, to)})
	}
	return parts, nil
}
