package mem

import (
	"context"
	"errors"
	"slices"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
)

// Get returns the newest live memory of a key. An expired one counts as absent unless expired is
// set. The error is a *NotFoundError or the file system's.
func (s *Store) Get(ctx context.Context, c Caller, key keypath.Key, expired bool) (
	log.Record, error) {
	rec, found, err := s.backend.Get(ctx, key)
	if err != nil {
		return rec, err
	}
	if !found {
		// The line that had it may be damaged: then the snapshot says which.
		v, err := snapshot(ctx, s)
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
	Trusted bool // only what a read may show: nothing that is quarantined
}

// List calls fn for every live memory by key. The record may share a buffer until fn returns. fn's
// error ends it.
func (s *Store) List(ctx context.Context, c Caller, f Filter, fn func(log.Record) error) error {
	v, err := snapshot(ctx, s)
	if err != nil {
		return err
	}
	defer v.Close()
	now := s.opts.stamp(c)
	for rec, err := range v.Below(ctx, f.Prefix) {
		if err != nil {
			return err
		}
		if !f.Expired && content.Expired(rec.Content, now) ||
			f.Trusted && !policy.Visible(c, rec.Key, content.Fields{}) {
			continue
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// Everything calls fn for every envelope ever written, archives first, each in the order of its
// file. A line that is in two files, as after a crash in a rotation, comes twice.
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

// History returns every version of a key, newest first. The error is a *NotFoundError where there
// never was one.
func (s *Store) History(ctx context.Context, key keypath.Key) ([]log.Record, error) {
	var versions []log.Record
	err := s.Everything(ctx, func(rec log.Record) error {
		if rec.Key == key {
			versions = append(versions, rec.Clone())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 {
		return nil, &NotFoundError{Key: key}
	}
	slices.SortStableFunc(versions, newestFirst)
	return slices.CompactFunc(versions, sameLine), nil
}

func newestFirst(a, b log.Record) int {
	switch {
	case a.Wins(b):
		return -1
	case b.Wins(a):
		return 1
	}
	return 0
}

func sameLine(a, b log.Record) bool { return string(a.Line) == string(b.Line) }
