package foreign

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// topic is one markdown file of a memory folder.
type topic struct {
	name, description, kind string
	rest                    []string // lines of the head that are not understood
	mark                    []byte   // the JSON of the line "mem:", nil if there is none
	body                    string
}

const (
	fence    = "---"
	markName = "mem"
	sumName  = "mem_sum"
)

// ReadTopic returns the memory in one file of a memory folder; name is its path in it, with
// slashes. The error wraps ErrFormat or keypath.ErrKey.
func ReadTopic(name string, text []byte) (Record, error) {
	t, err := parseTopic(text)
	if err != nil {
		return Record{}, err
	}
	if t.mark != nil {
		return t.marked()
	}
	parts := strings.Split(name[:len(name)-len(".md")], "/")
	for i, part := range parts {
		parts[i] = segment(part)
	}
	key, err := keypath.Parse("/claude/" + strings.Join(parts, "/"))
	return Record{Key: key, Content: t.content(nil)}, err
}

func parseTopic(text []byte) (t topic, err error) {
	if !utf8.Valid(text) {
		return t, fmt.Errorf("%w: the text is not UTF-8", ErrFormat)
	}
	file := unixLines(strings.TrimPrefix(string(text), byteOrderMark))
	head, body, ok := splitHead(file)
	if ok {
		body = strings.TrimPrefix(body, "\n")
	}
	t.body = strings.TrimSuffix(body, "\n")
	t.parseHead(head)
	if t.mark != nil {
		t.mark, err = jsontext.Compact(nil, t.mark)
	}
	return t, err
}

// unixLines returns a file with "\n" for the line ends of Windows. A file that has only some of
// them is left as it is.
func unixLines(file string) string {
	if first, _, found := strings.Cut(file, "\n"); found && strings.HasSuffix(first, "\r") {
		return strings.ReplaceAll(file, "\r\n", "\n")
	}
	return file
}

// splitHead splits a file into its head and its body; without an end mark it has no head.
func splitHead(file string) (head []string, body string, ok bool) {
	line, rest, found := strings.Cut(file, "\n")
	if strings.TrimRight(line, " \t") != fence {
		return nil, file, false
	}
	for found {
		line, rest, found = strings.Cut(rest, "\n")
		if strings.TrimRight(line, " \t") == fence {
			return head, rest, true
		}
		head = append(head, line)
	}
	return nil, file, false
}

// parseHead reads `key: value` lines. A type may be below metadata, whose lines are kept too.
func (t *topic) parseHead(lines []string) {
	parent, nested := "", ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		name, value, indented, ok := headLine(line)
		if ok && indented && parent == "metadata" && name == "type" {
			nested = scalar(value)
		}
		if !indented {
			parent = name
		}
		slot := t.slot(name)
		switch {
		case !ok || indented || slot == nil && name != markName && name != sumName:
			t.rest = append(t.rest, line)
		case name == markName:
			t.mark = []byte(value)
		case slot != nil:
			more := 0
			*slot, more = block(value, lines[i+1:])
			i += more
		}
	}
	if t.kind == "" {
		t.kind = nested
	}
}

func (t *topic) slot(name string) *string {
	switch name {
	case "name":
		return &t.name
	case "description":
		return &t.description
	case "type":
		return &t.kind
	}
	return nil
}

func headLine(line string) (name, value string, indented, ok bool) {
	name, value, ok = strings.Cut(line, ":")
	trimmed := strings.TrimLeft(name, " \t")
	indented = trimmed != name
	ok = ok && trimmed != "" && !strings.ContainsAny(trimmed, " \t\"'#")
	if !ok {
		return "", "", indented, false
	}
	return trimmed, strings.TrimSpace(value), indented, true
}

// block returns a value that may continue in indented lines below it, as YAML's | and > say, and
// the number of these lines.
func block(value string, below []string) (text string, n int) {
	if value != "" && strings.Trim(value[1:], "+-0123456789") == "" &&
		(value[0] == '|' || value[0] == '>') {
		var parts []string
		for n < len(below) &&
			(strings.TrimSpace(below[n]) == "" || strings.HasPrefix(below[n], " ")) {
			parts = append(parts, strings.TrimSpace(below[n]))
			n++
		}
		glue := map[byte]string{'|': "\n", '>': " "}[value[0]]
		return strings.TrimSpace(strings.Join(parts, glue)), n
	}
	return scalar(value), 0
}

// scalar returns the text of a value: bare, or in quotes of either kind.
func scalar(value string) string {
	n := len(value)
	switch {
	case n >= 2 && value[0] == '"' && value[n-1] == '"':
		if text, err := jsontext.Compact(nil, []byte(value)); err == nil {
			return jsontext.Unquote(text)
		}
		return value[1 : n-1]
	case n >= 2 && value[0] == '\'' && value[n-1] == '\'':
		return strings.ReplaceAll(value[1:n-1], "''", "'")
	}
	return value
}

// content returns the topic as content; more has the members that have no place in the file.
func (t *topic) content(more []byte) []byte {
	var o jsontext.Object
	have := map[string]bool{}
	for _, m := range [...]struct{ name, value string }{
		{"type", t.kind}, {"summary", t.description}, {"title", t.name}, {"text", t.body},
		{"frontmatter", strings.Join(t.rest, "\n")},
	} {
		if m.value != "" {
			o.Text(m.name, m.value)
			have[m.name] = true
		}
	}
	for name, value := range jsontext.Members(more) {
		// The file wins: it may have been edited there.
		if !have[name] {
			o.Raw(name, value)
		}
	}
	return o.Bytes()
}

// marked returns the memory that WriteTopic wrote.
func (t *topic) marked() (r Record, err error) {
	r.Marked = true
	var more []byte
	as := ""
	for name, value := range jsontext.Members(t.mark) {
		switch name {
		case "key":
			r.Key, err = keypath.Parse(jsontext.Unquote(value))
		case "version":
			r.Version, _ = log.ParseIdentity([]byte(jsontext.Unquote(value)))
		case "more":
			more = value
		case "as":
			as = jsontext.Unquote(value)
		}
		if err != nil {
			return r, err
		}
	}
	switch {
	case r.Key.IsZero():
		return r, fmt.Errorf("%w: the line %q names no key", ErrFormat, markName+":")
	case as == "text":
		r.Content = jsontext.AppendString(nil, t.body)
	case as == "json":
		r.Content, err = jsontext.Compact(nil, []byte(t.body))
	default:
		r.Content = t.content(more)
	}
	return r, err
}
