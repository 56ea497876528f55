package readout

import (
	"regexp"
	"strings"
	"sync"

	"github.com/set-memory/mem/keypath"
	"golang.org/x/text/width"
)

// envelopes matches the tags in which clients put text of their own, the marks of chat templates,
// and the fences of a block, whatever their case and spaces. It is the only list of them.
var envelopes = sync.OnceValue(func() *regexp.Regexp {
	const begun = `system[\s_\p{Pd}]*(?:reminder|message|prompt|instructions?)|` +
		`(?:[a-z]+[_\p{Pd}])+hook|(?:hook|session|project|global|loaded|extension)[\s_\p{Pd}]*context|` +
		`(?:additional|environment|workspace|editor)[\s_\p{Pd}]*(?:context|data|info|details)|` +
		`user[\s_\p{Pd}]*(?:instructions|query|request|message|info|input|memory)|` +
		`user[\s_\p{Pd}]*shell[\s_\p{Pd}]*command|` +
		`(?:local-)?(?:command|bash)-(?:name|message|args|input|stdout|stderr|caveat)|` +
		`(?:task|subagent)[_-]notification|teammate-message|persisted[_-]output|` +
		`state_snapshot|mode_notice|` +
		`qwen:[\w-]+|(?:custom|skills|apps|reminder)_?instructions?|current_datetime|` +
		`collaboration_mode|model_switch|` +
		`ide_(?:opened_file|selection|diagnostics)|new-diagnostics|turn_aborted|antml:\w+|` +
		`(?:function|tool)_(?:call|use|result|output|response)(?:s|_error)?|agent[\s_\p{Pd}]*memory`
	// Of these only the whole name: text may have a name that begins so.
	const whole = `system|context|instructions|permissions instructions|think(?:ing)?|` +
		`(?:start|end)_of_turn|invoke|s|bos|eos`
	const marks = `<\|[^<>|\s]{1,64}\s*\|>|<<[\s/]*sys\s*>>|` +
		`\[[\s/]*(?:inst|system_prompt|tool_(?:calls|results)|available_tools|gmask|` +
		`(?:end\s+of\s+)?agent\s+memory)\s*\]`
	return regexp.MustCompile(`(?i)<[\s/]*(?:` + begun + `)\b(?:[^<>]*>)?|` +
		`<[\s/]*(?:` + whole + `)(?:[\s/][^<>]*>|[\s/>]|$)|` + marks)
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
