package policy

import (
	"cmp"
	"errors"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
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

// PinnerOf returns the member of a team who has pinned a memory with this source: a person may have
// changed it since. It is the writer where the source names no other.
func PinnerOf(source []byte) string {
	by := jsontext.Unquote(content.Member(source, pinnedBy))
	if by == "" || by == jsontext.Unquote([]byte(pinnedByUser)) {
		return content.Writer(source)
	}
	return by
}

// PinnedByOther returns the member of a team that has pinned a memory, where that is another one
// than the caller's; "" for no pin, for a pin of the caller's own, and where no token calls: a name
// in a file proves nothing. A line of an older build names its agent in place of a member.
func PinnedByOther(c backend.Caller, rec log.Record) string {
	if c.Member == "" || !rec.Valid() || !content.Parse(rec.Content).Pinned {
		return ""
	}
	by, agent := PinnerOf(rec.Source), ""
	if by == "" && content.Origin(rec.Source) == "agent" {
		agent = content.Agent(rec.Source)
	}
	if by == c.Member || content.Writer(rec.Source) == c.Member ||
		agent != "" && agent == c.Agent || agent == c.Member {
		return ""
	}
	return cmp.Or(by, agent)
}
