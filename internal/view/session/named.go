package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// AmbiguousError names the keys of the records that an id may mean; errors.Is(err, mem.ErrInput)
// holds.
type AmbiguousError struct {
	ID   string
	Keys []keypath.Key
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s: %d sessions have a record of this id", e.ID, len(e.Keys))
}

// Is makes every AmbiguousError a mem.ErrInput.
func (e *AmbiguousError) Is(target error) bool { return target == mem.ErrInput }

// Advice returns how to say which is meant.
func (e *AmbiguousError) Advice() advice.List {
	return advice.Say("give the key in place of the id, like " + e.Keys[0].String())
}

// noRecord returns the error for an id that no record has; it wraps mem.ErrNotFound.
func noRecord(id string) error {
	return &fault.Fault{What: id, Why: "no session has a record of this id", Err: mem.ErrNotFound,
		Do: advice.Run("session list").Then(" shows the sessions, and ").
			Run("search", "--session", "ID").Then(" the records of one").
			Tools("").Run("search").Then(" finds memories and their keys")}
}

// Named returns the key of the only record with an id, in whatever session: the live one or, where
// there is none, the one that was. The error is an *AmbiguousError, or wraps mem.ErrNotFound.
func Named(ctx context.Context, s *mem.Store, c mem.Caller, id string) (keypath.Key, error) {
	found, err := live(ctx, s, c, id)
	if err == nil && len(found) == 0 {
		found, err = keysEver(ctx, s, id)
	}
	switch {
	case err != nil:
		return keypath.Key{}, err
	case len(found) == 0:
		return keypath.Key{}, noRecord(id)
	case len(found) > 1:
		return keypath.Key{}, &AmbiguousError{id, found}
	}
	return found[0], nil
}

// live returns the keys of the live records with an id; expired ones are among them.
func live(ctx context.Context, s *mem.Store, c mem.Caller, id string) (
	found []keypath.Key, err error) {
	ids, err := IDs(ctx, s, c)
	if err != nil {
		return nil, err
	}
	for _, session := range ids {
		key, err := keypath.Parse(keypath.Sessions + "/" + session + "/" + id)
		if err != nil {
			return nil, err
		}
		_, err = s.Get(ctx, c, key, true)
		switch {
		case err == nil:
			found = append(found, key)
		case !errors.Is(err, mem.ErrNotFound):
			return nil, err
		}
	}
	return found, nil
}

// keysEver returns the keys of the records that ever had an id, in one pass over the history.
func keysEver(ctx context.Context, s *mem.Store, id string) (found []keypath.Key, err error) {
	err = s.Everything(ctx, func(rec log.Record) error {
		if rec.Key.Class() == keypath.Remembered && recordID(rec.Key) == id &&
			!slices.Contains(found, rec.Key) {
			found = append(found, rec.Key)
		}
		return nil
	})
	return found, err
}
