package state

import (
	"iter"
	"slices"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Fold is the newest record of each key by LWW, tombstones included; the order does not matter.
type Fold map[keypath.Key]log.Record

// Add takes a record in and reports whether it is now its key's newest. The record is cloned.
func (f Fold) Add(r log.Record) bool {
	if old, ok := f[r.Key]; ok && !r.Wins(old) {
		return false
	}
	f[r.Key] = r.Clone()
	return true
}

// Merge adds all that another fold has, without cloning it again.
func (f Fold) Merge(other Fold) {
	for key, r := range other {
		if old, ok := f[key]; !ok || r.Wins(old) {
			f[key] = r
		}
	}
}

// Sorted yields the records by key.
func (f Fold) Sorted() iter.Seq[log.Record] {
	keys := f.Keys()
	return func(yield func(log.Record) bool) {
		for _, k := range keys {
			if !yield(f[k]) {
				return
			}
		}
	}
}

// Keys returns the keys in order.
func (f Fold) Keys() []keypath.Key {
	keys := make([]keypath.Key, 0, len(f))
	for k := range f {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, keypath.Key.Compare)
	return keys
}
