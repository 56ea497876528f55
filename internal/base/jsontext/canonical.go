package jsontext

import (
	"slices"
	"strings"
)

// AppendCanonical appends a checked JSON text without white space, the members of every object by
// the bytes of their names, strings as [AppendString] writes them.
func AppendCanonical(dst, text []byte) []byte {
	if len(text) == 0 {
		return dst
	}
	switch text[0] {
	case '"':
		return AppendString(dst, Unquote(text))
	case '[':
		return appendList(dst, text)
	case '{':
		return appendSorted(dst, text)
	}
	return append(dst, text...)
}

func appendList(dst, array []byte) []byte {
	dst = append(dst, '[')
	n := 0
	for element := range Elements(array) {
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = AppendCanonical(dst, element)
	}
	return append(dst, ']')
}

func appendSorted(dst, object []byte) []byte {
	list := ParseMembers(object)
	slices.SortFunc(list, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	dst = append(dst, '{')
	for i, m := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, m.Name), ':')
		dst = AppendCanonical(dst, m.Value)
	}
	return append(dst, '}')
}
