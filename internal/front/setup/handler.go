package setup

import (
	"encoding/json"
	"strconv"
	"strings"
)

// How a handler is written, and how a command is quoted for a shell.

// member returns the list of an event with our handler in it, and its name.
func (h hooks) member(s style, event Event, r Request) string {
	elements := []string{h.element(s.deeper(), event, r)}
	return quote(event.Name) + ": " + s.brackets("[", "]", elements)
}

// element returns what stands in the list of an event: our handler, in a group if there are groups.
func (h hooks) element(s style, event Event, r Request) string {
	if h.Form == flatHooks {
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

func (h hooks) handler(s style, event Event, r Request) string {
	words := r.words()
	parts := []string{`"type": "command"`}
	if h.Form == argsHooks {
		parts = append(parts, `"command": `+quote(words[0]), `"args": `+wordList(s, words[1:]))
	} else {
		parts = append(parts, `"command": `+quote(hookLine(r)))
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

// hookLine returns what a client passes to a shell. On Windows it has no guard, for which the
// shells there know no common form.
func hookLine(r Request) string {
	line := shellLine(r.words(), r.Windows)
	if !r.Windows {
		line += guard
	}
	return line
}

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
