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
	for name, value := range jsontext.RawMembers(source) {
		if isNamed(name, claim) {
			return cmp.Or(jsontext.Unquote(value), "unknown")
		}
	}
	return ""
}

// WithClaim returns a source with a mark of this origin.
func WithClaim(source []byte, origin string) []byte {
	return bare(source).With(claim, jsontext.AppendString(nil, origin)).Object()
}

// earlier is the member in the source of a tombstone that an archive brought: the versions that the
// memory had where it is from. They are not here, and an older archive may bring one.
const earlier = "earlier_versions"

// maxEarlier keeps a source well below its largest size.
const maxEarlier = 500

// WithEarlier returns a source that names earlier versions, the first of them where there are many.
func WithEarlier(source []byte, ids []string) []byte {
	list := jsontext.AppendStrings(nil, ids[:min(len(ids), maxEarlier)])
	return SourceMembers(source).With(earlier, list).Object()
}

// Earlier returns the versions that the source of a tombstone names.
func Earlier(source []byte) (ids []string) {
	for id := range jsontext.Elements(Member(source, earlier)) {
		ids = append(ids, jsontext.Unquote(id))
	}
	return ids
}

// BareSource returns a source as an object without a mark, a writer and earlier versions: by it two
// sources are compared that may differ in nothing else.
func BareSource(source []byte) []byte {
	return bare(source).DropName(earlier).DropName(writer).Object()
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
