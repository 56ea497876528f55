package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
)

// A hint works as printed, also where the store was named by a flag.
func TestHintsNameTheRoot(t *testing.T) {
	ls := advice.Run("ls").Then(" lists the keys")
	for _, c := range []struct {
		do         advice.List
		root, want string
	}{
		{ls, "", "mem ls lists the keys"},
		{ls, "a/b", "mem --root a/b ls lists the keys"},
		{advice.Run("fsck", "--adopt", "x").Then(", ").Run("fsck", "--repair", "y z"), "it's",
			`mem --root 'it'\''s' fsck --adopt x, mem --root 'it'\''s' fsck --repair 'y z'`},
		{advice.Say("type ").Run("get"), "$HOME", "type mem --root '$HOME' get"},
		{advice.RunAlone("help", "exit-codes"), "r", "mem help exit-codes"},
		{advice.Say("mem ls").Tools("not for people"), "r", "mem ls"},
	} {
		if got := (&app.App{Root: c.root}).ForPeople(c.do); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Each command that an error advises exists, with its flags.
func TestAdvisedCommandsExist(t *testing.T) {
	root := command(&app.App{Build: testBuild, Getenv: func(string) string { return "" }}, nil)
	root.InitDefaultHelpCmd()
	n := 0
	for _, words := range advised(t) {
		n++
		cmd, rest, err := root.Find(strings.Fields(words[0]))
		isDaemon := slices.Contains(DaemonVerbs(), strings.Fields(words[0])[0])
		if err != nil || !isDaemon && len(rest) > 0 {
			t.Errorf("mem %s: no such command", words[0])
			continue
		}
		for _, word := range words[1:] {
			name, isFlag := strings.CutPrefix(word, "--")
			if isFlag && name != "" && name != "help" && !isDaemon && flagOf(cmd, name) == nil {
				t.Errorf("mem %s has no flag %s", words[0], word)
			}
		}
	}
	if n < 60 {
		t.Errorf("%d commands found in the sources", n)
	}
}

// advised returns the words of each command that the sources advise, as far as they spell them out.
func advised(t *testing.T) (list [][]string) {
	err := filepath.WalkDir("../../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		usesAdvice := slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
			return strings.HasSuffix(spec.Path.Value, `/base/advice"`)
		})
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !usesAdvice {
				return usesAdvice
			}
			fn, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || fn.Sel.Name != "Run" && fn.Sel.Name != "RunAlone" {
				return true
			}
			if words := literals(call.Args); len(words) > 0 {
				list = append(list, words)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// literals returns the texts of arguments; none where the first one is not spelled out.
func literals(args []ast.Expr) (words []string) {
	for i, arg := range args {
		lit, ok := arg.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			if i == 0 {
				return nil
			}
			continue
		}
		word, _ := strconv.Unquote(lit.Value)
		words = append(words, word)
	}
	return words
}

// A mistake that people make gets the command that they meant, which works as printed.
func TestHintsOfMistakes(t *testing.T) {
	desk(t)
	for _, c := range []struct {
		args       string
		exit       int
		says, hint string
	}{
		{"set /user/editor vim", 2, "content: JSON: ",
			"mem set /user/editor --text vim --source 'chat with Ada' stores plain text"},
		{"approve foo", 1, "no proposal and no memory foo",
			"mem approve lists what waits for you"},
		{"undo", 2, "want one key, or --last", "mem undo --last reverts those of the last command"},
		{"read --tokens 100", 2, "unknown flag", "mem read --token-limit 100"},
		{"notes sap", 2, "want no arguments", "mem notes --query WORDS searches for words"},
		{"note unquoted text here", 2, "want one text", "mem note 'the whole text' stores it"},
		{"ls --prefix /user", 2, "unknown flag", "mem ls /user"},
		{"ls --prefix=/user", 2, "unknown flag", "mem ls /user"},
		{"set /user/editor --text vim --source me", 0, "", ""},
	} {
		var out, stderr bytes.Buffer
		exit := Run(strings.Fields(c.args), strings.NewReader(""), &out, &stderr, testBuild)
		said := stderr.String()
		if exit != c.exit || !strings.Contains(said, c.says) ||
			c.hint != "" && !strings.HasSuffix(said, c.hint+"\n") {
			t.Errorf("%s: exit %d, %s", c.args, exit, said)
		}
	}
}

// A root without a store is not one that is trusted, and has no name of a store in use.
func TestWhereWithoutAStore(t *testing.T) {
	t.Setenv("MEM_ROOT", filepath.Join(t.TempDir(), "none"))
	if out := answered(t, "", "where", "--jq", ".stores[0].trust"); out != "no store yet\n" {
		t.Errorf("trust %s", out)
	}
}
