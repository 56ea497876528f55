package exchange

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/keypath"
)

// IndexFile is the file of a memory folder that links to the others.
const IndexFile = "MEMORY.md"

// IndexKey is where a memory folder's IndexFile is kept, as far as it is more than links.
var IndexKey = keypath.MustParse("/claude/MEMORY")

// What Claude Code reads of MEMORY.md.
const (
	MaxLines = 200
	MaxBytes = 25_000
)

const (
	indexMark = "<!-- written by mem export, "
	markEnd   = " -->"
	indexEnd  = "<!-- what mem export wrote ends here -->"
	heading   = "# Memory\n\n"
)

// linked gives the file that a line of a list links to, if it begins with that, as Claude Code writes its index: - [Title](file.md) and a word on it.
func linked(line string) (file string, ok bool) {
	line = strings.TrimSpace(line)
	if len(line) < 2 || !strings.ContainsRune("-*+", rune(line[0])) {
		return "", false
	}
	title, rest, found := strings.Cut(strings.TrimSpace(line[1:]), "](")
	file, _, closed := strings.Cut(rest, ")")
	if !found || !closed || !strings.HasPrefix(title, "[") {
		return "", false
	}
	return strings.ReplaceAll(strings.TrimPrefix(file, "./"), "%20", " "), true
}

// ReadIndex gives what stands in MEMORY.md besides links to topics and headings, as one memory; ok is false where there is nothing. isTopic tells
// which files there are.
func ReadIndex(text []byte, isTopic func(name string) bool) (r Record, ok bool, err error) {
	if !utf8.Valid(text) {
		return r, false, fmt.Errorf("%w: the text is not UTF-8", ErrFormat)
	}
	rest := ownWords(text, isTopic)
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			ok = true
		}
	}
	if !ok {
		return r, false, nil
	}
	r.Key = IndexKey
	t := topic{name: "MEMORY", body: rest}
	r.Content = t.content(nil)
	return r, true, nil
}

// ownWords leaves out of an index what mem export or a link put there.
func ownWords(text []byte, isTopic func(string) bool) string {
	file := strings.ReplaceAll(strings.TrimPrefix(string(text), byteOrderMark), "\r\n", "\n")
	_, file = cutBlock(file)
	var kept []string
	for line := range strings.SplitSeq(file, "\n") {
		if strings.HasPrefix(line, indexMark) || line == indexEnd {
			continue
		}
		if file, ok := linked(line); ok && isTopic(file) {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}

// cutBlock takes out of a file what mem wrote at its beginning, if nobody has touched that. An edited block stays: what was written into it must
// not go unseen.
func cutBlock(file string) (found bool, rest string) {
	first, after, _ := strings.Cut(file, "\n")
	stands, ok := strings.CutPrefix(first, indexMark)
	body, rest, closed := strings.Cut(after, indexEnd+"\n")
	if !ok || !closed || stands != sum(body)+markEnd {
		return false, file
	}
	return true, rest
}

// Page is a MEMORY.md while it is written, within its bounds.
type Page struct {
	b     strings.Builder
	lines int
}

// reserve is what the first and the last line take, with their newlines.
const reserve = len(indexMark) + sumDigits + len(markEnd) + 1 + len(indexEnd) + 1

// NewPage begins one, with its heading.
func NewPage() *Page {
	p := &Page{lines: 2 + strings.Count(heading, "\n")}
	p.b.WriteString(heading)
	return p
}

// Add appends a line of text, which must have no line breaks, and reports whether there was room for it.
func (p *Page) Add(text string) bool {
	line := "- " + escaped(text) + "\n"
	if p.lines >= MaxLines || reserve+p.b.Len()+len(line) > MaxBytes {
		return false
	}
	p.lines++
	p.b.WriteString(line)
	return true
}

// AddLink appends a link to a file.
func (p *Page) AddLink(title, file, about string) bool {
	text := "[" + strings.NewReplacer("[", "(", "]", ")", "\\", "/").Replace(title) + "](" + file + ")"
	if about != "" {
		text += " — " + about
	}
	return p.Add(text)
}

// Bytes gives the file.
func (p *Page) Bytes() []byte {
	body := p.b.String()
	return []byte(indexMark + sum(body) + markEnd + "\n" + body + indexEnd + "\n")
}

// escaped takes the power out of what a reader of a prompt file acts upon: a comment that hides what follows, and @path, which has a file read in.
func escaped(text string) string {
	text = strings.ReplaceAll(text, "<!--", `\<!--`)
	var b strings.Builder
	before := ' '
	for _, r := range text {
		if r == '@' && !wordly(before) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// wordly reports whether an @ behind r stands within a word, as in an address.
func wordly(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-+\\", r)
}

// OwnPage reports whether a MEMORY.md was written by mem, and not touched since.
func OwnPage(text []byte) bool {
	found, rest := cutBlock(string(text))
	return found && rest == ""
}

// MayReplaceIndex reports whether a MEMORY.md may give way to a new one: mem wrote it, and what was written into it since is nothing but links to the
// topics that the new one knows, or what the memory at /claude/MEMORY says.
func MayReplaceIndex(text []byte, isTopic func(string) bool, live []byte) bool {
	if !strings.HasPrefix(string(text), indexMark) {
		return false
	}
	r, more, err := ReadIndex(text, isTopic)
	return err == nil && (!more || live != nil && Equal(live, r.Content))
}
