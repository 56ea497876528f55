package purge

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Values are the texts that must be nowhere after a purge. A nil *Values are none.
type Values struct {
	finder finder
	known  map[string]int // the number of each value
	short  map[string]bool
	blobs  map[string]bool       // sums that the versions are about
	learn  func() ([]int, error) // see LearnCommon
	common map[int]bool          // nil: not learnt
}

// NewValues returns no values yet.
func NewValues() *Values {
	return &Values{known: map[string]int{}, short: map[string]bool{},
		blobs: map[string]bool{}}
}

// Add adds the values of a record that goes: those of its content and its source.
func (v *Values) Add(rec log.Record) {
	if sum := content.BlobOf(rec.Key, rec.Content); sum != "" {
		v.blobs[sum] = true
	}
	v.addMembers(rec.Content, func(name string, value []byte) bool {
		if name == "actor" && isObject(value) {
			v.addMembers(value, isOneOfFew)
			return true
		}
		return name == "type" || isOneOfFew(name, value)
	})
	v.addSource(rec.Source, content.IsPurgeMark(rec))
	// The rest of its line may be no more than the end.
	sum := log.Sum(rec.Line)
	v.add(sum, false, sum)
}

// addSource adds the values of a source, but for what mem itself notes there: which agent or verb
// wrote, in which client, conversation and project, or from which client's prompt. The reason of an
// earlier purge was no memory, and may be that of this one.
func (v *Values) addSource(source []byte, isMark bool) {
	isAgent := jsontext.Unquote(content.Member(source, "kind")) == "agent"
	isPrompt := isOfPrompt("channel", content.Member(content.Member(source, "locator"), "channel"))
	v.addMembers(source, func(name string, value []byte) bool {
		switch {
		case name == "locator" && isObject(value):
			v.addMembers(value, isShared)
			return true
		case name == "edited" && isObject(value):
			v.addMembers(value, isVerb)
			return true
		case name == "given" && isObject(value): // the source of what a person approved
			v.addSource(value, isMark)
			return true
		}
		return name == "kind" || name == "class" && isAgent || name == "reason" && isMark ||
			name == "name" && (isAgent || isPrompt || bytes.HasPrefix(value, []byte(`"mem `)))
	})
}

// Blobs returns the sums of the blobs that the versions are about, in order.
func (v *Values) Blobs() []string { return slices.Sorted(maps.Keys(v.blobs)) }

// few are the values of members that have one of a few, which are everybody's: of channels,
// sensitivities, kinds, states and the like.
var few = map[string]string{
	"channel": "private team agent public", "sensitivity": "none low high secret",
	"status": "active superseded open doing done", "scope": "project user global",
	"kind": "tool_output blob", "type": "human agent tool", "id": "user",
}

func isOneOfFew(name string, value []byte) bool {
	return slices.Contains(strings.Fields(few[name]), jsontext.Unquote(value))
}

// isShared reports whether a member of a locator is of all memories of a conversation, an agent or
// a project.
func isShared(name string, value []byte) bool {
	return isOfPrompt(name, value) || slices.Contains(
		[]string{"session", "sessions", "agent", "project", "client", "scope"}, name)
}

// isOfPrompt reports whether a member of a locator says that the text is from a prompt, as
// policy.PromptChannel: then the source has the name of the client.
func isOfPrompt(name string, value []byte) bool {
	return name == "channel" && jsontext.Unquote(value) == "prompt"
}

// isVerb reports whether a member of what an edit says names its verb.
func isVerb(name string, _ []byte) bool { return name == "verb" || name == "command" }

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// LearnCommon sets how to find out which values other keys hold, too, by their numbers. It is asked
// once, when bytes that show no key hold a value.
func (v *Values) LearnCommon(learn func() ([]int, error)) { v.learn = learn }

// isCommon reports whether other keys hold a value, too. Where that cannot be found out, none is.
func (v *Values) isCommon(value int) bool {
	if v.common == nil {
		v.common = map[int]bool{}
		if v.learn != nil {
			list, _ := v.learn() // what cannot be read is an error of the next step too
			for _, n := range list {
				v.common[n] = true
			}
		}
	}
	return v.common[value]
}

