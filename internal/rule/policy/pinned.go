package policy

import (
	"errors"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

// ErrPinned is wrapped where there is no room for one more note.
var ErrPinned = errors.New("no room beside the pinned notes")

// IsPinned reports whether a memory comes first at the start of every conversation, and is never
// evicted: it carries pinned, or claims to be a rule (content.Fields.IsRule) and has the user as
// its source. In a store inside a repository, everybody with write access may have written that
// source: there only a pin counts. A pin prevents eviction and makes no memory a rule of the user
// (package readout).
func IsPinned(rec log.Record, repository bool) bool {
	f := content.Parse(rec.Content)
	return f.Pinned || !repository && f.IsRule() && content.IsOwn(rec.Source)
}
