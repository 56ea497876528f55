package foreign

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// WriteTopic returns a memory as a markdown file, which ReadTopic reads back.
func WriteTopic(r Record) []byte {
	t := topicOf(r)
	var b strings.Builder
	b.WriteString(fence + "\n")
	for _, m := range [...]struct{ name, value string }{
		{"name", t.name}, {"description", t.description}, {"type", t.kind},
	} {
		if m.value != "" {
			b.WriteString(m.name + ": " + yamlScalar(m.value) + "\n")
		}
	}
	for _, line := range t.rest {
		b.WriteString(line + "\n")
	}
	b.WriteString(markName + ": " + string(t.mark) + "\n")
	head := b.String()
	tail := fence + "\n\n" + t.body + "\n"
	return []byte(head + sumName + ": " + sum(head+tail) + "\n" + tail)
}

// topicOf returns a record as a topic: the members of its content that have a place in the file,
// and the others in its mark.
func topicOf(r Record) (t topic) {
	var mark, more jsontext.Object
	var kept []byte
	mark.Text("key", r.Key.String())
	switch r.Content[0] {
	case '{':
		for name, value := range jsontext.Members(r.Content) {
			switch {
			case name == "frontmatter":
				kept = value
			case !t.take(name, value):
				more.Raw(name, value)
			}
		}
		if kept != nil && !t.takeLines(jsontext.Unquote(kept)) {
			more.Raw("frontmatter", kept)
		}
		if !more.Empty() {
			mark.Raw("more", more.Bytes())
		}
	case '"':
		mark.Text("as", "text")
		t.body = jsontext.Unquote(r.Content)
	default:
		mark.Text("as", "json")
		t.body = string(r.Content)
	}
	if r.Version != (log.Identity{}) {
		mark.Text("version", hex.EncodeToString(r.Version[:]))
	}
	t.mark = mark.Bytes()
	return t
}

// take puts a member in its place in the file, and reports whether it is read back unchanged.
func (t *topic) take(name string, value []byte) bool {
	text := jsontext.Unquote(value)
	if text == "" {
		return false
	}
	switch name {
	case "type":
		t.kind = text
	case "summary":
		t.description = text
	case "title":
		t.name = text
	case "text":
		t.body = text
	default:
		return false
	}
	return true
}

// takeLines puts back the kept lines of a head, and reports whether a reader would see them as they
// were seen in the first place: no end of the head, nothing understood, no nested type that would
// count.
func (t *topic) takeLines(text string) bool {
	lines := strings.Split(text, "\n")
	var seen topic
	seen.parseHead(lines)
	if text == "" || len(seen.rest) != len(lines) || seen.kind != "" && t.kind == "" {
		return false
	}
	for _, line := range lines {
		if strings.TrimRight(line, " \t") == fence || strings.ContainsFunc(line, isControl) {
			return false
		}
	}
	t.rest = lines
	return true
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// yamlScalar returns a value as it stands if it cannot be mistaken for anything else, and in quotes
// otherwise. A JSON string is valid YAML too.
func yamlScalar(value string) string {
	plain := strings.TrimFunc(value, unicode.IsSpace) == value &&
		!strings.ContainsAny(value[:1], "\"'|>&*!%@`{}[],?:-#~=")
	for _, r := range value {
		plain = plain && (r == ' ' || unicode.IsLetter(r) || unicode.IsDigit(r) ||
			strings.ContainsRune("-_.,;/()+'，。、；（）", r))
	}
	if plain && !isYAMLWord(value) {
		return value
	}
	return string(jsontext.AppendString(nil, value))
}

// isYAMLWord reports whether YAML takes a bare word or number for something other than text.
func isYAMLWord(value string) bool {
	switch strings.ToLower(value) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return true
	}
	return value[0] >= '0' && value[0] <= '9' || value[0] == '+' || value[0] == '.'
}

const sumDigits = 16

func sum(text string) string { return digits(text, sumDigits) }

// OwnTopic reports whether WriteTopic wrote a file, and nobody has changed it since.
func OwnTopic(text []byte) (own, untouched bool) {
	t, err := parseTopic(text)
	if err != nil || t.mark == nil {
		return false, false
	}
	var rest strings.Builder
	stands := ""
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, sumName+": "); ok && stands == "" {
			stands = strings.TrimSuffix(value, "\n")
			continue
		}
		rest.WriteString(line)
	}
	return true, stands == sum(rest.String())
}

// FileName returns the name of a topic's file; place is its key, or the rest of it below an
// export's prefix. Below /claude it is that of the key if possible, and so a file that was imported
// is written again under its own name. All others end in digits of the key's hash, so that no two
// share a file, even if letter case does not count.
func FileName(place string, key keypath.Key) string {
	name, inside := strings.CutPrefix(place, "/claude/")
	if inside && len(name) <= maxHead && isPlainName(name) && name != "memory" {
		return name + ".md"
	}
	return cmp.Or(slug(strings.TrimPrefix(name, "/")), "memory") + "-" +
		digits(key.String(), hashDigits) + ".md"
}

const hashDigits = 12

// isPlainName reports whether a name is safe as a file's on every system, by the rules of package
// keypath, and does not end like a name that had to be changed.
func isPlainName(name string) bool {
	if name != slug(name) || name != strings.ToLower(name) || endsInDigits(name, '-', hashDigits) {
		return false
	}
	key, err := keypath.Parse("/" + name)
	return err == nil && strings.HasPrefix(string(key.Path()), name+"@")
}

// slug returns a name with "_" for all but letters, digits, "-", "_" and dots inside.
func slug(name string) string {
	var b bytes.Buffer
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' &&
			(r != '.' || b.Len() == 0) || b.Len() == 0 && r == '-' {
			r = '_'
		}
		if b.Len() > maxHead {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
