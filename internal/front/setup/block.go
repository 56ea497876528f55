package setup

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
)

// block edits a text file in which the lines between two marked ones are ours.
type block struct {
	begin, end string
	header     string               // what a file begins with that holds nothing but the block
	text       func(Request) string // returns "" if no block is wanted
	alone      bool                 // no other text may be in the file
}

// guidanceBegin is the line before guidance.
const guidanceBegin = "<!-- mem:begin -->"

// guidance returns the block that explains mem to an agent; path is its file.
func guidance(header, path string) block {
	return block{
		begin: guidanceBegin, end: "<!-- mem:end -->", header: header,
		text: func(r Request) string { return r.guidanceFor(path) },
	}
}

// more returns the block of a skill, which begins where guidance ends.
func more(path string) block {
	b := guidance(skillFrontMatter, path)
	b.text = func(r Request) string {
		if r.More == nil {
			return ""
		}
		words := append([]string{r.Program}, r.rootOf(r.readersOf(path))...)
		return r.More(shellLine(words, r.Windows))
	}
	return b
}

// guidanceFor returns the text of a file for all its readers, the same in any order of setup: the
// common part, and a part for each agent that a hook there names.
func (r Request) guidanceFor(path string) string {
	if r.Guidance == nil {
		return ""
	}
	readers := r.readersOf(path)
	words := append([]string{r.Program}, r.rootOf(readers)...)
	text := r.Guidance(readers, shellLine(words, r.Windows))
	if r.Private == nil {
		return text
	}
	for _, name := range r.agentsOf(path) {
		text = strings.TrimRight(text, "\n") + "\n\n" + r.Private(name)
	}
	return text
}

// readersOf returns the clients that read a file of guidance.
func (r Request) readersOf(path string) (readers []*Client) {
	for _, client := range Clients() {
		other := r
		other.Client = client
		reads := func(f file) bool {
			b, ok := f.edit.(block)
			return ok && b.begin == guidanceBegin && isSameFile(f.path, path)
		}
		if slices.ContainsFunc(other.files(), reads) {
			readers = append(readers, client)
		}
	}
	return readers
}

// rootOf returns the flag by which commands reach the store that the hooks of all readers name;
// none where they name none, or not the same one.
func (r Request) rootOf(readers []*Client) []string {
	var roots []string
	for _, client := range readers {
		other, words := r, r.Flags
		if other.Client = client; client != r.Client {
			words = other.hookWords()
		}
		if client == r.Client || len(words) > 0 {
			roots = append(roots, valueOf(words, rootFlag))
		}
	}
	roots = slices.Compact(slices.Sorted(slices.Values(roots)))
	if len(roots) != 1 || roots[0] == "" {
		return nil
	}
	return []string{rootFlag, roots[0]}
}

