package hook

import (
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/view/inject"
)

// maxScript is how much of a command is read for the files that it edits.
const maxScript = 16 << 10

// runsShell reports whether an event is of a command of a shell that has run.
func (e event) runsShell() bool {
	return e.Name == setup.PostToolUse && e.Tool == "Bash" ||
		e.Name == setup.AfterTool && e.Tool == "run_shell_command"
}

// edits returns the files that `sed -i` and `patch` in a script edit by name, as they are written
// there, from the directory of the script. What only a shell can tell names none: variables,
// patterns, substitutions.
func edits(script string) (files []string) {
	if !strings.Contains(script, "sed ") && !strings.Contains(script, "patch ") {
		return nil
	}
	dir := "."
	for _, words := range commands(script[:min(len(script), maxScript)]) {
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:] // of an assignment
		}
		if len(words) < 2 {
			continue
		}
		var named []string
		switch filepath.Base(words[0]) {
		case "cd":
			if dir = at(dir, words[1]); words[1] == unknown || words[1] == "-" {
				return files
			}
		case "sed":
			named = editedBySed(words[1:])
		case "patch":
			named = patched(words[1:])
		}
		for _, name := range named {
			if name != unknown && name != "" && len(files) < inject.MaxEdited {
				files = append(files, at(dir, name))
			}
		}
	}
	return files
}

func at(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// editedBySed returns the operands of sed that are files, where it edits in place.
func editedBySed(args []string) []string {
	inPlace, hasScript := false, false
	var operands []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, _, hasValue := strings.Cut(arg, "=")
		switch {
		case strings.HasPrefix(arg, "--"):
			inPlace = inPlace || name == "--in-place"
			if name == "--expression" || name == "--file" {
				if hasScript = true; !hasValue {
					i++
				}
			}
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			at := strings.IndexAny(arg, "ief")
			if at < 0 {
				continue
			}
			switch isLast := at == len(arg)-1; {
			case arg[at] == 'i':
				inPlace = true
				if isLast && i+1 < len(args) && args[i+1] == "" {
					i++ // the suffix of BSD
				}
			default:
				if hasScript = true; isLast {
					i++
				}
			}
		default:
			operands = append(operands, arg)
		}
	}
	if !inPlace || len(operands) == 0 {
		return nil
	}
	if !hasScript {
		operands = operands[1:]
	}
	return operands
}

// patched returns the file that patch changes.
func patched(args []string) []string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return []string{arg}
		}
		if len(arg) == 2 && strings.Contains("dipoBDFrVYz", arg[1:]) {
			return nil // its value is the next word, and may be a directory to begin at
		}
	}
	return nil
}

// unknown is the word of a script that only a shell can tell.
const unknown = "\x00"

// script is a script of a shell as it is read.
type script struct {
	list  [][]string // simple commands
	words []string   // of the one at hand
	word  []byte

	has       bool // a word has begun
	isUnknown bool // it has what only a shell can tell
	redirects bool // the next word is a redirection's
}

// commands returns the words of the simple commands of a script, up to a here-document. Words of
// redirections are left out.
func commands(text string) [][]string {
	var s script
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"', '\\':
			i = s.quoted(text, i)
		case '$', '`', '*', '?', '[', '{', '~':
			s.has, s.isUnknown = true, true
		case ' ', '\t':
			s.endWord()
		case '<', '>':
			if s.redirect(); strings.HasPrefix(text[i:], "<<") {
				return append(s.list, s.words)
			}
		case '\n', ';', '|', '&', '(', ')':
			if c == '&' && s.redirects {
				continue // of 2>&1
			}
			s.endWord()
			s.list, s.words = append(s.list, s.words), nil
		default:
			s.word, s.has = append(s.word, c), true
		}
	}
	s.endWord()
	return append(s.list, s.words)
}

// quoted reads what is quoted from a place on, and returns where it ends; what is not closed ends
// with the text, and is no word that names a file.
func (s *script) quoted(text string, i int) (end int) {
	quote := text[i]
	if s.has = true; quote == '\\' {
		if i++; i < len(text) && text[i] != '\n' {
			s.word = append(s.word, text[i])
		} else {
			s.has = len(s.word) > 0
		}
		return i
	}
	for i++; i < len(text) && text[i] != quote; i++ {
		if quote == '"' {
			s.isUnknown = s.isUnknown || text[i] == '$' || text[i] == '`'
			if text[i] == '\\' && i+1 < len(text) {
				i++
			}
		}
		s.word = append(s.word, text[i])
	}
	s.isUnknown = s.isUnknown || i >= len(text)
	return i
}

// redirect begins a redirection, to which a number before it belongs.
func (s *script) redirect() {
	if s.has && strings.Trim(string(s.word), "0123456789") == "" {
		s.word, s.has = s.word[:0], false
	}
	s.endWord()
	s.redirects = true
}

func (s *script) endWord() {
	switch {
	case !s.has:
		return
	case s.redirects:
		s.redirects = false
	case s.isUnknown:
		s.words = append(s.words, unknown)
	default:
		s.words = append(s.words, string(s.word))
	}
	s.word, s.has, s.isUnknown = s.word[:0], false, false
}
