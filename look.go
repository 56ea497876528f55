package mem

import (
	"context"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Look tells which keys hold a memory, all of one moment. One goroutine uses it.
type Look struct {
	view   backend.Snapshot
	caller Caller
}

// Look returns a look at the store as it is now. Who asks for it closes it.
func (r Reader) Look(ctx context.Context) (*Look, error) {
	v, err := r.store.backend.Snapshot(ctx) // who reads the memories is warned of what is left out
	if err != nil {
		return nil, err
	}
	return &Look{v, r.caller}, nil
}

// Holds reports whether a key has a live memory that the caller may see, expired or not.
func (l *Look) Holds(ctx context.Context, key keypath.Key) (bool, error) {
	if !policy.Permits(l.caller, key) {
		return false, nil
	}
	return l.view.Has(ctx, key, log.MinStamp) // nothing had expired by then
}

// Close releases what the look has open.
func (l *Look) Close() { l.view.Close() }
