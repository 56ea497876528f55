package content

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// Origin returns the kind of origin that a source claims, as it spells it: user, agent, web or
// another text. One that names no kind is of the web if it names a URL; else "" is returned, as for
// a source that is only some words. A quarantined memory has the origin that it was given.
func Origin(source []byte) (kind string) {
	var given []byte
	for name, value := range jsontext.RawMembers(source) {
		switch {
		case isNamed(name, "kind"):
			kind = jsontext.Unquote(value)
		case isNamed(name, "given"):
			given = value
		}
	}
	if kind == "system" && given != nil { // mem itself quarantined it
		return Origin(given)
	}
	if kind == "" && NamesURL(source) {
		return "web"
	}
	return kind
}

// Agent returns the agent that a source names in its locator; "" for none.
func Agent(source []byte) string {
	return jsontext.Unquote(Member(Member(source, "locator"), "agent"))
}

// Author returns the name that a source gives its writer: the agent in its locator, else the name.
func Author(source []byte) string {
	if Member(Member(source, "locator"), "agent") != nil {
		return Agent(source)
	}
	return jsontext.Unquote(Member(source, "name"))
}

// Member returns the value of a member of an object; nil where there is none.
func Member(object []byte, name string) []byte {
	for n, value := range jsontext.Members(object) {
		if n == name {
			return value
		}
	}
	return nil
}

// IsOwn reports whether a source is a user's or an agent's, or does not say: what comes from a page
// of the web, a tool, a file or an import is not.
func IsOwn(source []byte) bool {
	kind := Origin(source)
	return kind == "" || kind == "user" || kind == "agent"
}

// NamesURL reports whether a source names where on a network a memory is from: as the source
// itself, as a member of it, or in its locator.
func NamesURL(source []byte) bool {
	if isURL(jsontext.Unquote(source)) {
		return true
	}
	named := false
	for name, value := range jsontext.RawMembers(source) {
		switch {
		case isNamed(name, "url"), isNamed(name, "uri"):
			return true
		case isNamed(name, "locator"):
			named = locatesURL(value)
		}
	}
	return named
}

func locatesURL(locator []byte) bool {
	if isURL(jsontext.Unquote(locator)) {
		return true
	}
	for name, value := range jsontext.Members(locator) {
		if name == "url" || name == "uri" || isURL(jsontext.Unquote(value)) {
			return true
		}
	}
	return false
}

func isURL(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// FoldName returns the name of a source's member without the differences of spelling:
// retrieved_at, retrievedAt and Retrieved-At mean the same.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// isNamed reports whether FoldName(name) is folded, an ASCII text, mostly without a copy: every
// candidate of a page is asked for its origin.
func isNamed(name []byte, folded string) bool {
	at := 0
	for _, c := range name {
		switch {
		case c >= utf8.RuneSelf:
			return FoldName(string(name)) == folded
		case c == '_' || c == '-':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if at == len(folded) || folded[at] != c {
			return false
		}
		at++
	}
	return at == len(folded)
}

// AuthorName returns the author of a memory by its source, for people: "you" for the user, the name
// of an agent, else the kind; in a team the name of the member. The name of a verb is not an
// agent's.
func AuthorName(source []byte) string {
	kind, member := "", ""
	for name, value := range jsontext.RawMembers(source) {
		switch string(name) {
		case "kind":
			kind = jsontext.Unquote(value)
		case writer:
			member = jsontext.Unquote(value)
		}
	}
	switch kind {
	case "user":
		return cmp.Or(member, "you")
	case "agent":
		name := Author(source)
		switch {
		case name == "" || strings.HasPrefix(name, "mem "), name == member:
			return cmp.Or(member, kind)
		case member != "":
			return name + " of " + member
		}
		return name
	}
	return cmp.Or(kind, "unknown")
}
