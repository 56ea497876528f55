package mem_test

import (
	"context"
	"errors"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

// ctx is that of every call.
var ctx = context.Background()

var noon, write = storetest.Noon, storetest.Write

// newStore returns an empty store in memory, and newFiles one of files.
func newStore(t testing.TB) *storetest.Store { return storetest.NewStore(t, storetest.Memory) }

func newFiles(t testing.TB) *storetest.Store { return storetest.NewStore(t, storetest.Files) }

// seen returns what waits for a decision under a key, as a person sees it now; the key alone where
// nothing does.
func seen(s *mem.Store, key keypath.Key) (mem.Shown, error) {
	w, err := s.Waiting(ctx, mem.Caller{}, key)
	if errors.Is(err, mem.ErrNotFound) {
		return mem.Shown{Key: key}, nil
	}
	return w.Shown(), err
}

// approve approves what waits under a key, as a person sees it now.
func approve(s *mem.Store, c mem.Caller, key keypath.Key, o mem.ApproveOptions) (
	out mem.Outcome, err error) {
	shown, err := seen(s, key)
	if err != nil {
		return out, err
	}
	return s.Approve(ctx, c, shown, o)
}

// reject rejects what waits under a key, as a person sees it now.
func reject(s *mem.Store, c mem.Caller, key keypath.Key) (out mem.Outcome, err error) {
	shown, err := seen(s, key)
	if err != nil {
		return out, err
	}
	return s.Reject(ctx, c, shown)
}
