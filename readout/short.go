package readout

import (
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
)

const (
	// MaxShort is how many characters (code points) of a memory's text a page shows.
	MaxShort = 400
	// MaxType is how many characters of its type a page shows.
	MaxType = 40
)

// Short returns the text of a memory for one line: its summary, else its text, else an outline of
// its content. It has no line breaks, control characters, terminal escapes or double spaces, and at
// most [MaxShort] characters; one that was cut ends in "…". It is "" if there is nothing to show.
func Short(content []byte, f content.Fields) string {
	if text := summaryOrText(&f); text != "" {
		return Flatten(text, MaxShort)
	}
	return Flatten(outline(content), MaxShort)
}

// summaryOrText returns the summary, else the text, whichever is not blank.
func summaryOrText(f *content.Fields) string {
	switch {
	case !isBlank(f.Summary):
		return f.Summary
	case !isBlank(f.Text):
		return f.Text
	}
	return ""
}

// outline returns content without a text as text: a string, the members of an object, or JSON.
func outline(content []byte) string {
	if len(content) == 0 {
		return ""
	}
	switch content[0] {
	case '"':
		return jsontext.Unquote(content)
	case '{':
		return outlineObject(content)
	}
	return string(content[:min(len(content), keepRaw)])
}

// outlineObject returns `name: value; name: value`, strings first: people wrote these.
func outlineObject(content []byte) string {
	var out strings.Builder
	for _, wantText := range [...]bool{true, false} {
		for name, value := range jsontext.Members(content) {
			if out.Len() > keepRaw {
				break
			}
			if isText(value) == wantText && !isNoise(name) {
				outlineMember(&out, name, value)
			}
		}
	}
	return out.String()
}

func outlineMember(out *strings.Builder, name string, value []byte) {
	text := string(value[:min(len(value), keepRaw)])
	if isText(value) {
		text = jsontext.Unquote(value)
	}
	if text == "null" || isBlank(text) {
		return
	}
	if out.Len() > 0 {
		out.WriteString("; ")
	}
	out.WriteString(name)
	out.WriteString(": ")
	out.WriteString(text)
}

func isText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// isNoise reports whether a member controls the system rather than says something: the type has its
// own place on the line.
func isNoise(name string) bool {
	switch name {
	case "type", "tags", "importance", "expired_at", "sealed", "chunker":
		return true
	}
	return strings.HasPrefix(name, "trigger")
}
