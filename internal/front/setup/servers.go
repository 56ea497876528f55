package setup

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// The server of the Model Context Protocol, among those that a client knows by their names.

const serverName = "mem"

// servers edits settings in JSON that have an object of servers.
type servers struct{ Server }

// add returns the text with our server, where it is wanted or there already. What a person has
// added to it stays, and so does another one of the name.
func (e servers) add(text []byte, r Request) ([]byte, error) {
	if !r.Server && !e.present(text) {
		return text, nil
	}
	body, bom := bytes.CutPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}\n")
	}
	root, all, err := e.read(body)
	if err != nil {
		return nil, err
	}
	step, entry := indentStep(body, root), all.get(serverName)
	switch {
	case all.kind == 0:
		body = insertItem(body, root, step, func(s style) string {
			return quote(e.Member) + ": " + s.brackets("{", "}", []string{e.item(s.deeper(), r)})
		})
	case entry.kind == 0:
		body = insertItem(body, all, step, func(s style) string { return e.item(s, r) })
	case runsServer(entry):
		body = correctServer(body, entry, r)
	}
	if bom {
		body = slices.Concat(byteOrderMark, body)
	}
	return body, nil
}

// read returns the whole text and its member with the servers, whose kind is 0 if it is missing.
func (e servers) read(text []byte) (root, all node, err error) {
	if root, err = parse(text); err != nil {
		return root, all, err
	}
	if root.kind != '{' {
		return root, all, errorAt(text, root.start, "it is %s, want an object", kindName(root.kind))
	}
	if all = root.get(e.Member); all.kind != 0 && all.kind != '{' {
		err = errorAt(text, all.start, "%s is %s, want an object", e.Member, kindName(all.kind))
	}
	return root, all, err
}

// item returns our server and its name.
func (e servers) item(s style, r Request) string {
	return quote(serverName) + ": " + e.value(s, r.serverWords())
}

func (e servers) value(s style, words []string) string {
	var parts []string
	if e.Typed {
		parts = append(parts, `"type": "stdio"`)
	}
	parts = append(parts, `"command": `+quote(words[0]), `"args": `+wordList(s, words[1:]))
	return s.brackets("{", "}", parts)
}

// runsServer reports whether a server is ours; see the package comment.
func runsServer(entry node) bool {
	args := entry.get("args").words()
	program := entry.get("command").text()
	return len(args) > 0 && args[0] == "mcp" &&
		(isMem(program) || isMem(strings.Replace(program, "memd", "mem", 1)))
}

// correctServer returns the text with the right command in our server; its tools stay.
func correctServer(text []byte, entry node, r Request) []byte {
	command, args := entry.get("command"), entry.get("args")
	words := withTools(r.serverWords(), args.words())
	if slices.Equal(words, append([]string{command.text()}, args.words()...)) {
		return text
	}
	first, second := command, args
	texts := []string{quote(words[0]), wordList(style{}, words[1:])}
	if args.start < command.start {
		first, second = args, command
		slices.Reverse(texts)
	}
	text = splice(text, second.start, second.end-second.start, texts[1])
	return splice(text, first.start, first.end-first.start, texts[0])
}

// withTools returns the words of a server with the sets of tools that it offered before.
func withTools(words, before []string) []string {
	if sets := valueOf(before, toolsFlag); sets != "" {
		return append(words, toolsFlag, sets)
	}
	return words
}

// toolsFlag names the sets of tools that the server offers.
const toolsFlag = "--tools"

// strip returns the text without our server, and without the object around it if it held nothing
// else and is not in the original either.
func (e servers) strip(text, original []byte) ([]byte, error) {
	body, bom := bytes.CutPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		return text, nil
	}
	_, all, err := e.read(body)
	if err != nil || !runsServer(all.get(serverName)) {
		return text, nil // nothing of ours is in it, whatever it is
	}
	body = removeItem(body, all, all.member(serverName))
	root, all, err := e.read(body)
	if err == nil && isEmpty(body, all) && !e.isIn(original) {
		body = removeItem(body, root, root.member(e.Member))
		root, err = parse(body)
	}
	switch {
	case err != nil:
		return nil, err
	case isBlank(original) && isNothingBut(body, root):
		return original, nil // add created the object
	case bom:
		return slices.Concat(byteOrderMark, body), nil
	}
	return body, nil
}

func (e servers) isIn(text []byte) bool {
	root, err := parse(bytes.TrimPrefix(text, byteOrderMark))
	return err == nil && root.member(e.Member) >= 0
}

// ours returns our server in a text; its kind is 0 if there is none, or another of its name.
func (e servers) ours(text []byte) node {
	if _, all, err := e.read(text); err == nil && runsServer(all.get(serverName)) {
		return all.get(serverName)
	}
	return node{}
}

func (e servers) present(text []byte) bool {
	return e.ours(bytes.TrimPrefix(text, byteOrderMark)).kind != 0
}

// command returns what our server runs.
func (e servers) command(text []byte) []string {
	entry := e.ours(bytes.TrimPrefix(text, byteOrderMark))
	if entry.kind == 0 {
		return nil
	}
	return append([]string{entry.get("command").text()}, entry.get("args").words()...)
}

