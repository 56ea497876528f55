package policy

import (
	"errors"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

// ErrPinned is wrapped where there is no room for one more note.
var ErrPinned = errors.New("no room beside what is pinned")

// IsPinned reports whether a memory comes first at the start of every conversation, and is never
// evicted: where it carries pinned, or says that it is a rule (content.Fields.IsRule) and it is the
// user who says so. In a store inside a repository anybody may have written it who had a hand in
// that, and what comes from elsewhere nobody here has said: there only a pin counts, which saves
// from eviction and makes nothing a rule of the user (package readout).
func IsPinned(rec log.Record, repository bool) bool {
	f := content.Parse(rec.Content)
	return f.Pinned || !repository && f.IsRule() && content.IsOwn(rec.Source)
}
