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
// its source. In a store inside a repository only a pin counts.
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
// than the caller's; "" otherwise, and where no token calls: a name in a file proves nothing.
func PinnedByOther(c backend.Caller, rec log.Record) string {
	if c.Member == "" || !rec.Valid() || !content.Parse(rec.Content).Pinned {
		return ""
	}
	by, agent := pinner(rec.Source)
	if by == c.Member || isReceived(rec.Source) && content.Writer(rec.Source) == c.Member ||
		agent != "" && agent == c.Agent || agent == c.Member {
		return ""
	}
	return cmp.Or(by, agent)
}

// pinner returns the member that has pinned a memory with this source, or the agent where an older
// build wrote the line; "" for none.
func pinner(source []byte) (member, agent string) {
	member = PinnerOf(source)
	if member == "" && content.Origin(source) == "agent" {
		agent = content.Agent(source)
	}
	return member, agent
}

// isReceived reports whether the line came from another store: a member of that one pinned it, not
// one of this.
func isReceived(source []byte) bool { return content.Claim(source) == content.FromImport }

// KeepPinner returns the source of what a person has made of a fact of a team: where the pin of the
// fact stays, it stays that of the member who set it. Else it would become that of the person's own
// member, or on the page of none, and other agents could take it away. The pin of a rule is a
// person's anyway.
func KeepPinner(c backend.Caller, was log.Record, isRule bool, text, source []byte) []byte {
	if c.Tenant == "" || !IsPerson(c) || isRule || content.Member(source, pinnedBy) != nil ||
		!content.Parse(was.Content).Pinned || !content.Parse(text).Pinned {
		return source
	}
	member, agent := pinner(was.Source)
	by := cmp.Or(member, agent)
	if by == "" {
		return source
	}
	return content.SourceMembers(source).With(pinnedBy, jsontext.AppendString(nil, by)).Object()
}
