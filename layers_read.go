package mem

import (
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// LayerMember is one of the stores that are read together.
type LayerMember struct {
	Store *Store
	Layer string // what its records have in log.Record.Layer

	// What is left out of it.
	Without backend.Classes
	Accept  func(log.Record) bool // those it refuses; nil: none
	// Shares tells the keys that it hides from no later member; nil: none.
	Shares func(keypath.Key) bool
}

// Together returns a store that reads others as one: the first that has a key shows it. Journal and
// configuration are the last one's. Writes fail with an error that wraps union.ErrReadOnly: they go
// to one of the stores. To close it closes none of them.
func Together(o Options, members ...LayerMember) *Store {
	s := &Store{opts: o.complete(), members: members}
	var parts []union.Member
	for _, m := range members {
		parts = append(parts, union.Member{
			Backend: leftOpen{m.Store.backend}, Layer: m.Layer,
			Without: m.Without, Accept: m.Accept, Shares: m.Shares,
		})
	}
	all := union.New(parts...)
	all.Now = func() log.Stamp { return s.opts.stamp(Caller{}) }
	s.backend = all
	return s
}

// leftOpen is a backend that somebody else closes.
type leftOpen struct{ backend.Backend }

// Close does nothing.
func (leftOpen) Close() error { return nil }

// anyExists reports whether one of the stores was made.
func anyExists(members []LayerMember) bool {
	for _, m := range members {
		if m.Store.Exists() {
			return true
		}
	}
	return false
}
