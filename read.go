package mem

import (
	"context"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Reader reads without a line in the journal, for a view that writes its own.
type Reader struct {
	store  *Store
	caller Caller
	now    log.Stamp
}

// Reader returns a reader for a caller.
func (s *Store) Reader(c Caller) Reader { return Reader{s, c, s.opts.stamp(c)} }

// snapshot returns all live memories at one moment, and warns of lines that it left out.
func (s *Store) snapshot(ctx context.Context) (backend.Snapshot, error) {
	v, err := s.backend.Snapshot(ctx)
	if err == nil {
		s.opts.warnDamaged(v.Damaged())
	}
	return v, err
}

// warnDamaged reports omitted lines: to the log, as an error, or where there is none as a warning.
func (o Options) warnDamaged(damaged []*log.Damage) {
	for _, d := range damaged {
		backend.ReportDamage(o.Log, o.Warn, o.Program, d)
	}
}

// Get returns the newest live memory of a key. An expired one counts as absent unless expired is
// set, and what another agent keeps for itself always does. The error is a *NotFoundError or
// the file system's.
func (s *Store) Get(ctx context.Context, c Caller, key keypath.Key, expired bool) (
	log.Record, error) {
	if !policy.Permits(c, key) {
		return log.Record{}, &NotFoundError{Key: key}
	}
	rec, found, err := s.backend.Get(ctx, key)
	if err != nil {
		return rec, err
	}
	if !found {
		// The line that had it may be damaged: then the snapshot says which.
		v, err := s.snapshot(ctx)
		if err != nil {
			return rec, err
		}
		v.Close()
	}
	if !found || !expired && content.Expired(rec.Content, s.opts.stamp(c)) {
		return log.Record{}, &NotFoundError{Key: key}
	}
	return rec, nil
}

// Filter is which live memories List calls fn for.
type Filter struct {
	Prefix  keypath.Prefix
	Expired bool // also those that have expired
	Trusted bool // only what a search may show: nothing that is quarantined
	Browse  bool // only memories for a person that browses, see policy.Browses
	All     bool // also agents' private memories, for any caller
	LeftOut *int // is added how many of these were left out; nil: nobody asks
}

// shows reports whether a caller is listed a live memory.
func (f *Filter) shows(c Caller, key keypath.Key) bool {
	if f.All {
		c.Agent = key.Realm().Owner // it is listed what each owner would be
	}
	if !policy.Permits(c, key) {
		if f.LeftOut != nil {
			*f.LeftOut++
		}
		return false
	}
	return (!f.Browse || policy.Browses(f.Prefix, key)) &&
		(!policy.IsProposal(key) || policy.Proposing(f.Prefix)) &&
		(!f.Trusted || policy.Visible(c, key))
}

// List calls fn for every live memory by key. The record may share a buffer until fn returns. fn's
// error ends it.
func (s *Store) List(ctx context.Context, c Caller, f Filter, fn func(log.Record) error) error {
	v, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	now := s.opts.stamp(c)
	for rec, err := range v.ScanBelow(ctx, f.Prefix) {
		if err != nil {
			return err
		}
		if !f.Expired && content.Expired(rec.Content, now) || !f.shows(c, rec.Key) {
			continue
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// ScanBelow yields the live memories under a prefix by key, expired ones too, at less cost than
// [Store.List]. The record shares a buffer until the next step. An error is the last.
func (r Reader) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return r.store.backend.ScanBelow(ctx, p)
}

// Size is how many bytes the newest lines of some keys have, newline included.
type Size struct{ Live, Deleted int64 }

// Sizes returns the size of the keys strictly below each prefix: of the live ones, and of those
// that were deleted; of several layers the sum. The error wraps backend.ErrNoSize for a prefix of
// which no size is kept (keypath.Prefix.Sized).
func (r Reader) Sizes(ctx context.Context, below ...keypath.Prefix) ([]Size, error) {
	v, err := r.store.backend.Snapshot(ctx) // reading the memories warns of damaged lines
	if err != nil {
		return nil, err
	}
	defer v.Close()
	list := make([]Size, len(below))
	for i := 0; i < len(below) && err == nil; i++ {
		list[i].Live, list[i].Deleted, err = v.Size(ctx, below[i])
	}
	return list, err
}

// Numbers says which keys of notes have a number. One goroutine uses it.
type Numbers struct {
	all    backend.Numbers
	caller Caller
}

// Numbers returns the numbers of all notes that there are or ever were, at about the cost of Get.
// The caller closes them.
func (r Reader) Numbers(ctx context.Context) (*Numbers, error) {
	all, err := r.store.backend.Numbers(ctx)
	if err != nil {
		return nil, err
	}
	return &Numbers{all, r.caller}, nil
}

// Of returns the keys that have, or ever had, a memory of a number and that the caller may see, in
// their order.
func (n *Numbers) Of(number int64) ([]keypath.Key, error) {
	keys, err := n.all.Of(number)
	return slices.DeleteFunc(slices.Clone(keys), func(key keypath.Key) bool {
		return !policy.Permits(n.caller, key)
	}), err
}

// Close releases what the numbers have open.
func (n *Numbers) Close() { n.all.Close() }

// ItemOf returns a record as the page's selection takes it.
func ItemOf(rec log.Record) readout.Item {
	return readout.Item{
		Key: rec.Key.String(), TS: rec.TS, Fields: content.Parse(rec.Content),
		Content: rec.Content, Source: rec.Source, Layer: rec.Layer,
	}
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
