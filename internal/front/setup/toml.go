package setup

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// tomlToken matches what a TOML text consists of; white space is between the tokens.
var tomlToken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"""(?s:\\.|[^\\])*?"""+|'''(?s:.*?)'''+|` +
		`"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[\n\[\]{}=,.]|[^\s\[\]{}=,."'#]+`)
})

// tomlText is the rest of a TOML text, as tokens without comments.
type tomlText struct {
	tokens []string
	each   func(key string, value []string)
}

// eachTOML calls fn with each key of a TOML text, with those of its tables before it and dots
// between them, and with its value: one token, or all of a list. An inline table is a table. In
// a text that is no TOML it calls fn with each word that looks like a key.
func eachTOML(text []byte, fn func(key string, value []string)) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	t := tomlText{tomlToken().FindAllString(string(text), -1), fn}
	t.tokens = slices.DeleteFunc(t.tokens, func(token string) bool { return token[0] == '#' })
	table := ""
	for len(t.tokens) > 0 {
		if t.tokens[0] == "[" {
			if table, _ = t.name("\n"); table != "" {
				table += "."
			}
		} else if key, ok := t.name("="); ok {
			t.value(table + key)
			t.name("\n") // the rest of a date
		}
	}
}

// name passes a key with the token that ends it, and reports whether that came in its line.
func (t *tomlText) name(end string) (string, bool) {
	var parts []string
	for len(t.tokens) > 0 {
		token := t.tokens[0]
		switch t.tokens = t.tokens[1:]; token {
		case end, "\n":
			return strings.Join(parts, "."), token == end
		case "[", "]", ".", ",":
		default:
			parts = append(parts, tomlString(token))
		}
	}
	return strings.Join(parts, "."), false
}

func (t *tomlText) value(key string) {
	n, depth := 0, 0
	for ; n < len(t.tokens); n++ {
		switch token := t.tokens[n]; {
		case token == "{" && n == 0:
			t.tokens = t.tokens[1:]
			t.members(key + ".")
			return
		case token == "[" || token == "{":
			depth++
		case token == "]" || token == "}":
			depth--
		}
		if depth <= 0 {
			n++
			break
		}
	}
	t.each(key, t.tokens[:n])
	t.tokens = t.tokens[n:]
}

// members passes the keys of an inline table.
func (t *tomlText) members(table string) {
	for len(t.tokens) > 0 {
		switch t.tokens[0] {
		case "}":
			t.tokens = t.tokens[1:]
			return
		case ",", "\n":
			t.tokens = t.tokens[1:]
		default:
			if key, ok := t.name("="); ok {
				t.value(table + key)
			}
		}
	}
}

// tomlString returns the text of a string, or of a bare word.
func tomlString(token string) string {
	if text, err := strconv.Unquote(token); err == nil && token[0] == '"' {
		return text
	}
	return strings.Trim(token, `"'`)
}
