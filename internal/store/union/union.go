package union

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// ErrReadOnly is wrapped where several stores that are read as one are written to: a write goes to
// one of them.
var ErrReadOnly = errors.New("several stores that are read together cannot be written to")

// Member is one of the stores that are read together.
type Member struct {
	Backend backend.Backend
	Layer   string // what its records have in log.Record.Layer

	// The classes that are left out of its answers, except of its history.
	Without backend.Classes
	Accept  func(log.Record) bool // those it refuses; nil: none
	// Shares reports whether the member hides a key from no later one; nil: it hides all. All reads
	// but Get show both.
	Shares func(keypath.Key) bool
	// Rank returns how far a record is believed: a lower rank hides no higher one; nil: all records
	// have the rank 0.
	Rank func(log.Record) int
}

// keeps reports whether a record of the member is not left out.
func (m *Member) keeps(rec log.Record) bool {
	return !m.Without.Has(rec.Key.Class()) && (m.Accept == nil || m.Accept(rec))
}

func (m *Member) rank(rec log.Record) int {
	if m.Rank == nil {
		return 0
	}
	return m.Rank(rec)
}

func (m *Member) shares(key keypath.Key) bool { return m.Shares != nil && m.Shares(key) }

// Backend is several stores that are read as one. It is a backend.Backend, and may be used by
// several goroutines if its members may.
type Backend struct {
	// Home has the journals and the configuration.
	Home backend.Backend
	// Now returns the instant at which Get and ScanBelow judge expiry; nil: nothing expires.
	Now func() log.Stamp

	members []Member
}

var _ backend.Backend = (*Backend)(nil)

// New returns the backend over some stores, at least one. The first that has a key shows it; the
// last is Home.
func New(members ...Member) *Backend {
	return &Backend{members: members, Home: members[len(members)-1].Backend}
}

// Update fails: the error wraps ErrReadOnly.
func (b *Backend) Update(
	_ context.Context, _ backend.Caller, op string, _ func(backend.Tx) error,
) error {
	return fmt.Errorf("%s: %w", op, ErrReadOnly)
}

// Get returns the newest live record of a key in the first member that has one which has not
// expired, of those with the highest rank; where all have expired, the first.
func (b *Backend) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return b.first(func(i int) (log.Record, bool, error) {
		return b.members[i].Backend.Get(ctx, key)
	})
}

// first returns the record that shows, of those that get returns of the members.
func (b *Backend) first(get func(i int) (log.Record, bool, error)) (
	shown log.Record, found bool, err error) {
	highest := 0
	for i := range b.members {
		rec, ok, err := get(i)
		if err != nil {
			return rec, false, err
		}
		m := &b.members[i]
		if rec.Layer = m.Layer; !ok || !m.keeps(rec) {
			continue
		}
		rank := m.rank(rec)
		if !b.expired(rec) && (b.expired(shown) || rank > highest) || !found {
			shown, found, highest = rec, true, rank
		}
	}
	return shown, found, nil
}

func (b *Backend) expired(rec log.Record) bool {
	return b.Now != nil && content.Expired(rec.Content, b.Now())
}

// ScanBelow yields what that of a snapshot does.
func (b *Backend) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		s, err := b.Snapshot(ctx)
		if err != nil {
			yield(log.Record{}, err)
			return
		}
		defer s.Close()
		for rec, err := range s.ScanBelow(ctx, p) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// Match returns the matching records of all members that no earlier member hides. It opens no
// snapshot where no member has any.
func (b *Backend) Match(ctx context.Context, matcher backend.Matcher, w backend.Where, limit int) (
	[]log.Record, error) {
	none := true
	for _, m := range b.members {
		list, err := m.Backend.Match(ctx, matcher, w, 1)
		if err != nil {
			return nil, err
		}
		none = none && len(list) == 0
	}
	if none {
		return nil, nil
	}
	s, err := b.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r := &reading{snapshot: s, ctx: ctx, where: w}
	var all []log.Record
	for i, m := range b.members {
		list, err := m.Backend.Match(ctx, matcher, r.whereOf(i), limit)
		if err = errors.Join(err, r.failed); err != nil {
			return nil, err
		}
		for _, rec := range list {
			rec.Layer = m.Layer
			all = append(all, rec)
		}
	}
	// What a member has returned meets the conditions, and is asked about no more.
	w.Shadowed, w.Accept = nil, nil
	return backend.BestMatches(matcher, w, slices.Values(all), limit), nil
}

// History yields what each member's does, one member after the other.
func (b *Backend) History(ctx context.Context) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for _, m := range b.members {
			for rec, err := range m.Backend.History(ctx) {
				rec.Layer = m.Layer
				var damage *log.Damage
				if !yield(rec, err) || err != nil && !errors.As(err, &damage) {
					return
				}
			}
		}
	}
}

// Versions returns every version of a key that any member ever had, newest first. A version that
// two members have comes twice.
func (b *Backend) Versions(ctx context.Context, key keypath.Key) (all backend.Versions, err error) {
	var rows []iter.Seq2[log.Record, error]
	for _, m := range b.members {
		v, err := m.Backend.Versions(ctx, key)
		if err != nil {
			discard(rows)
			return backend.Versions{}, err
		}
		all.Count += v.Count
		all.Damaged = append(all.Damaged, v.Damaged...)
		if v.Rows != nil {
			rows = append(rows, inLayer(v.Rows, func(rec *log.Record) { rec.Layer = m.Layer }))
		}
	}
	if len(rows) > 0 {
		all.Rows = merged(rows, func(a, b *log.Record) int { return log.NewestFirst(*a, *b) })
	}
	return all, nil
}

// Numbers returns the numbers of all members.
func (b *Backend) Numbers(ctx context.Context) (backend.Numbers, error) {
	var all numbers
	for _, m := range b.members {
		one, err := m.Backend.Numbers(ctx)
		if err != nil {
			all.Close()
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

type numbers []backend.Numbers

// Of returns the keys that any member has or had.
func (all numbers) Of(n int64) (list []keypath.Key, err error) {
	for _, one := range all {
		keys, err := one.Of(n)
		if err != nil {
			return nil, err
		}
		list = append(list, keys...)
	}
	slices.SortFunc(list, keypath.Key.Compare)
	return slices.Compact(list), nil
}

// Close closes those of all members.
func (all numbers) Close() {
	for _, one := range all {
		one.Close()
	}
}

// Journal returns a journal of Home.
func (b *Backend) Journal(name string) backend.Journal { return b.Home.Journal(name) }

// Config returns the configuration of Home.
func (b *Backend) Config(ctx context.Context, have string) ([]byte, string, error) {
	return b.Home.Config(ctx, have)
}

// Close closes all members.
func (b *Backend) Close() error {
	var errs []error
	for _, m := range b.members {
		errs = append(errs, m.Backend.Close())
	}
	return errors.Join(errs...)
}
