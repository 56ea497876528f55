package mem

import (
	"context"
	"errors"
	"iter"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Get returns the newest live memory of a key. An expired one counts as absent unless expired is
// set, and what another agent keeps for itself always does (J-26). The error is a *NotFoundError or
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
	Browse  bool // only what somebody is shown who looks around, see policy.Browses
	All     bool // also what agents keep for themselves, whoever calls
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
		(!f.Trusted || policy.Visible(c, key, content.Fields{}))
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
	for rec, err := range v.Below(ctx, f.Prefix) {
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

// Everything calls fn for every envelope ever written, by whom and for whom ever, archives first,
// each in the order of its file. A line that is in two files, as after a crash in a rotation, comes
// twice.
func (s *Store) Everything(ctx context.Context, fn func(log.Record) error) error {
	for rec, err := range s.backend.History(ctx) {
		var d *log.Damage
		switch {
		case errors.As(err, &d):
			// A torn tail is a writer at work, or is repaired by the next one.
			if !errors.Is(err, log.ErrTorn) {
				s.opts.warnDamaged([]*log.Damage{d})
			}
			continue
		case err != nil:
			return err
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// Versions are the versions of a key.
type Versions = backend.Versions

// History returns every version of a key, newest first. The error is a *NotFoundError where there
// never was one, or the key is another agent's; else the caller ranges over the rows, which are
// read one by one.
func (s *Store) History(ctx context.Context, c Caller, key keypath.Key) (Versions, error) {
	if !policy.Permits(c, key) {
		return Versions{}, &NotFoundError{Key: key}
	}
	v, err := s.backend.Versions(ctx, key)
	if err != nil {
		return v, err
	}
	s.opts.warnDamaged(v.Damaged)
	if v.Count == 0 {
		return v, &NotFoundError{Key: key}
	}
	return v, nil
}

// HistoryBelow yields every envelope of keys below a prefix that was ever written, as [Everything]
// does; a line that cannot be read comes as a *log.Damage, whatever key it shows. Another error is
// the last.
func (s *Store) HistoryBelow(ctx context.Context, below keypath.Prefix) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range s.backend.History(ctx) {
			if err == nil && !below.Holds(rec.Key) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}
