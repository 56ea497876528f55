package changes

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var (
	// ErrOne is wrapped where a key has one version, and nothing to compare it with.
	ErrOne = errors.New("it has no earlier version")
	// ErrNoVersion is wrapped where a key has no version of the ts that was asked for.
	ErrNoVersion = errors.New("no such version")
)

// Error is a fault of one key. errors.Is(err, its cause) holds.
type Error struct {
	Key   keypath.Key
	cause error
}

func (e *Error) Error() string { return e.Key.Shown() + ": " + e.cause.Error() }

// Unwrap returns the cause, one of those above.
func (e *Error) Unwrap() error { return e.cause }

// Kind returns the name of the error's kind.
func (e *Error) Kind() string { return string(mem.KindNo) }

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

// Between returns two versions of a key: those of two ts, that of one and the newest, or for none
// the two newest. The error is a *mem.NotFoundError where the key was never written, wraps ErrOne
// or ErrNoVersion, or is the file system's.
func Between(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key,
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
		return p, &Error{key, ErrOne}
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
