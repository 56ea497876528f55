package foreign

import (
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// guidanceFiles are what clients read at each start: a person writes them, an item for each thing.
var guidanceFiles = []string{"claude.md", "claude.local.md", "agents.md", "agents.override.md",
	"gemini.md", "copilot-instructions.md"}

// IsGuidance reports whether a file name is that of a file of guidance.
func IsGuidance(name string) bool {
	return slices.Contains(guidanceFiles, strings.ToLower(path.Base(name)))
}

// ReadGuidance yields a memory for each bullet and each paragraph of a file of guidance:
//
//	/guidance/FILE/HEADING/.../SUM   {"title":"HEADING › ...","text":"..."}
//
// SUM is the beginning of the SHA-256 of the text, so file, heading and text make the same memory
// again. A line that ends in a colon above a list stands before each of its items. What is in
// comments, in the block of mem setup, or includes another file is no memory.
func ReadGuidance(name string, text []byte) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if !utf8.Valid(text) {
			yield(Record{}, BadInput("the text is not UTF-8"))
			return
		}
		g := guidance{file: segment(path.Base(name)), yield: yield}
		file := unixLines(strings.TrimPrefix(string(text), byteOrderMark))
		if _, body, ok := splitHead(file); ok {
			file = strings.Repeat("\n", strings.Count(file[:len(file)-len(body)], "\n")) + body
		}
		for line := range strings.Lines(blankComments(file)) {
			g.line++
			g.read(strings.TrimRight(line, " \t\n"))
		}
		g.end()
	}
}

// guidance is a file while it is read.
type guidance struct {
	file  string
	yield func(Record, error) bool
	done  bool

	line, begin int      // the present line, and that of the item
	headings    []string // by level
	lead        string   // above a list
	item        []string // lines
	bullet      bool     // the item is one of a list
	fence       string   // that ends the code
	gap         bool     // a blank line came before
}

// commentsOf matches comments, and the block that mem setup writes.
var commentsOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<!-- mem:begin -->.*?<!-- mem:end -->|<!--.*?-->`)
})

// blankComments returns a text without comments, its lines where they were.
func blankComments(file string) string {
	return commentsOf().ReplaceAllStringFunc(file, func(s string) string {
		return strings.Repeat("\n", strings.Count(s, "\n"))
	})
}

var (
	headingOf = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*$`)
	})
	bulletOf = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ ?(?:[-*+]|\d{1,3}[.)])(?:\s+(?:\[[ xX]\]\s+)?(.*)|$)`)
	})
	ruleOf = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ {0,3}(?:-[ -]*-|\*[ *]*\*|_[ _]*_|=+)$`)
	})
)

func (g *guidance) read(line string) {
	trimmed := strings.TrimLeft(line, " \t")
	switch {
	case g.fence != "":
		g.item = append(g.item, line)
		if strings.HasPrefix(trimmed, g.fence) {
			g.fence = ""
		}
		return
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		g.fence = trimmed[:3]
		g.add(line)
		return
	}
	heading := headingOf().FindStringSubmatch(line)
	bullet := bulletOf().FindStringSubmatch(line)
	switch {
	case line == "":
		g.gap = true
		return
	case heading != nil:
		g.end()
		g.lead = ""
		level := len(heading[1])
		g.headings = append(g.headings[:min(level-1, len(g.headings))], heading[2])
	case g.isUnderlined(line):
		level := 1 + strings.Count(line[:1], "-")
		g.headings = append(g.headings[:min(level-1, len(g.headings))], g.item[0])
		g.item, g.lead = nil, ""
	case ruleOf().MatchString(line), strings.HasPrefix(line, "@") && !strings.Contains(line, " "):
		g.end()
	case bullet != nil:
		g.endBeforeBullet()
		g.bullet = true
		g.add(bullet[1])
	case g.gap && trimmed == line: // not indented: no part of a list
		g.end()
		g.lead = ""
		g.add(line)
	default:
		g.add(line)
	}
	g.gap = false
}

// isUnderlined reports whether a line makes a heading of the one above it.
func (g *guidance) isUnderlined(line string) bool {
	return len(g.item) == 1 && !g.bullet && !g.gap && len(line) > 1 &&
		(strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// add adds a line to the item, or begins one.
func (g *guidance) add(line string) {
	if len(g.item) == 0 {
		g.begin = g.line
	}
	g.item = append(g.item, line)
}

// endBeforeBullet ends the item, unless it introduces the list that begins.
func (g *guidance) endBeforeBullet() {
	if n := len(g.item); n > 0 && !g.bullet && strings.HasSuffix(g.item[n-1], ":") {
		g.lead, g.item = strings.Join(g.item, " "), nil
		return
	}
	g.end()
}

// end yields the item.
func (g *guidance) end() {
	text := strings.TrimSpace(strings.Join(g.item, "\n"))
	if g.bullet && g.lead != "" && text != "" {
		text = g.lead + " " + text
	}
	g.item, g.bullet = nil, false
	if text == "" || g.done {
		return
	}
	parts, titles := []string{"/guidance", g.file}, []string(nil)
	for _, heading := range g.headings {
		if heading != "" {
			parts, titles = append(parts, segment(heading)), append(titles, heading)
		}
	}
	key, err := keypath.Parse(strings.Join(append(parts, digits(text, guidanceDigits)), "/"))
	var o jsontext.Object
	o.TextUnlessEmpty("title", strings.Join(titles, " › "))
	o.Text("text", text)
	g.done = !g.yield(Record{Key: key, Content: o.Bytes(), Line: g.begin}, err)
}

// guidanceDigits is the length of the part of a key that is made from the text: two items under
// one heading with the same one are not to be expected.
const guidanceDigits = 8
