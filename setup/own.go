package setup

import (
	"path"
	"slices"
	"strings"
)

// Which handler is ours, and how a command is spelled for a shell.

// valued are the flags of mem that take the next word for their value.
var valued = []string{"--root", "--now", "--jq", "--lock-timeout", "--log-level"}

// isOurs reports whether words start mem's hook: a path that ends in mem, and hook as the first word that is no flag. So the handler of a
// mem that has moved, or of another root, is known too.
func isOurs(words []string) bool {
	if len(words) == 0 || !isMem(words[0]) {
		return false
	}
	for i := 1; i < len(words); i++ {
		switch {
		case slices.Contains(valued, words[i]):
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i] == "hook"
		}
	}
	return false
}

func isMem(program string) bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	return base == "mem" || base == "mem.exe"
}

// handlerWords gives what a handler runs: its command as the program with the members of args, or as a line for a shell.
func handlerWords(h node) []string {
	command := h.get("command").text()
	args := h.get("args")
	if args.kind != '[' {
		return splitWords(command)
	}
	return append([]string{command}, args.words()...)
}

// splitWords takes a shell's command line apart as far as quotes go. A backslash before a letter or digit stands for itself: it
// separates directories on Windows.
func splitWords(line string) (words []string) {
	var word strings.Builder
	var quote byte
	begun := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case c == '\\' && quote != '\'' && i+1 < len(line) && strings.IndexByte(` "'$\&;`, line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
			begun = true
		case quote == 0 && (c == ' ' || c == '\t'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// shellLine spells words as one command line. Windows is cmd's way of quoting, else a POSIX shell's.
func shellLine(words []string, windows bool) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && strings.Trim(w, plainLetters) == "":
			quoted[i] = w
		case windows:
			quoted[i] = `"` + w + `"`
		default:
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