// custom returns where another server has the name of ours.
func (e servers) custom(text []byte) []Clash {
	text = bytes.TrimPrefix(text, byteOrderMark)
	_, all, err := e.read(text)
	other := all.get(serverName)
	if err != nil || other.kind == 0 || runsServer(other) {
		return nil
	}
	line := 1 + bytes.Count(text[:other.start], []byte("\n"))
	return []Clash{{fmt.Sprintf("line %d, %s.%s", line, e.Member, serverName), true}}
}

// edited reports whether our server is not, to the byte, what setup writes for the same command.
func (e servers) edited(text []byte, _ Request) bool {
	text = bytes.TrimPrefix(text, byteOrderMark)
	entry := e.ours(text)
	if entry.kind == 0 {
		return false
	}
	root, _, _ := e.read(text)
	s := style{newline: newline(text), indent: jsontext.IndentAt(text, entry.start),
		step: indentStep(text, root)}
	is, words := string(text[entry.start:entry.end]), e.command(text)
	inLine := e.value(s, words)
	s.multiline = true
	return is != inLine && is != e.value(s, words)
}

// pair edits a file that has both hooks and servers. The message is about the hooks.
type pair struct {
	edit
	server edit
}

func (p pair) add(text []byte, r Request) ([]byte, error) {
	text, err := p.edit.add(text, r)
	if err != nil {
		return nil, err
	}
	return p.server.add(text, r)
}

func (p pair) strip(text, original []byte) ([]byte, error) {
	text, err := p.server.strip(text, original)
	if err != nil {
		return nil, err
	}
	return p.edit.strip(text, original)
}

func (p pair) custom(text []byte) []Clash {
	return slices.Concat(p.edit.custom(text), p.server.custom(text))
}

func (p pair) edited(text []byte, r Request) bool {
	return p.edit.edited(text, r) || p.server.edited(text, r)
}

// table edits a file in TOML: a block at its end that has the table of our server.
type table struct{ block }

func newTable() table {
	return tableOf(func(r Request) []string { return r.serverWords() })
}

// tableOf returns the edit of a table that runs these words.
func tableOf(words func(Request) []string) table {
	return table{block{begin: "# mem:begin", end: "# mem:end", text: func(r Request) string {
		words := words(r)
		return "[mcp_servers." + serverName + "]\ncommand = " + quote(words[0]) + "\nargs = " +
			wordList(style{}, words[1:])
	}}}
}

func (t table) add(text []byte, r Request) ([]byte, error) {
	if !r.Server && !t.present(text) || len(t.custom(text)) > 0 {
		return text, nil
	}
	if words := t.command(text); len(words) > 1 {
		return t.correct(text, withTools(r.serverWords(), words)), nil
	}
	return t.block.add(text, r)
}

// correct returns the text with other words in the table of ours. What else a person has put into
// it stays, as how its tools are approved.
func (t table) correct(text []byte, words []string) []byte {
	from, to, _ := t.find(text)
	lines := strings.Split(string(text[from:to]), "\n")
	for i, line := range lines {
		end := line[len(strings.TrimSuffix(line, "\r")):]
		switch name, _, _ := strings.Cut(line, " = "); name {
		case "command":
			lines[i] = "command = " + quote(words[0]) + end
		case "args":
			lines[i] = "args = " + wordList(style{}, words[1:]) + end
		}
	}
	return splice(text, from, to-from, strings.Join(lines, "\n"))
}

func (t table) strip(text, original []byte) ([]byte, error) {
	if !t.present(text) {
		return text, nil
	}
	return t.block.strip(text, original)
}

func (t table) present(text []byte) bool {
	_, to, err := t.find(text)
	return err == nil && to > 0
}

// elsewhere matches what gives a server of our name, or all servers, outside of a block.
var elsewhere = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(\[[ \t]*"?mcp_servers"?[ \t]*\.[ \t]*"?mem"?[ \t]*[.\]]|` +
		`"?mcp_servers"?[ \t]*[.=])`)
})

// custom returns where a table of our name stands that is not in a block of ours: with two, the
// client would read none of its settings.
func (t table) custom(text []byte) []Clash {
	from, to, err := t.find(text)
	if err != nil {
		return nil
	}
	for _, at := range elsewhere().FindAllIndex(text, -1) {
		if at[0] < from || at[0] >= to {
			line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
			return []Clash{{fmt.Sprintf("line %d, mcp_servers", line), true}}
		}
	}
	return nil
}

// command returns what our server runs.
func (t table) command(text []byte) (words []string) {
	from, to, err := t.find(text)
	if err != nil || to == 0 {
		return nil
	}
	for line := range strings.Lines(string(text[from:to])) {
		switch name, value, _ := strings.Cut(line, " = "); name {
		case "command", "args":
			if v, err := parse([]byte(value)); err == nil {
				words = append(append(words, v.text()), v.words()...)
			}
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// edited reports whether the block is not what setup writes for the same command.
func (t table) edited(text []byte, r Request) bool {
	from, to, err := t.find(text)
	words := t.command(text)
	if err != nil || to == 0 || len(words) == 0 {
		return err == nil && to > 0
	}
	was := tableOf(func(Request) []string { return words })
	return string(text[from:to]) != was.lines(text, r)
}
