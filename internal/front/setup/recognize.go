package setup

import (
	"path"
	"slices"
	"strings"
)

// These functions distinguish mem's handlers from those of other programs.

type kind uint8

const (
	theirs kind = iota
	ours        // plain words that setup could have written
	custom      // it runs mem's hook, among other words: a person has put it together
)

// guard ends a line for a POSIX shell: whatever becomes of mem, the client sees an exit code of 0.
const guard = " || :"

func kindOf(handler node) kind {
	switch {
	case handler.get("args").kind != '[':
		return kindOfLine(handler.get("command").text())
	case isOurs(handlerWords(handler)):
		return ours
	}
	return theirs
}

func kindOfLine(line string) kind {
	commands, plain := splitCommands(strings.TrimSuffix(line, guard))
	switch {
	case plain && len(commands) == 1 && isOurs(commands[0]):
		return ours
	case slices.ContainsFunc(commands, runsHook):
		return custom
	}
	return theirs
}

// runsHook reports whether a command is the hook of mem, perhaps after variables that it sets.
func runsHook(words []string) bool {
	for len(words) > 0 && strings.Contains(words[0], "=") {
		words = words[1:]
	}
	return isOurs(words)
}

// handlerWords returns the program and arguments that a handler runs.
func handlerWords(handler node) []string {
	command := handler.get("command").text()
	args := handler.get("args")
	if args.kind != '[' {
		return splitWords(strings.TrimSuffix(command, guard))
	}
	return append([]string{command}, args.words()...)
}

// isOurs reports whether words run the hook of mem: a path that ends in mem, moved or not, and hook
// as the first word that is no flag.
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
	case "--root", "--agent", "--now", "--jq", "--lock-timeout", "--log-level":
		return true
	}
	return false
}

func isMem(program string) bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	return base == "mem" || base == "mem.exe"
}

// splitWords splits a shell's command line into words.
func splitWords(line string) []string {
	commands, _ := splitCommands(line)
	return slices.Concat(commands...)
}

// splitter collects the words of the commands of a line.
type splitter struct {
	commands [][]string
	words    []string
	word     []byte
	inWord   bool
	plain    bool // the shell would do nothing with the line but split it into words
}

// splitCommands splits a shell's command line into commands and these into words, as far as quotes
// and operators go, and reports whether it is nothing but words. A backslash before a letter or
// digit stands for itself: it separates directories on Windows.
func splitCommands(line string) (commands [][]string, plain bool) {
	s := splitter{plain: true}
	var quote byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, s.inWord = c, true
		case c == '\\' && quote != '\'' && i+1 < len(line) && isEscapable(line[i+1]):
			i++
			s.add(line[i])
		case quote == 0:
			s.unquoted(c)
		default:
			s.plain = s.plain && (quote == '\'' || c != '$' && c != '`')
			s.add(c)
		}
	}
	s.endCommand()
	return s.commands, s.plain && quote == 0
}

// unquoted takes a letter that stands outside of quotes.
func (s *splitter) unquoted(c byte) {
	switch c {
	case ' ', '\t':
		s.endWord()
	case ';', '&', '|', '(', ')', '`', '\n', '\r':
		s.plain = false
		s.endCommand()
	case '<', '>':
		s.plain = false
		s.endWord()
	case '#', '~':
		s.plain = s.plain && s.inWord
		s.add(c)
	case '$', '*', '?', '[', '{', '!':
		s.plain = false
		s.add(c)
	default:
		s.add(c)
	}
}

func (s *splitter) add(c byte) { s.word, s.inWord = append(s.word, c), true }

func (s *splitter) endWord() {
	if s.inWord {
		s.words = append(s.words, string(s.word))
	}
	s.word, s.inWord = s.word[:0], false
}

func (s *splitter) endCommand() {
	if s.endWord(); len(s.words) > 0 {
		s.commands = append(s.commands, s.words)
	}
	s.words = nil
}

func isEscapable(c byte) bool { return strings.IndexByte(" \"'$\\&;|<>`", c) >= 0 }