// agentsOf returns the agents that the hooks of the clients name that read a file of guidance, in
// order; of the request's own client the one of the request.
func (r Request) agentsOf(path string) (names []string) {
	for _, client := range Clients() {
		other, words := r, r.Flags
		if other.Client = client; client != r.Client {
			if files := other.files(); len(files) < 2 || !isSameFile(files[1].path, path) {
				continue
			}
			words = other.hookWords()
		}
		name := valueOf(words, agentFlag)
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// pluginHead has the function that runs the hook; the placeholders in it are for the client, the
// program and its arguments. What calls it is the client's own.
//
//go:embed plugin.ts
var pluginHead string

//go:embed plugin_*.ts
var plugins embed.FS

// pluginFile returns the name of the client's own part of the plugin.
func (a *Client) pluginFile() string {
	return "plugin_" + cmp.Or(a.Hooks.Plugin, a.Name) + ".ts"
}

// plugin returns the block of a program text. In one of a person's it could break both programs.
func plugin() block {
	b := block{begin: "// mem:begin", end: "// mem:end", alone: true}
	b.text = func(r Request) string {
		words, name := r.words(), r.Client.Name
		own, _ := plugins.ReadFile(r.Client.pluginFile()) // TestTable reads each
		return fmt.Sprintf(pluginHead, name, quote(words[0]), wordList(style{}, words[1:])) +
			string(own)
	}
	return b
}

// add returns the text with the block at its end, or with a block that is there brought up to date.
func (b block) add(text []byte, r Request) ([]byte, error) {
	if b.text(r) == "" {
		return text, nil
	}
	from, to, err := b.find(text)
	if err != nil {
		return nil, err
	}
	nl, lines := newline(text), b.lines(text, r)
	switch {
	case b.alone && to == 0 && !isBlank(text):
		return nil, errorAt(text, 0, "another program has the name of mem's: give it another one")
	case to > 0:
		return splice(text, from, to-from, lines), nil
	case len(bytes.TrimPrefix(text, byteOrderMark)) == 0:
		return slices.Concat(text, []byte(b.header+lines+"\n")), nil
	case bytes.HasSuffix(text, []byte(nl)):
		return slices.Concat(text, []byte(nl+lines+nl)), nil
	}
	// Without a line end behind the block, strip knows that the text had none before.
	return slices.Concat(text, []byte(nl+nl+lines)), nil
}

// keptMark is the line of guidance that stays until its own client, agents-md, is removed.
const keptMark = "<!-- mem setup agents-md -->"

const agentsMD = "agents-md"

func isKept(text []byte) bool { return indexLine(text, 0, keptMark) >= 0 }

// lines returns the block with the line ends of a text.
func (b block) lines(text []byte, r Request) string {
	begin := b.begin
	if r.Client.Name == agentsMD || isKept(text) {
		begin += "\n" + keptMark
	}
	lines := begin + "\n" + strings.TrimRight(b.text(r), "\n") + "\n" + b.end
	return strings.ReplaceAll(lines, "\n", newline(text))
}

// strip returns the text without the block and the empty line that add put before it.
func (b block) strip(text, original []byte) ([]byte, error) {
	from, to, err := b.find(text)
	if err != nil || to == 0 {
		return text, err
	}
	before := bytes.TrimPrefix(text[:from], byteOrderMark)
	if b.header != "" && string(before) == b.header {
		from -= len(b.header)
	}
	nl := []byte(newline(text))
	if bytes.HasPrefix(text[to:], nl) {
		to += len(nl)
	} else if to == len(text) {
		from = len(bytes.TrimSuffix(text[:from], nl))
	}
	from = len(bytes.TrimSuffix(text[:from], nl))
	out := splice(text, from, to-from, "")
	if isBlank(out) && isBlank(original) {
		return original, nil
	}
	return out, nil
}

// find returns where the block begins and ends; to is 0 if there is none.
func (b block) find(text []byte) (from, to int, err error) {
	from = indexLine(text, 0, b.begin)
	if from < 0 {
		if stray := indexLine(text, 0, b.end); stray >= 0 {
			return 0, 0, errorAt(text, stray, "%s without %s before it", b.end, b.begin)
		}
		return 0, 0, nil
	}
	end := indexLine(text, from, b.end)
	if end < 0 {
		return 0, 0, errorAt(text, from, "%s without %s after it", b.begin, b.end)
	}
	if second := indexLine(text, from+1, b.begin); second >= 0 {
		return 0, 0, errorAt(text, second, "a second %s", b.begin)
	}
	return from, end + len(b.end), nil
}

// indexLine returns the place, at or after from, of a line with exactly this text; -1 if there is
// none.
func indexLine(text []byte, from int, line string) int {
	for at := from; ; {
		n := bytes.Index(text[at:], []byte(line))
		if n < 0 {
			return -1
		}
		at += n
		before, after := bytes.TrimSuffix(text[:at], byteOrderMark), text[at+len(line):]
		starts := len(before) == 0 || startsWithNewline(before[len(before)-1:])
		if starts && (len(after) == 0 || startsWithNewline(after)) {
			return at
		}
		at++
	}
}

// command returns what a plugin runs. Other blocks run nothing.
func (b block) command(text []byte) []string {
	from, to, err := b.find(text)
	if err != nil || to == 0 {
		return nil
	}
	_, rest, _ := strings.Cut(string(text[from:to]), "\nconst args = ")
	line, _, _ := strings.Cut(rest, "\n")
	list, err := parse([]byte(line))
	if err != nil {
		return nil
	}
	return append([]string{"mem"}, list.words()...)
}
