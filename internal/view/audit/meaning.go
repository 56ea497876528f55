package audit

import (
	"slices"
	"strings"
	"unicode"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"golang.org/x/text/unicode/norm"
)

// kept are the members of content that do not count when two memories are compared: its texts,
// which are compared for themselves, and the members about the memory itself.
var kept = []string{"summary", "text", "type", "tags", "references", "importance", "created_at",
	"timestamp", "pinned", "superseded_by"}

// meaning returns what a memory says, the same bytes for all that say the same; ok is false where
// it says nothing without its key.
func meaning(text []byte, f *content.Fields) (says []byte, ok bool) {
	if saysNothing(text) {
		return nil, false
	}
	texts := textsOf(text, f)
	if len(texts) == 0 {
		return jsontext.AppendCanonical([]byte("equal "), text), true
	}
	says = []byte("same ")
	if f.IsRule() {
		says = []byte("rule ")
	}
	for _, one := range texts {
		says = jsontext.AppendString(says, one)
	}
	return append(says, otherMembers(text)...), true
}

func saysNothing(text []byte) bool {
	switch text[0] {
	case '{', '[':
		return len(text) == 2
	case '"':
		return strings.TrimSpace(jsontext.Unquote(text)) == ""
	}
	return true
}

// textsOf returns summary and text, each once and plain; of a string that it is.
func textsOf(text []byte, f *content.Fields) (texts []string) {
	for _, one := range []string{f.Summary, f.Text, jsontext.Unquote(text)} {
		if one = plain(one); one != "" && !slices.Contains(texts, one) {
			texts = append(texts, one)
		}
	}
	return texts
}

// otherMembers returns the members of an object that are not kept; nothing for any other JSON.
func otherMembers(object []byte) []byte {
	if object[0] != '{' {
		return nil
	}
	rest := slices.DeleteFunc(jsontext.ParseMembers(object), func(m jsontext.Member) bool {
		// A text that is none was not compared yet.
		return slices.Contains(kept, m.Name) && (!isText(m.Name) || m.Value[0] == '"')
	})
	if len(rest) == 0 {
		return nil
	}
	return jsontext.AppendCanonical(nil, rest.Object())
}

func isText(name string) bool { return name == "summary" || name == "text" }

// plain returns a text without what does not change what it says: case, white space, and the
// punctuation of sentences. What stands within a word stays: 1.5, a/b, C++.
func plain(text string) string {
	words := strings.Fields(unpointed(text))
	said := words[:0]
	for _, word := range words {
		if word = bare(word); word != "" {
			said = append(said, strings.ToLower(word))
		}
	}
	return strings.Join(said, " ")
}

// unpointed returns a text with spaces in place of the punctuation of scripts that set none after
// it, and the rest in one form of width and composition.
func unpointed(text string) string {
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case r == '’':
			return '\''
		case r >= 0x80 && unicode.IsPunct(r):
			return ' '
		}
		return r
	}, text))
}

// bare returns a word without the punctuation around it.
func bare(word string) string {
	if strings.Trim(word, "-") == "" {
		return ""
	}
	return strings.TrimRight(strings.TrimLeft(word, `"'([{`), `"')]}.,;:!?`)
}
