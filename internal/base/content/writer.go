package content

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// writer is the member of a source that names the member of a team whose token wrote the line. Only
// a server sets it; in another file it proves nothing.
const writer = "member"

// Writer returns the member of a team that the source of a line names; "" for none.
func Writer(source []byte) string { return jsontext.Unquote(Member(source, writer)) }

// WithWriter returns a source that names this member of a team alone, in whatever spelling it named
// another one; "" is none.
func WithWriter(source []byte, name string) []byte {
	members := SourceMembers(source)
	isWriter := func(m jsontext.Member) bool { return FoldName(m.Name) == writer }
	if name == "" && !slices.ContainsFunc(members, isWriter) {
		return source
	}
	members = slices.DeleteFunc(members, isWriter)
	if name != "" {
		members = members.With(writer, jsontext.AppendString(nil, name))
	}
	return members.Object()
}

// IsMember reports whether a text is spelled as the name of a member of a team: 1 to 64 letters,
// digits, _ . and -.
func IsMember(name string) bool {
	isOther := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') &&
			!strings.ContainsRune("_.-", r)
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, isOther)
}
