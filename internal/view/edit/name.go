package edit

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
)

// IsID reports whether a name is spelled as the id of a note, of a record of the ledger or a chunk
// of it, or of a record of a session.
func IsID(name string) bool { return note.IsID(name) || ledger.IsID(name) || session.IsID(name) }

// Named returns the key of the memory that a name means, as any answer prints it: a key with or
// without its first slash, or an id; of the id of a chunk it is the key of its event. A text is a
// key where a memory has it. The error is as that of note.Resolve, ledger's KeyOf or session.Named.
func Named(ctx context.Context, s *mem.Store, c mem.Caller, name string) (keypath.Key, error) {
	isOfSession := session.IsID(name)
	if !isOfSession && !ledger.IsID(name) {
		return note.Resolve(ctx, s, c, name)
	}
	plain, err := keypath.Parse("/" + name)
	if err != nil {
		return plain, err
	}
	if _, none := s.Get(ctx, c, plain, true); none == nil {
		return plain, nil
	}
	if isOfSession {
		return session.Named(ctx, s, c, name)
	}
	return ledger.New(s, c, ledger.Options{}).KeyOf(ctx, name)
}
