package analyzer

import (
	"bytes"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Field is a part of a record that is searched by words.
type Field uint8

// The fields. Members of content that are not named here, at any depth, are Other, with their
// names.
const (
	Text    Field = iota // content.text, or content that is a string
	Summary              // content.summary
	Title                // content.title, content.name
	Other
	Tags    // content.tags
	KeyPart // the segments of the key
	Fields
)

var fieldNames = [Fields]string{"text", "summary", "title", "other", "tags", "key"}

func (f Field) String() string { return fieldNames[f] }

// Measured reports whether a field counts in the length of a record: not keys and tags.
func (f Field) Measured() bool { return f < Tags }

// Terms that are no words of a text begin with the byte of their kind, which no word does.
const (
	KindDate    = "\x01" // of the memory's time, in UTC: y2026 m02 d02-22 w1 (Monday)
	KindTag     = "\x02" // a whole tag, folded, and what it stands below: a.b is tagged a too
	KindType    = "\x03" // content.type, folded
	KindSpeaker = "\x04" // a word of content.speaker or content.role; alone: has one
	KindForm    = "\x05" // a form that a word has in a text, a zero byte, its stem; in no record
)

// Sink takes what a record is made of.
type Sink interface {
	Words(f Field, text string) // a text to be cut into words
	Term(text string)           // a term of one of the kinds
	Date(at log.Stamp)
	Question() // content.text ends in a question mark
}

// Describe feeds a record to a sink.
func Describe(rec *log.Record, to Sink) {
	for segment := range strings.SplitSeq(spokenKey(rec.Key)[1:], "/") {
		to.Words(KeyPart, segment)
	}
	to.Date(TimeOf(rec))
	if text := rec.Content; len(text) > 0 && text[0] == '{' {
		for name, value := range jsontext.Members(text) {
			feedMember(name, value, to)
		}
	} else {
		feedValue(text, Text, to)
	}
}

// spokenKey returns what of a key is words. The ids of events and artifacts are drawn: nobody says
// them, and a million of them would be most of the dictionary.
func spokenKey(k keypath.Key) string {
	key := k.String()
	switch k.Class() {
	case keypath.Event, keypath.Artifact:
		return key[:strings.LastIndexByte(key, '/')]
	}
	return key
}

// TimeOf returns the time of a memory.
func TimeOf(rec *log.Record) log.Stamp { return content.TimeOf(rec.Content, rec.TS) }

func feedMember(name string, value []byte, to Sink) {
	switch name {
	case "text", "message", "decision", "finding", "preference": // see content.Fields.Text
		feedValue(value, Text, to)
		if endsInQuestion(value) {
			to.Question()
		}
	case "summary":
		feedValue(value, Summary, to)
	case "title", "name":
		feedValue(value, Title, to)
	case "tags":
		feedValue(value, Tags, to)
		feedTags(value, to)
	case "type":
		if kind := FoldName(jsontext.Unquote(value)); kind != "" {
			to.Term(KindType + kind)
		}
	case "speaker", "role":
		for name := range speakerWords(jsontext.Unquote(value)) {
			to.Term(KindSpeaker)
			to.Term(KindSpeaker + name)
		}
	case "actor": // of an event
		for name, id := range jsontext.Members(value) {
			if name == "id" {
				feedMember("speaker", id, to)
			}
		}
	case "content":
		feedEvent(value, to)
	case "channel", "sensitivity":
		if !content.IsLabel(name, value) {
			to.Words(Other, name)
			feedValue(value, Other, to)
		}
	case "importance", "expired_at", "session_id", "schema_version", "chunker", "sealed":
	default:
		to.Words(Other, name)
		feedValue(value, Other, to)
	}
}

// feedEvent feeds the content of an event: of an object the members, of which text and
// excerpt_text are its text and the names of the others say nothing.
func feedEvent(value []byte, to Sink) {
	if len(value) == 0 || value[0] != '{' {
		to.Words(Other, "content")
		feedValue(value, Other, to)
		return
	}
	for name, value := range jsontext.Members(value) {
		switch name {
		case "text", "excerpt_text", "decision":
			feedMember("text", value, to)
		case "line_range", "truncated", "artifact_id":
		default:
			feedValue(value, Other, to)
		}
	}
}

// endsInQuestion reports whether a JSON string is a question.
func endsInQuestion(value []byte) bool {
	text := bytes.TrimRight(value, "\" \t")
	return bytes.HasSuffix(text, []byte("?")) || bytes.HasSuffix(text, []byte("？"))
}

// feedValue feeds the strings, numbers and names of members in a value.
func feedValue(value []byte, f Field, to Sink) {
	switch {
	case len(value) == 0:
	case value[0] == '"':
		to.Words(f, jsontext.Unquote(value))
	case value[0] == '[':
		for element := range jsontext.Elements(value) {
			feedValue(element, f, to)
		}
	case value[0] == '{':
		for name, value := range jsontext.Members(value) {
			to.Words(f, name)
			feedValue(value, f, to)
		}
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		to.Words(f, string(value))
	}
}

// feedTags feeds tags as wholes. content.tags is an array, or by a common mistake one string.
func feedTags(value []byte, to Sink) {
	if tag := jsontext.Unquote(value); tag != "" {
		feedTag(tag, to)
	}
	for element := range jsontext.Elements(value) {
		feedTag(jsontext.Unquote(element), to)
	}
}

func feedTag(tag string, to Sink) {
	tag = FoldName(tag)
	for tag != "" {
		to.Term(KindTag + tag)
		tag = tag[:max(0, strings.LastIndexByte(tag, '.'))]
	}
}

// FoldName folds a tag or a type to how it is compared.
func FoldName(name string) string { return Truncate(Fold(Normalize(strings.TrimSpace(name)))) }

// speakerWords yields the names in a speaker or role.
func speakerWords(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for s := (Scanner{Text: Normalize(name)}); ; {
			w, ok := s.Next()
			if !ok || !yield(Truncate(Fold(w.Text))) {
				return
			}
		}
	}
}