// addMembers adds the values of a JSON text, but for members that are everybody's.
func (v *Values) addMembers(text []byte, common func(name string, value []byte) bool) {
	if len(text) == 0 || text[0] != '{' {
		v.addJSON(text)
		return
	}
	for name, value := range jsontext.Members(text) {
		if !common(name, value) {
			v.addJSON(value)
		}
	}
}

func (v *Values) addJSON(text []byte) {
	if len(text) == 0 {
		return
	}
	switch c := text[0]; {
	case c == '{':
		for _, value := range jsontext.Members(text) {
			v.addJSON(value)
		}
	case c == '[':
		for value := range jsontext.Elements(text) {
			v.addJSON(value)
		}
	case c == '"':
		v.addText(jsontext.Unquote(text))
	case c == '-' || isDigit(c):
		v.add(string(text), true, string(text))
	}
}

// addText adds a string in each of its spellings.
func (v *Values) addText(text string) {
	escaped := string(jsontext.AppendString(nil, text))
	escaped = escaped[1 : len(escaped)-1]
	lower, upper := asciiJSON(text, `\u%04x`), asciiJSON(text, `\u%04X`)
	v.add(text, false, text, escaped, slashed(escaped), lower, slashed(lower), upper,
		slashed(upper), percent(text, "%%%02X"),
		percent(text, "%%%02x"), strings.ReplaceAll(percent(text, "%%%02X"), "%20", "+"))
}

// slashed returns the text of a JSON string with its slashes escaped, as some encoders do.
func slashed(text string) string { return strings.ReplaceAll(text, "/", `\/`) }

// AddKey adds a key that is to be found nowhere: as JSON holds it, and as the name of its file.
func (v *Values) AddKey(key keypath.Key) {
	quoted := string(jsontext.AppendString(nil, key.String()))
	path := string(key.Path())
	v.add(quoted, false, quoted, path, strings.ReplaceAll(path, "/", "_"))
}

func (v *Values) add(value string, number bool, spellings ...string) {
	if len(value) < minPattern {
		if value != "" {
			v.short[value] = true
		}
		return
	}
	if _, known := v.known[value]; known {
		return
	}
	v.known[value] = len(v.known)
	seen := map[string]bool{}
	for _, text := range spellings {
		if !seen[text] {
			seen[text] = true
			v.finder.add(pattern{[]byte(text), v.known[value], number})
		}
	}
}

// asciiJSON returns the text of a JSON string that escapes everything beyond ASCII; format is that
// of one unit of UTF-16.
func asciiJSON(text, format string) string {
	escaped := string(jsontext.AppendString(nil, text))
	var b strings.Builder
	for _, r := range escaped[1 : len(escaped)-1] {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, format, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, format+format, high, low)
		}
	}
	return b.String()
}

// percent returns a text as URLs hold it; format is that of one byte.
func percent(text, format string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}

// MatchFold reports whether a text says one of the values, in any case of letters.
func (v *Values) MatchFold(text string) bool {
	text = strings.ToLower(text)
	for value := range v.known {
		if strings.Contains(text, strings.ToLower(value)) {
			return true
		}
	}
	return false
}

// WordsOf returns the words of a text that stand in a value, but for short ones: they may say what
// it was about.
func (v *Values) WordsOf(text string) (words []string) {
	const short = 5 // letters, to which "asked" has
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), notInWord) {
		if utf8.RuneCountInString(word) <= short {
			continue
		}
		for value := range v.known {
			if strings.Contains(strings.ToLower(value), word) {
				words = append(words, word)
				break
			}
		}
	}
	return words
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Short returns how many values are too short to be looked for.
func (v *Values) Short() int { return len(v.short) }

// foundIn reports whether one of the values stands in a text; with rare only those that no
// other key holds.
func (v *Values) foundIn(text []byte, rare bool) (found bool) {
	if v == nil {
		return false
	}
	v.finder.each(text, func(value, _ int) bool {
		found = !rare || !v.isCommon(value)
		return !found
	})
	return found
}
