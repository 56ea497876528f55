package session

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
)

var (
	// ErrNotFound is wrapped where there is no session of an id; it is a mem.ErrNotFound.
	ErrNotFound error = &fault.Fault{Why: "no such session", Err: mem.ErrNotFound}
	// ErrTaken is wrapped where an id is, or was, that of a session.
	ErrTaken = errors.New("the id is taken")
	// The refusals of package policy.
	ErrDeleted, ErrClosed = policy.ErrDeleted, policy.ErrClosed
	ErrFull, ErrNewer     = policy.ErrFull, policy.ErrNewer
	ErrUnversioned        = policy.ErrUnversioned
)

func notFound(id string) error {
	return fault.Wrap(mem.KindNo, id, ErrNotFound, advice.Run("session list").
		Then(" lists them").Also(advice.Run("session create").Then(" makes one")))
}

// FullError is the refusal of a write that does not fit.
type FullError = policy.FullError
