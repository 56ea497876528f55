package setup

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"github.com/set-memory/mem/agents"
)

// How a handler is written, how ours are recognized, and how a command is quoted for a shell.

// member returns the list of an event with our handler in it, and its name.
func (h hooks) member(s style, event agents.Event, r Request) string {
	elements := []string{h.element(s.deeper(), event, r)}
	return quote(event.Name) + ": " + s.brackets("[", "]", elements)
}

// element returns what stands in the list of an event: our handler, in a group if there are groups.
func (h hooks) element(s style, event agents.Event, r Request) string {
	if h.Form == agents.FlatHooks {
		return h.handler(s, event, r)
	}
	var parts []string
	if event.Matcher != "" {
		parts = append(parts, `"matcher": `+quote(event.Matcher))
	}
	inner := s.deeper()
	handlers := []string{h.handler(inner.deeper(), event, r)}
	parts = append(parts, `"hooks": `+inner.brackets("[", "]", handlers))
	return s.brackets("{", "}", parts)
}

func (h hooks) handler(s style, event agents.Event, r Request) string {
	words := r.words()
	parts := []string{`"type": "command"`}
	if h.Form == agents.ArgsHooks {
		parts = append(parts, `"command": `+quote(words[0]), `"args": `+wordList(s, words[1:]))
	} else {
		parts = append(parts, `"command": `+quote(shellLine(words, r.Windows)))
	}
	if event.Timeout > 0 {
		parts = append(parts, `"timeout": `+strconv.Itoa(event.Timeout))
	}
	return s.brackets("{", "}", parts)
}

// wordList returns arguments as a JSON list, always in one line.
func wordList(s style, words []string) string {
	s.multiline = false
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return s.brackets("[", "]", quoted)
}

// quote returns a JSON string. A path keeps its < and &, which need no escapes here.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// handlerWords returns what a handler runs: its command as the program with the members of args, or
// as a line for a shell.
func handlerWords(handler node) []string {
	command := handler.get("command").text()
	args := handler.get("args")
	if args.kind != '[' {
		return splitWords(command)
	}
	return append([]string{command}, args.words()...)
}

// isOurs reports whether words run the hook of mem: a path that ends in mem, and hook as the first
// word that is no flag. So a handler is recognized too if it names a mem that has moved, or another
// root.
func isOurs(words []string) bool {
	if len(words) == 0 || !isMem(words[0]) {
		return false
	}
	for i := 1; i < len(words); i++ {
		switch {
		case takesValue(words[i]):
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i] == "hook"
		}
	}
	return false
}

// takesValue reports whether a flag of mem takes the next word as its value.
func takesValue(flag string) bool {
	switch flag {
	case "--root", "--now", "--jq", "--lock-timeout", "--log-level":
		return true
	}
	return false
}

func isMem(program string) bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	return base == "mem" || base == "mem.exe"
}

// splitWords splits a shell's command line into words, as far as quotes go. A backslash before a
// letter or digit stands for itself: it separates directories on Windows.
func splitWords(line string) (words []string) {
	var word strings.Builder
	var quote byte
	inWord := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case c == '\\' && quote != '\'' && i+1 < len(line) && isEscapable(line[i+1]):
			i++
			word.WriteByte(line[i])
			inWord = true
		case quote == 0 && (c == ' ' || c == '\t'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

func isEscapable(c byte) bool { return strings.IndexByte(` "'$\&;`, c) >= 0 }

// shellLine returns words as one command line, quoted for cmd on Windows, else for a POSIX shell.
func shellLine(words []string, windows bool) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && strings.Trim(w, unquotedLetters) == "":
			quoted[i] = w
		case windows:
			quoted[i] = `"` + w + `"`
		default:
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

const unquotedLetters = "abcdefghijklmnopqrstuvwxyz" +
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
