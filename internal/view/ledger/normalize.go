package ledger

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/secret"
)

// MaxText is how many bytes of a text an event holds itself. Of a longer one it holds an
// excerpt, and an artifact the whole.
const MaxText = 65_536

// about is what an event is about: its content in the form in which it is kept.
type about struct {
	content []byte // compact JSON
	whole   string // the text where it is too long to be kept; else ""

	found []secret.Finding // the secrets taken out of the text
}

// redactText takes secrets out of the text of an event, and says where they were.
func redactText(text string) (clean string, found []secret.Finding) {
	clean, found = secret.RedactText(text)
	for i := range found {
		found[i].Place = "event.content.text"
	}
	return clean, found
}

// normalize brings the content of an event into its form: that of a tool's result has tool, path,
// excerpt_text, line_range and truncated, and no text is longer than MaxText. What looks
// like a secret in a text is gone before it is cut.
func (e *Event) normalize(value []byte) about {
	if e.Kind == "tool_result" {
		return e.toolResult(value)
	}
	m := membersOf(value)
	if len(m.Get("text")) <= MaxText/16 { // it fits, also with a mark for each of its words
		return about{content: value}
	}
	text, found := redactText(jsontext.Unquote(m.Get("text")))
	if len(text) <= MaxText {
		return about{content: value} // what it has is found in all of it
	}
	excerpt := excerptOf(text)
	m = m.With("text", jsontext.AppendString(nil, excerpt)).With("truncated", []byte("true")).
		With(cutWords, jsontext.AppendString(nil, wordsCut(text, excerpt)))
	return about{m.Object(), text, found}
}

// toolResult normalizes what a tool has returned. Whatever else it says stays behind that.
func (e *Event) toolResult(value []byte) about {
	m := membersOf(value)
	rest := m
	for _, name := range [...]string{"tool", "path", "text", "excerpt_text", "line_range",
		"truncated", cutWords} {
		rest = rest.DropName(name)
	}
	output, all := outputOf(m, rest, value)
	if all {
		rest = nil
	}
	text, found := redactText(output)
	excerpt := excerptOf(text)
	var o jsontext.Object
	o.Text("tool", jsontext.TextOr(m.Get("tool"), e.Actor.ID))
	o.TextUnlessEmpty("path", textOf(m, "path"))
	o.Text("excerpt_text", excerpt)
	o.Raw("line_range", lineRange(m.Get("line_range"), excerpt))
	cut := len(excerpt) < len(text)
	if textOf(m, "text") == "" && string(m.Get("truncated")) == "true" {
		cut = true // its writer has cut it, and names the artifact
	}
	o.Raw("truncated", strconv.AppendBool(nil, cut))
	for _, one := range rest {
		o.Raw(one.Name, one.Value)
	}
	if len(excerpt) == len(text) {
		text = ""
	} else {
		o.TextUnlessEmpty(cutWords, wordsCut(text, excerpt))
	}
	return about{o.Bytes(), text, found}
}

// outputOf returns the text of what a tool has returned: where it names none, all that it says.
func outputOf(m, rest jsontext.MemberList, value []byte) (text string, all bool) {
	for _, name := range [...]string{"text", "excerpt_text"} {
		if m.Get(name) != nil {
			return jsontext.TextOr(m.Get(name), string(m.Get(name))), false
		}
	}
	if m == nil {
		return jsontext.TextOr(value, string(value)), true
	}
	return string(rest.Object()), true
}

// textIn returns the text in the content of an event: what it says, or all of it, as far as it is
// cut into chunks.
func textIn(value []byte) string {
	m := membersOf(value)
	for _, name := range [...]string{"text", "excerpt_text", "decision"} {
		if text := jsontext.Unquote(m.Get(name)); text != "" {
			return excerptOf(text)
		}
	}
	return excerptOf(jsontext.TextOr(value, string(value)))
}

// excerptOf returns the beginning of a text, at most MaxText bytes, in whole characters.
func excerptOf(text string) string {
	if len(text) <= MaxText {
		return text
	}
	end := MaxText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// cutWords is the member of an event with the words of its text that the excerpt lacks: by them a
// search finds the event, and a bundle names the artifact.
const cutWords = "cut_words"

// wordsCut returns the different words after the excerpt of a text that are not in it, as far as
// MaxText bytes hold them. Runs of more than 200 bytes are no words.
func wordsCut(text, excerpt string) string {
	isNone := func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.N) }
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(excerpt, isNone) {
		seen[strings.ToLower(word)] = true
	}
	var words strings.Builder
	for word := range strings.FieldsFuncSeq(text[len(excerpt):], isNone) {
		low := strings.ToLower(word)
		if seen[low] || len(word) > 200 || words.Len()+len(word) >= MaxText {
			continue
		}
		seen[low] = true
		words.WriteString(word + " ")
	}
	clean, _ := secret.RedactText(words.String()) // what words beside each other may look like
	return strings.TrimSpace(clean)
}

// lineRange returns the numbers of the first line and the last that an excerpt holds; given are
// those of the whole, from which the first is taken.
func lineRange(given []byte, excerpt string) []byte {
	from := int64(1)
	for element := range jsontext.Elements(given) {
		if n, err := strconv.ParseInt(string(element), 10, 64); err == nil {
			from = n
		}
		break
	}
	lines := int64(strings.Count(excerpt, "\n"))
	if excerpt != "" && !strings.HasSuffix(excerpt, "\n") {
		lines++
	}
	b := strconv.AppendInt([]byte{'['}, from, 10)
	b = strconv.AppendInt(append(b, ','), from+max(lines, 1)-1, 10)
	return append(b, ']')
}
