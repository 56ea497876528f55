package mem

import (
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// LayerMember is one of the stores that are read together.
type LayerMember struct {
	Store  *Store
	Layer  string // what its records have in log.Record.Layer
	Belief Belief // how far its records are believed

	// Records of the classes Without, and those that Accept refuses, are left out.
	Without backend.Classes
	Accept  func(log.Record) bool // nil: refuses none
	// Shares reports whether the member hides a key from no later one; nil: it hides all.
	Shares func(keypath.Key) bool
}

// JoinStores returns a store that reads others as one: the first that has a key shows it. Journal
// and configuration are the last one's. Writes fail with an error that wraps union.ErrReadOnly:
// they go to one of the stores. To close it closes none of them.
func JoinStores(o Options, members ...LayerMember) *Store {
	s := &Store{opts: o.Complete(), members: members}
	var parts []union.Member
	for _, m := range members {
		parts = append(parts, union.Member{
			Backend: leftOpen{m.Store.backend}, Layer: m.Layer,
			Without: m.Without, Accept: m.Accept, Shares: m.Shares, Rank: m.Store.rank(),
		})
	}
	all := union.New(parts...)
	all.Now = func() log.Stamp { return s.opts.stamp(Caller{}) }
	s.backend = all
	return s
}

// rank returns the rank of a record among the stores that are read together: a rule of the user is
// hidden by rules alone, and nothing of the user's by a line that others wrote into a .mem.
func (s *Store) rank() func(log.Record) int {
	return func(rec log.Record) int {
		it := ItemOf(rec)
		switch {
		case s.beliefOf(it.Layer).Standing(&it, "") == readout.Rule:
			return 1
		case !s.Trusts(rec):
			return -1
		}
		return 0
	}
}

// leftOpen is a backend that somebody else closes.
type leftOpen struct{ backend.Backend }

// Close does nothing.
func (leftOpen) Close() error { return nil }

// anyExists reports whether one of the stores was made.
func anyExists(members []LayerMember) bool {
	return slices.ContainsFunc(members, func(m LayerMember) bool { return m.Store.Exists() })
}

// HoldsRules reports whether the store may hold rules of the user.
func (s *Store) HoldsRules() bool {
	return !s.opts.Belief.Repository && !s.opts.Belief.NoRules
}

// Belief returns how far the records of the store are believed; see Options.Belief.
func (s *Store) Belief() Belief { return s.opts.Belief }

// Trusts reports whether a record may go into text for a model: somebody else may have written it
// into a .mem since that was trusted. A caller that asks for it gets it all the same, marked.
func (s *Store) Trusts(rec log.Record) bool {
	return s.beliefOf(rec.Layer).Admits(rec)
}

// beliefOf returns how far a record is believed, by its layer.
func (s *Store) beliefOf(layer string) Belief {
	for _, m := range s.members {
		if m.Layer == layer {
			return m.Belief
		}
	}
	return s.opts.Belief
}

// Standing decides how far a memory binds a model.
func (r Reader) Standing(it *readout.Item) readout.Standing {
	return r.store.beliefOf(it.Layer).Standing(it, r.caller.Agent)
}

func (r Reader) describes(rec log.Record, agent string) bool {
	it := ItemOf(rec)
	return r.store.beliefOf(it.Layer).Describes(&it, agent)
}

// Claims returns a function for the mark that the line of a record needs in another store: the
// origin of a record that claims to be a rule of the user, and is none where it is; "" for a record
// whose line says so itself, and for every other one.
func (r Reader) Claims() func(log.Record) (origin string) {
	standing := r.Standing
	return func(rec log.Record) string {
		it := ItemOf(rec)
		claimed := content.Claim(rec.Source) != ""
		switch {
		case r.store.beliefOf(rec.Layer).Repository && (claimed || policy.ClaimsRule(&it)):
			return content.FromRepository
		case !claimed && policy.ClaimsRule(&it) && standing(&it) == readout.Fact:
			return content.FromImport
		}
		return ""
	}
}
