package readout

import (
	"regexp"
	"strings"
	"sync"

	"github.com/set-memory/mem/keypath"
	"golang.org/x/text/width"
)

// envelopes matches the tags in which clients put text of their own, and the fences of a block,
// whatever their case and spaces.
var envelopes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<[\s/]*(?:system[\s_-]*(?:reminder|message|prompt|instructions?)|` +
		`(?:[a-z]+[_-])+hook|hook[\s_-]*context|(?:additional|environment)[\s_-]*(?:context|data)|` +
		`user[\s_-]*(?:instructions|query)|(?:local-)?(?:command|bash)-(?:name|message|args|input|` +
		`stdout|stderr)|task-notification|antml:\w+|(?:function|tool)_(?:call|use|result|output)s?|` +
		`agent[\s_-]*memory)\b(?:[^<>]*>)?|\[\s*(?:end\s+of\s+)?agent\s+memory\s*\]`)
})

var (
	quotes  = strings.NewReplacer("<", "‹", ">", "›", "[", "‹", "]", "›")
	escaped = strings.NewReplacer("<", `\u003c`, "[", `\u005b`, "＜", `\uff1c`, "［", `\uff3b`)
)

// defuse returns a text with other brackets around the tags and fences that could end the envelope
// of a client or a block, as ‹/system-reminder›, and as many characters as before. In such a text
// full-width characters become ASCII: a model reads them alike.
func defuse(s string) string {
	if !strings.ContainsAny(s, "<[") && !strings.Contains(s, "＜") && !strings.Contains(s, "［") {
		return s // as is usual; of all these characters in one set, the search is slow
	}
	narrow := width.Fold.String(s)
	if !envelopes().MatchString(narrow) {
		return s
	}
	return envelopes().ReplaceAllStringFunc(narrow, quotes.Replace)
}

// defuseName returns the name of a key, or where that has a tag or a fence, the key in quotes with
// escapes, which verbs accept too.
func defuseName(name, key string) string {
	if defuse(name) == name {
		return name
	}
	return escaped.Replace(keypath.Quote(key))
}
