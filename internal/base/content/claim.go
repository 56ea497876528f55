package content

import (
	"cmp"
	"slices"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// claim is the member of a source that marks a line for which no person vouches. Its value is the
// origin of the line, as "import" or "client codex".
const claim = "claimed"

// The origins of lines for which no person vouches.
const (
	FromClient     = "client" // or an agent, whose name follows
	FromImport     = "import"
	FromRepository = "repository"
	FromTouch      = "touch" // a tag or a type that makes no rule
	FromDepot      = "depot" // a plain depot of mem sync, where others write
)

// Claim returns the origin that the mark in a source names; "" for a source without a mark.
func Claim(source []byte) string {
	for name, value := range jsontext.Members(source) {
		if FoldName(name) == claim {
			return cmp.Or(jsontext.Unquote(value), "unknown")
		}
	}
	return ""
}

// WithClaim returns a source with a mark of this origin.
func WithClaim(source []byte, origin string) []byte {
	return bare(source).With(claim, jsontext.AppendString(nil, origin)).Object()
}

// BareSource returns a source as an object without a mark: by it two sources are compared that may
// differ in nothing else.
func BareSource(source []byte) []byte {
	return bare(source).Object()
}

// bare returns the members of a source without marks, in any spelling of their name.
func bare(source []byte) jsontext.MemberList {
	return slices.DeleteFunc(SourceMembers(source), func(m jsontext.Member) bool {
		return FoldName(m.Name) == claim
	})
}

// SourceMembers returns the members of a source. A text becomes a member that says as much of where
// a memory is from.
func SourceMembers(source []byte) jsontext.MemberList {
	text, err := jsontext.Compact(nil, source)
	switch {
	case err != nil || len(text) == 0:
		return nil
	case text[0] == '{':
		return jsontext.ParseMembers(text)
	case NamesURL(text):
		return jsontext.MemberList{}.With("url", text)
	}
	return jsontext.MemberList{}.With("name", text)
}
