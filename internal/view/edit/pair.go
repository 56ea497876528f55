package edit

import (
	"context"
	"encoding/json"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Pair is two versions of a key.
type Pair struct {
	Key  keypath.Key `json:"key"`
	From Version     `json:"from"`
	To   Version     `json:"to"`
}

// Version is what a key held from a time on; null if it was deleted then.
type Version struct {
	TS      log.Stamp       `json:"ts"`
	Content json.RawMessage `json:"content"`
}

// FindPair returns two versions of a key: those of two ts, that of one and the newest, or for none
// the two newest. The error is a *mem.NotFoundError where the key was never written, wraps ErrFirst
// or ErrNoVersion, or is the file system's.
func FindPair(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key,
	at ...log.Stamp) (p Pair, err error) {
	versions, err := s.History(ctx, c, key)
	if err != nil {
		return p, err
	}
	var found [2]*Version
	n := 0
	for v, err := range versions.Rows {
		if err != nil {
			return p, err
		}
		for i := range found {
			if found[i] == nil && isWanted(i, n, v.TS, at) {
				rec := v.Clone()
				found[i] = &Version{rec.TS, rec.Content}
			}
		}
		if n++; found[0] != nil && found[1] != nil {
			return Pair{key, *found[0], *found[1]}, nil
		}
	}
	if len(at) == 0 {
		return p, &Error{key, ErrFirst}
	}
	return p, &Error{key, ErrNoVersion}
}

// isWanted reports whether the n-th newest version is the older (i is 0) or the newer one (1) of
// those that are compared.
func isWanted(i, n int, ts log.Stamp, at []log.Stamp) bool {
	if i < len(at) {
		return ts == at[i]
	}
	return n == 1-i
}

// VersionAt returns the version of a key of one ts. The error is a *mem.NotFoundError where the key
// was never written, wraps ErrNoVersion, or is the file system's.
func VersionAt(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key,
	ts log.Stamp) (log.Record, error) {
	versions, err := s.History(ctx, c, key)
	if err != nil {
		return log.Record{}, err
	}
	for v, err := range versions.Rows {
		if err != nil {
			return v, err
		}
		if v.TS == ts {
			return v.Clone(), nil
		}
	}
	return log.Record{}, &Error{key, ErrNoVersion}
}
