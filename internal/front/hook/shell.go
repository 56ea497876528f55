package hook

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/view/inject"
)

// maxScript is how much of a command is read for the files that it edits.
const maxScript = 16 << 10

func (e event) runsShell() bool {
	ran := e.Name == setup.PostToolUse || e.Name == setup.AfterTool
	return ran && (e.Tool == "Bash" || e.Tool == "run_shell_command" || e.Tool == "Execute")
}

// edits returns the files that `sed -i` in a script edits by name, as they are written there, from
// the directory of the script. Words that only a shell can expand name none.
func edits(script string) (files []string) {
	if !strings.Contains(script, "sed ") {
		return nil
	}
	eachCommand(script, func(dir string, words []string) {
		if filepath.Base(words[0]) != "sed" {
			return
		}
		for _, file := range editedBySed(words[1:]) {
			if file != unknown && len(files) < inject.MaxEdited {
				files = append(files, at(dir, file))
			}
		}
	})
	return files
}

// renames returns the paths that `mv` and `git mv` in a script rename, as [edits] does.
func renames(script string) (list []inject.Rename) {
	if !strings.Contains(script, "mv ") {
		return nil
	}
	eachCommand(script, func(dir string, words []string) {
		if words[0] == "git" && len(words) > 1 {
			words = words[1:]
		}
		if filepath.Base(words[0]) != "mv" || slices.ContainsFunc(words, namesTarget) {
			return
		}
		paths := slices.DeleteFunc(words[1:], func(word string) bool {
			return strings.HasPrefix(word, "-")
		})
		if len(paths) < 2 || slices.Contains(paths, unknown) {
			return
		}
		to := paths[len(paths)-1]
		for _, from := range paths[:len(paths)-1] {
			if len(list) < inject.MaxEdited {
				list = append(list, inject.Rename{From: at(dir, from), To: at(dir, to)})
			}
		}
	})
	return list
}

// namesTarget reports whether an option of mv names the folder to which it moves.
func namesTarget(word string) bool {
	return strings.HasPrefix(word, "-t") || strings.HasPrefix(word, "--target")
}

// eachCommand calls fn with the simple commands of a script and the directory of each, from that of
// the script, as long as it is known.
func eachCommand(script string, fn func(dir string, words []string)) {
	dir := "."
	for _, words := range commands(script[:min(len(script), maxScript)]) {
		switch {
		case filepath.Base(words[0]) != "cd":
			fn(dir, words)
		case len(words) < 2 || words[1] == unknown || words[1] == "-":
			return
		default:
			dir = at(dir, words[1])
		}
	}
}

func at(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// editedBySed returns the operands of sed that are files, where it edits in place: those behind the
// script, which is the first operand or the value of each -e.
func editedBySed(args []string) (files []string) {
	inPlace, scripts := false, 0
	for i, arg := range args {
		switch before, _, found := strings.Cut(arg, "i"); {
		case i > 0 && args[i-1] == "-e":
			scripts++
		case strings.HasPrefix(arg, "--"):
			inPlace = inPlace || strings.HasPrefix(arg, "--in-place")
		case strings.HasPrefix(arg, "-"):
			inPlace = inPlace || found && before != ""
		case arg != "": // which is the suffix that BSD wants
			files = append(files, arg)
		}
	}
	if scripts == 0 && len(files) > 0 {
		files = files[1:]
	}
	if !inPlace {
		return nil
	}
	return files
}

// unknown is the word of a script that only a shell can expand.
const unknown = "\x00"

// piece matches a piece of a script: the rest from a here-document or a quote that is not closed, a
// redirection, the end of a command, blanks, or a word.
var piece = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(<<(?s:.*))|(\d*[<>]+(?:&\d|[ \t]*[^\s;|&()<>]+)?)|([\n;|&()]+)|` +
		`[ \t]+|\\\n|((?:'[^']*'|"(?:\\(?s:.)|[^"\\])*"|\\[^\n]|[^\s'"\\;|&()<>])+)|((?s:.+))`)
})

// commands returns the words of the simple commands of a script.
func commands(script string) (list [][]string) {
	var words []string
	for _, m := range append(piece().FindAllStringSubmatch(script, -1), nil) {
		switch {
		case m == nil || m[1]+m[3]+m[5] != "":
			if len(words) > 0 {
				list = append(list, words)
			}
			words = nil
		case m[4] != "" && (len(words) > 0 || !strings.Contains(m[4], "=")):
			words = append(words, unquote(m[4]))
		}
	}
	return list
}

// unquote returns a word without its quotes.
func unquote(word string) string {
	switch inner := word[1:max(1, len(word)-1)]; {
	case word[0] == '\'' && !strings.Contains(inner, "'"):
		return inner
	case strings.ContainsAny(word, "$`*?[{~"):
		return unknown
	}
	return strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(word)
}
