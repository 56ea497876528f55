package foreign

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// IndexFile is the file of a memory folder that links to the others.
const IndexFile = "MEMORY.md"

// IndexKey is the key of a memory folder's IndexFile, if that is more than links.
var IndexKey = keypath.MustParse("/claude/MEMORY")

// How much of MEMORY.md Claude Code reads.
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

// linked returns the file that a line of a list links to, if it begins with a link, as in Claude
// Code's index, in markdown, with a note behind it.
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

// ReadIndex returns the text of MEMORY.md besides links to topics and headings, as one memory; ok
// is false if there is none. isTopic reports which files there are.
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

// ownWords returns an index without what mem export wrote and without links to topics.
func ownWords(text []byte, isTopic func(string) bool) string {
	_, file := cutBlock(text)
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

// cutBlock removes the block that mem wrote at the beginning of a file, unless the block was
// changed since. A changed block stays, so that the changes are read.
func cutBlock(text []byte) (found bool, rest string) {
	file := strings.ReplaceAll(strings.TrimPrefix(string(text), byteOrderMark), "\r\n", "\n")
	first, after, _ := strings.Cut(file, "\n")
	stands, ok := strings.CutPrefix(first, indexMark)
	body, rest, closed := strings.Cut(after, indexEnd+"\n")
	if !ok || !closed || stands != sum(body)+markEnd {
		return false, file
	}
	return true, rest
}

// WithoutPage returns a text without the block that mem wrote, also if that was changed since.
func WithoutPage(text string) string {
	before, rest, _ := strings.Cut(text, indexMark)
	_, after, _ := strings.Cut(rest, indexEnd)
	return before + after
}

// Page is a MEMORY.md that is being written, within its limits.
type Page struct {
	b     strings.Builder
	lines int
}

// reserve is the size of the first and the last line, with their newlines.
const reserve = len(indexMark) + sumDigits + len(markEnd) + 1 + len(indexEnd) + 1

// NewPage returns a page with its heading.
func NewPage() *Page {
	p := &Page{lines: 2 + strings.Count(heading, "\n")}
	p.b.WriteString(heading)
	return p
}

// Add appends a line of text, which must have no line breaks, and reports whether there was room
// for it.
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
	title = strings.NewReplacer("[", "(", "]", ")", "\\", "/").Replace(title)
	text := "[" + title + "](" + file + ")"
	if about != "" {
		text += " — " + about
	}
	return p.Add(text)
}

// Bytes returns the file.
func (p *Page) Bytes() []byte {
	body := p.b.String()
	return []byte(indexMark + sum(body) + markEnd + "\n" + body + indexEnd + "\n")
}

// escaped returns a text without what a reader of a prompt file acts on: a comment that hides what
// follows, and @path, which includes a file.
func escaped(text string) string {
	text = strings.ReplaceAll(text, "<!--", `\<!--`)
	var b strings.Builder
	before := ' '
	for _, r := range text {
		if r == '@' && !inWord(before) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// inWord reports whether an @ after r is within a word, as in an address.
func inWord(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
		strings.ContainsRune("._-+\\", r)
}

// ErrPage refuses a page for a prompt: it has no keys, and of memories the beginnings alone.
var ErrPage error = &fault.Fault{Code: string(mem.KindInput),
	Why: "it is a page for a prompt, without keys", Later: func() advice.List {
		return advice.Run("export", "--format", "jsonl").Then(" writes a file that an import reads")
	}}

// OwnPage reports whether a MEMORY.md was written by mem and not changed since.
func OwnPage(text []byte) bool {
	found, rest := cutBlock(text)
	return found && rest == ""
}

// MayReplaceIndex reports whether a MEMORY.md may be replaced: mem wrote it, and nothing was
// written into it since but links to topics that the new one has, or the text of the memory at
// /claude/MEMORY.
func MayReplaceIndex(text []byte, isTopic func(string) bool, live []byte) bool {
	if !strings.HasPrefix(string(text), indexMark) {
		return false
	}
	r, more, err := ReadIndex(text, isTopic)
	return err == nil && (!more || live != nil && jsontext.Equal(live, r.Content))
}
